"""Highlighted code without the elements that colour nothing: those of names, brackets, operators and spaces.

They would be a third of the elements of a page, and every one costs time whenever a script makes the browser restyle it. For the
same reason words of one colour that only space parts are one element: a docstring is one, not one a line.
"""

import re

from markdown import Markdown
from markdown.extensions import Extension
from markdown.postprocessors import Postprocessor

COLOURLESS = re.compile(r'<span class="(?:n|o|p|w)">((?:[^<]|</?autoref\b[^>]*>)*)</span>|<span></span>')
FOREIGN = re.compile(r'<autoref (?=[^>]*\boptional\b)(?![^>]*identifier="autograder\.)[^>]*>([^<]*)</autoref>')
"""In a signature, the name of a type that no page of the course explains, as `str`: it leads nowhere."""
ONE_COLOUR = re.compile(r'(<span class="\w+">)[^<]*(?:</span>\s*\1[^<]*)+')


class _LeanCode(Postprocessor):
    def run(self, text: str) -> str:
        lean = COLOURLESS.sub(r"\1", FOREIGN.sub(r"\1", text))
        return ONE_COLOUR.sub(lambda words: words[1] + words[0].replace(words[1], "").replace("</span>", ""), lean)


class LeanCode(Extension):
    """The Markdown extension: runs when all else has been done."""

    def extendMarkdown(self, md: Markdown) -> None:  # noqa: N802 (Markdown's name)
        """Register the postprocessor behind the one that puts the code onto the page, which has 30."""
        md.postprocessors.register(_LeanCode(md), "lean-code", 5)


def makeExtension() -> LeanCode:  # noqa: N802 (Markdown's name)
    """Return the extension; Markdown calls this."""
    return LeanCode()
