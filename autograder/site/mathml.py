r"""The Markdown extension for formulas: `$...$` and `$$...$$` become MathML when the site is built.

No script draws them in the browser. A formula that is no LaTeX ends the build, with the place of the error.
"""

import re
from typing import Any
from xml.etree import ElementTree

import click
from markdown import Markdown
from markdown.blockprocessors import BlockProcessor
from markdown.extensions import Extension
from markdown.inlinepatterns import InlineProcessor
from math_core import LatexError, LatexToMathML

INLINE = r"(?<![\\$\w])\$(?![\s$])((?:\\.|[^$\\\n]|\n(?!\n))+?)(?<!\s)\$(?![\d$])"
"""Matches no dollars with a space inside, a letter before or a digit after them, such as prices."""

DISPLAY = re.compile(r"\A\s*\$\$(.+?)\$\$\s*\Z", re.DOTALL)
STOP = re.compile(r"[.,;:?!)]+")
CODE = re.compile(r"(`+).*?\1", re.DOTALL)
STASHED = "\x02"
"""The mark of Markdown for content that it has put aside, such as code."""

COLOURS = re.compile(r"\x1b\[[0-9;]*m")


class BadFormula(click.ClickException):
    """A formula that is no LaTeX; the message shows the place. MkDocs shows it without a traceback."""


def to_mathml(latex: str, display: bool) -> str:
    """Return the MathML of a formula. Raises BadFormula."""
    try:
        return LatexToMathML(annotation=False).convert_with_local_state(latex, displaystyle=display)
    except LatexError as error:
        raise BadFormula(f"the formula {latex!r} is no LaTeX: {COLOURS.sub('', str(error))}") from error


class _Inline(InlineProcessor):
    def handleMatch(  # type: ignore[override]  # noqa: N802
        self, m: re.Match[str], data: str
    ) -> tuple[str, int, int] | tuple[None, None, None]:
        if STASHED in m[0]:
            return None, None, None
        formula, end = to_mathml(m.group(1), display=False), m.end(0)
        if stop := STOP.match(data, end):  # else a line could end between the two
            formula, end = f'<span class="whole">{formula}{stop[0]}</span>', stop.end()
        return self.md.htmlStash.store(formula), m.start(0), end


class _Display(BlockProcessor):
    def test(self, parent: ElementTree.Element, block: str) -> bool:
        return "$$" in CODE.sub("code", block)

    def run(self, parent: ElementTree.Element, blocks: list[str]) -> None:
        text = blocks.pop(0)
        if not text.lstrip().startswith("$$"):
            raise BadFormula(
                f"$$ is within the paragraph {text[:60]!r}; put empty lines around a formula on its own line"
            )
        while not (found := DISPLAY.match(text)):
            if not blocks:
                raise BadFormula(f"the formula {text[:60]!r} does not end with $$ and an empty line")
            text += "\n\n" + blocks.pop(0)
        box = ElementTree.SubElement(parent, "div", {"class": "formula", "tabindex": "0", "role": "group"})
        box.set("aria-label", "formula")
        box.text = self.parser.md.htmlStash.store(to_mathml(found[1].strip(), display=True))


class Formulas(Extension):
    """The Markdown extension: formulas to MathML."""

    def extendMarkdown(self, md: Markdown) -> None:  # noqa: N802 (Markdown's name)
        """Register both forms. Inline formulas have priority 185, before backslash escapes at 180."""
        md.inlinePatterns.register(_Inline(INLINE, md), "formula", 185)
        md.parser.blockprocessors.register(_Display(md.parser), "formula", 85)
        if "$" not in md.ESCAPED_CHARS:
            md.ESCAPED_CHARS.append("$")


def makeExtension(**options: Any) -> Formulas:  # noqa: N802 (Markdown's name)
    """Return the extension; Markdown calls this."""
    return Formulas(**options)
