"""Tables that are too wide for a phone: each cell knows its column, so that a narrow page can set a row's cells below each other."""

import re
from html import unescape
from xml.etree.ElementTree import Element

from markdown import Markdown
from markdown.extensions import Extension
from markdown.treeprocessors import Treeprocessor
from markdown.util import HTML_PLACEHOLDER_RE

COLUMNS, CHARACTERS = 4, 24
"""So many columns, one of them with so long a text, do not fit into a phone."""


class _StackedTables(Treeprocessor):
    def run(self, root: Element) -> None:
        for table in root.iter("table"):
            names, *rows = [[self._text(cell) for cell in row] for row in table.iter("tr")]
            if len(names) >= COLUMNS and any(len(text) > CHARACTERS for row in rows for text in row):
                _label(table, names)

    def _text(self, cell: Element) -> str:
        """Return the words and signs of a cell. A formula has been put aside as HTML, of which an attribute can hold no tags."""
        text = HTML_PLACEHOLDER_RE.sub(lambda found: self._aside(int(found[1])), "".join(cell.itertext()))
        return text.strip()

    def _aside(self, number: int) -> str:
        return unescape(re.sub("<[^>]*>", "", str(self.md.htmlStash.rawHtmlBlocks[number])))


def _label(table: Element, names: list[str]) -> None:
    for row in table.iter("tr"):
        for name, cell in zip(names, row, strict=True):
            if cell.tag == "td":
                cell.set("data-column", name)


class StackedTables(Extension):
    """The Markdown extension: runs on the finished tree, behind the table of contents, which has 5."""

    def extendMarkdown(self, md: Markdown) -> None:  # noqa: N802 (Markdown's name)
        """Register the processor."""
        md.treeprocessors.register(_StackedTables(md), "stacked-tables", 3)


def makeExtension() -> StackedTables:  # noqa: N802 (Markdown's name)
    """Return the extension; Markdown calls this."""
    return StackedTables()
