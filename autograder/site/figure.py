"""What a block of a page draws: the page of the site, and words for who reads the file."""

import html
from dataclasses import dataclass
from enum import Enum

from markdown import markdown

CURLY = {"smart_dashes": False, "smart_ellipses": False}
"""Of Markdown's typography the quotes alone, as on the rest of a page."""


EXTENSIONS = ["autograder.site.mathml", "smarty"]


class Edition(Enum):
    """For whom a page is filled."""

    OPEN = "the site, with solutions behind a reveal"
    CLASS = "the site of a class that still has to write them"
    TEXT = "Markdown, for students who read the file"


@dataclass(frozen=True)
class Figure:
    """A drawing with two faces. page: Markdown, mostly HTML, for the site. text: plain Markdown that any editor shows."""

    page: str
    text: str


def captioned(content: str, caption: str, kind: str, key: str = "") -> str:
    """Return a figure of the page, which the search passes over. content: HTML. caption: text. kind: its class. key: HTML, behind the caption."""
    written = inline(html.escape(caption, quote=False)) + key
    return f'<figure class="figure {kind}" data-search-exclude>{content}<figcaption>{written}</figcaption></figure>'


def inline(text: str) -> str:
    """Return inline Markdown as HTML, without a paragraph around it."""
    made: str = markdown(text, extensions=EXTENSIONS, extension_configs={"smarty": CURLY})
    return made.removeprefix("<p>").removesuffix("</p>")
