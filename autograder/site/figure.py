"""Figures on pages. Each has a version in HTML for the site, and one in plain Markdown."""

import html
from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum

from markdown import markdown

EXTENSIONS = {"autograder.site.mathml": {}, "smarty": {"smart_dashes": False, "smart_ellipses": False}}
"""The Markdown extensions of inline text, with their options. Only quotes become curly, as on the rest of a page."""


class Edition(Enum):
    """The versions of a page, for different readers."""

    OPEN = "the site, with solutions behind a reveal"
    CLASS = "the site of a class, without solutions"
    TEXT = "Markdown, for students who read the file"


@dataclass(frozen=True)
class Figure:
    """A drawing. page: Markdown, mostly HTML, for the site. text: plain Markdown."""

    page: str
    text: str


def captioned(content: str, caption: str, kind: str, key: str = "") -> str:
    """Return the HTML of a figure with a caption. The search of the site ignores the figure.

    content: HTML. caption: inline Markdown. kind: the CSS classes. key: HTML after the caption.
    """
    written = inline(html.escape(caption, quote=False)) + key
    return f'<figure class="figure {kind}" data-search-exclude>{content}<figcaption>{written}</figcaption></figure>'


def inline(text: str) -> str:
    """Return inline Markdown as HTML, without a paragraph around it."""
    made: str = markdown(text, extensions=[*EXTENSIONS], extension_configs=EXTENSIONS)
    return made.removeprefix("<p>").removesuffix("</p>")


def table_of(rows: Sequence[Sequence[str]]) -> str:
    """Return a Markdown table. The first row has the names of the columns."""
    return "\n".join(f"| {' | '.join(row)} |" for row in [rows[0], ["---"] * len(rows[0]), *rows[1:]])


def beside(*pictures: Figure) -> Figure:
    """Return one figure with pictures side by side, or below each other on a narrow page."""
    page = f'<div class="beside">{"".join(picture.page for picture in pictures)}</div>'
    return Figure(page, "\n".join(picture.text for picture in pictures))
