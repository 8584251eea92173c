r"""The Markdown extension for formulas: `$...$` and `$$...$$` become MathML when the site is built.

No script draws them in the browser. A formula that is no LaTeX ends the build, with the place of the error.
"""

import re
from collections.abc import Iterator
from html import unescape
from typing import Any
from xml.etree import ElementTree

import click
from markdown import Markdown
from markdown.blockprocessors import BlockProcessor
from markdown.extensions import Extension
from markdown.inlinepatterns import InlineProcessor
from math_core import LatexError, LatexToMathML

INLINE = r"(?<![\\$\w])\$(?![\s$])((?:\\.|[^$\\\n]|\n(?!\n))+?)(?<!\s)\$(?![\d$])"
"""No space inside the dollars, no letter before and no digit after them, so that prices and shell prompts stay text."""

DISPLAY = re.compile(r"\A\s*\$\$(.+?)\$\$\s*\Z", re.DOTALL)
DISPLAY_IN_PAGE = re.compile(r"\$\$(.+?)\$\$", re.DOTALL)
WORDS = re.compile(r"[A-Za-z]{3,}[,.]? [A-Za-z]{3,}")
STOP = re.compile(r"[.,;:?!)]+")
CODE = re.compile(r"(`+).*?\1", re.DOTALL)
STASHED = "\x02"
"""How Markdown marks what it has put aside, such as code."""

INDEXED = re.compile(r"<msub>(<mi>\w</mi>)")
"""A letter with an index. Browsers set the index of q lower than that of k, whose letter has no tail; so each tail counts for nothing."""

NAMED = re.compile(r"&(?!amp;|lt;|gt;)\w+;")
"""A sign by its name in HTML, which XML does not know."""

BREAKS_BEFORE = {"=", "+"}
"""Where a formula that is too long for a screen goes on in the next line, if no bracket is open."""

QUADS = {"1em", "2em"}
"""The widths of the spaces that part formulas which stand in one line."""

COLOURS = re.compile(r"\x1b\[[0-9;]*m")


class BadFormula(click.ClickException):
    """A formula that is no LaTeX; the message shows the place. MkDocs shows it without a traceback."""


def to_mathml(latex: str, display: bool) -> str:
    """Return the MathML of a formula. Raises BadFormula."""
    try:
        made = LatexToMathML(annotation=False).convert_with_local_state(latex, displaystyle=display)
    except LatexError as error:
        raise BadFormula(f"the formula {latex!r} is no LaTeX: {COLOURS.sub('', str(error))}") from error
    return INDEXED.sub(r'<msub><mpadded depth="0">\1</mpadded>', made)


def in_pieces(latex: str) -> str:
    """Return the MathML of a formula of its own, one element for each piece that may begin a line. Raises BadFormula."""
    (whole,) = ElementTree.fromstringlist(
        ["<p>", NAMED.sub(lambda name: unescape(name[0]), to_mathml(latex, display=True)), "</p>"]
    )
    return "".join(_pieces(whole))


def _pieces(whole: ElementTree.Element) -> Iterator[str]:
    piece, brackets = ElementTree.Element("math", displaystyle="true"), 0
    for part in whole:
        text = "".join(part.itertext())
        wide_space = part.tag == "mspace" and part.get("width") in QUADS
        if len(piece) and not brackets and (wide_space or (part.tag == "mo" and text in BREAKS_BEFORE)):
            yield ElementTree.tostring(piece, "unicode") + (" " if wide_space else "<wbr>")
            piece = ElementTree.Element("math", displaystyle="true")
            part.set("form", "infix")  # as if something stood before it
        brackets += text.count("(") - text.count(")")
        if not wide_space:
            piece.append(part)
    yield ElementTree.tostring(piece, "unicode")


class _Inline(InlineProcessor):
    def handleMatch(  # type: ignore[override]  # noqa: N802
        self, m: re.Match[str], data: str
    ) -> tuple[str, int, int] | tuple[None, None, None]:
        if STASHED in m[0]:
            return None, None, None
        if WORDS.search(m[1]) and "\\" not in m[1]:
            raise BadFormula(
                f"{m[0]!r} looks like words between two prices; a dollar that is no formula is written \\$"
            )
        formula, end = to_mathml(m.group(1), display=False), m.end(0)
        if stop := STOP.match(data, end):  # a line may end between the two, unless they are kept together
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
        box.text = self.parser.md.htmlStash.store(in_pieces(found[1].strip()))


class Formulas(Extension):
    """The Markdown extension: formulas to MathML."""

    def extendMarkdown(self, md: Markdown) -> None:  # noqa: N802 (Markdown's name)
        """Register both forms; the inline one before backslash escapes, which have 180."""
        md.inlinePatterns.register(_Inline(INLINE, md), "formula", 185)
        md.parser.blockprocessors.register(_Display(md.parser), "formula", 85)
        if "$" not in md.ESCAPED_CHARS:
            md.ESCAPED_CHARS.append("$")


def makeExtension(**options: Any) -> Formulas:  # noqa: N802 (Markdown's name)
    """Return the extension; Markdown calls this."""
    return Formulas(**options)
