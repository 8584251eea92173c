"""Tables that are too wide for a phone: each cell knows its column, so that a narrow page can set a row's cells below each other."""

from xml.etree.ElementTree import Element

from markdown import Markdown
from markdown.extensions import Extension
from markdown.treeprocessors import Treeprocessor

COLUMNS, CHARACTERS = 4, 24
"""So many columns, one of them with so long a text, do not fit into a phone."""


class _StackedTables(Treeprocessor):
    def run(self, root: Element) -> None:
        for table in root.iter("table"):
            names, *rows = [["".join(cell.itertext()).strip() for cell in row] for row in table.iter("tr")]
            if len(names) >= COLUMNS and any(len(text) > CHARACTERS for row in rows for text in row):
                _label(table, names)


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
