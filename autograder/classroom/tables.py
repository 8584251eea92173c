"""Tables that spreadsheets write and open: their separators, their byte order marks, and cells that none of them runs."""

import codecs
import csv
import io
from collections.abc import Iterable
from dataclasses import dataclass

FORMULA = tuple("=+-@\t\r\n'＝＋－＠")
"""A spreadsheet may run a cell that begins so, as a formula; an apostrophe before it makes it text."""

DELIMITERS = ",;\t"


class NotTable(Exception):
    """What was read is no table. The message says why and what to do, without naming the file."""


@dataclass(frozen=True)
class Table:
    """A CSV file. rows: without empty ones, each at least as long as the header. lines: at which line of the file each ends."""

    header: list[str]
    rows: list[list[str]]
    lines: list[int]
    delimiter: str
    has_bom: bool

    def to_bytes(self, rows: Iterable[list[str]]) -> bytes:
        """Return other rows, a header among them, as a file that is written as this one is."""
        text = io.StringIO(newline="")
        csv.writer(text, delimiter=self.delimiter).writerows(rows)
        return text.getvalue().encode("utf-8-sig" if self.has_bom else "utf-8")


def read_table(content: bytes) -> Table:
    """Read a CSV file with a header, separated by commas, semicolons or tabs. Raises NotTable."""
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise NotTable(f"it is not UTF-8 (byte {error.start}). Save it as CSV in UTF-8.") from None
    delimiter = max(DELIMITERS, key=text.partition("\n")[0].count)
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter)
    try:
        found = [(row, reader.line_num) for row in reader if any(cell.strip() for cell in row)]
    except csv.Error as error:
        raise NotTable(f"it is not a CSV file ({error}).") from None
    header = found[0][0] if found else []
    rows = [row + [""] * (len(header) - len(row)) for row, _ in found[1:]]
    return Table(header, rows, [line for _, line in found[1:]], delimiter, content.startswith(codecs.BOM_UTF8))


def spreadsheet_safe(name: str) -> str:
    """Return a name as a cell that no spreadsheet runs. What it adds is an apostrophe in front, which can be taken away again."""
    return f"'{name}" if name.startswith(FORMULA) else name
