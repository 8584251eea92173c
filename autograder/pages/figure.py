"""What a block of a page draws: the page of the site, and words for who reads the file."""

import html
from dataclasses import dataclass
from enum import Enum


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


def captioned(content: str, caption: str, kind: str) -> str:
    """Return a figure of the page, which the search passes over. content: HTML. caption: text. kind: its class."""
    return f'<figure class="figure {kind}" data-search-exclude>{content}<figcaption>{html.escape(caption)}</figcaption></figure>'
