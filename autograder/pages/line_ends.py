"""Where a line of a page may end: not within an option, a shape, a number or a product; and numbers of a table end below each other."""

import re
from collections.abc import Iterator
from itertools import zip_longest
from xml.etree.ElementTree import Element, SubElement

from markdown import Markdown
from markdown.extensions import Extension
from markdown.treeprocessors import Treeprocessor
from markdown.util import AtomicString

WITH_HYPHEN = re.compile(r"(\S*-\S*)")
LONGEST_WHOLE, LONGEST_SHAPE = 24, 20
"""Characters: what is longer may break, for the sake of the narrowest phone."""

RIGHT = "text-align: right;"
WHOLE = " white-space: nowrap;"
"""So that no unit stands alone, either."""

JOINT = re.compile(r"(?<=[\w/][_/])(?=\w)|(?<=\w\.)(?=\w{5})")
LONG_NAME = 14

SHAPE = re.compile(r"\([\w′…·×]+(?:, [\w′…·×]+)+,?\)")
WITHIN_NUMBER = re.compile(
    r"(?:(?<=\b\d)|(?<=\b\d\d)|(?<=\b\d\d\d)) (?=\d{3}\b)"  # 10 000
    r"|(?<=\d) (?=(?:%|min|s|ms|µs|[kKM]B|GB|[KMG]iB)(?!\w))"  # 192 MiB
    r"|(?<=[\w′]) (?=× \w)|(?<=×) (?=\w)"  # t × d
)
NUMBER = re.compile(r"[−+]?\d[\d\s.]*(?:[eE][−-]?\d+)?(?: ?(?:%|×|min|s|ms|µs|kB|MB|GB|MiB|GiB))?")
NONE = {"", "–", "—"}


class _LineEnds(Treeprocessor):
    def run(self, root: Element) -> None:
        for table in root.iter("table"):
            _numbers_to_the_right(table)
        for element in root.iter():
            if element.tag == "code":
                _words(element)
            elif not isinstance(element.text, AtomicString):
                element.text = _kept_together(element.text)
            element.tail = _kept_together(element.tail)


def _kept_together(text: str | None) -> str | None:
    """Return the text with spaces that end no line within each shape, number and product."""
    return text and WITHIN_NUMBER.sub(
        "\N{NO-BREAK SPACE}",
        SHAPE.sub(
            lambda found: found[0].replace(" ", "\N{NO-BREAK SPACE}") if len(found[0]) <= LONGEST_SHAPE else found[0],
            text,
        ),
    )


def _words(code: Element) -> None:
    """Keep options whole, and let a long name go on behind an underscore, a slash or a dot."""
    text, code.text = code.text or "", ""
    last: Element | None = None
    for word in WITH_HYPHEN.split(text):
        if "-" in word and len(word) <= LONGEST_WHOLE:
            last = SubElement(code, "span", {"class": "whole"})
            last.text = AtomicString(word)
            continue
        first, *others = _pieces(word)
        if last is None:
            code.text = AtomicString(code.text + first)
        else:
            last.tail = AtomicString((last.tail or "") + first)
        for piece in others:
            last = SubElement(code, "wbr")
            last.tail = AtomicString(piece)


def _pieces(text: str) -> list[str]:
    return JOINT.split(text) if any(len(word) >= LONG_NAME for word in text.split()) else [text]


def _numbers_to_the_right(table: Element) -> None:
    for column in _columns(table):
        texts = ["".join(cell.itertext()).strip() for cell in column if cell.tag == "td"]
        if any(map(NUMBER.fullmatch, texts)) and all(text in NONE or NUMBER.fullmatch(text) for text in texts):
            for cell in column:
                cell.set("style", RIGHT + WHOLE * (cell.tag == "td"))


def _columns(table: Element) -> Iterator[list[Element]]:
    rows = [list(row) for row in table.iter("tr")]
    for column in zip_longest(*rows):
        yield [cell for cell in column if cell is not None]


class LineEnds(Extension):
    """The Markdown extension: runs on the finished tree, behind the table of contents, which has 5."""

    def extendMarkdown(self, md: Markdown) -> None:  # noqa: N802 (Markdown's name)
        """Register the processor."""
        md.treeprocessors.register(_LineEnds(md), "line-ends", 4)


def makeExtension() -> LineEnds:  # noqa: N802 (Markdown's name)
    """Return the extension; Markdown calls this."""
    return LineEnds()
