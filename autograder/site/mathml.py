r"""The Markdown extension for formulas: `$...$` and `$$...$$` become MathML when the site is built.

Browsers show MathML without a script. A formula that is not valid LaTeX ends the build.
"""

import re

import click
from markdown import Markdown
from markdown.extensions import Extension
from markdown.inlinepatterns import InlineProcessor
from math_core import LatexError, LatexToMathML

INLINE = r"(?<![\\$\w])\$(?![\s$])(?P<inline>(?:\\.|[^$\\\n\x02]|\n(?!\n))+?)(?<!\s)\$(?![\d$])"
"""Matches `$formula$`, but no prices: no space inside the dollars, no letter before, no digit after.

\\x02 marks content that Markdown has already replaced, such as code.
"""
DISPLAY = r"(?<!\\)\$\$(?P<display>.+?)\$\$"
STOP = re.compile(r"[.,;:?!)]+")


class BadFormula(click.ClickException):
    """A formula is not valid LaTeX. The message, printed without a traceback, shows the place."""


class _Formula(InlineProcessor):
    def handleMatch(self, m: re.Match[str], data: str) -> tuple[str, int, int]:  # type: ignore[override]  # noqa: N802
        latex, end = (m["display"] or m["inline"]).strip(), m.end(0)
        try:
            formula = LatexToMathML(annotation=False).convert_with_local_state(latex, displaystyle=bool(m["display"]))
        except LatexError as error:
            raise BadFormula(f"the formula {latex!r} is no LaTeX: {click.unstyle(str(error))}") from error
        if m["display"]:
            formula = f'<div class="formula" tabindex="0" role="group" aria-label="formula">{formula}</div>'
        elif stop := STOP.match(data, end):  # else a line could end between the two
            formula, end = f'<span class="whole">{formula}{stop[0]}</span>', stop.end()
        return self.md.htmlStash.store(formula), m.start(0), end


class Formulas(Extension):
    """A Markdown extension that converts formulas to MathML."""

    def extendMarkdown(self, md: Markdown) -> None:  # noqa: N802 (Markdown's name)
        """Register formulas with priority 185, before backslash escapes at 180."""
        md.inlinePatterns.register(_Formula(f"{DISPLAY}|{INLINE}", md), "formula", 185)
        md.ESCAPED_CHARS.append("$")


makeExtension = Formulas  # noqa: N816 (Markdown calls this)
