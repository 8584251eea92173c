"""Read and write CSV tables. No spreadsheet runs a written cell as a formula."""

import codecs
import csv
import io
import re
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from autograder.render.screen import OBEYED

FORMULA = tuple("=+-@\t\r\n＝＋－＠")
"""Beginnings of cells that a spreadsheet may run as formulas. An apostrophe before prevents that."""

WITHIN = re.compile(r"""([;\t\r\n][\s"]*)(?=[=+\-@＝＋－＠])""")
"""The text before a formula within a cell, for a spreadsheet that splits cells at semicolons."""

CONTROL = re.compile(rf"(?:{OBEYED.pattern}|[\t\n])+")
"""Control characters, which spoil a line of a terminal. Names that people choose may have them."""

DELIMITERS = ",;\t"

csv.field_size_limit(20_000_000)  # a cell of comments may exceed the default limit of the library


class NotTable(Exception):
    """A file is not a table. The message says why and what to do, without the file's name."""


@dataclass(frozen=True)
class Table:
    """A CSV file. rows: nonempty rows, padded to the header. lines: number of the last line of each row."""

    header: list[str]
    rows: list[list[str]]
    lines: list[int]
    delimiter: str
    has_bom: bool

    def to_bytes(self, rows: Iterable[list[str]]) -> bytes:
        """Return rows, the header first, as a CSV file with this table's delimiter and encoding."""
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
        rows = [(reader.line_num, row) for row in reader if any(cell.strip() for cell in row)]
    except csv.Error as error:
        raise NotTable(f"it is not a CSV file ({error}).") from None
    header = rows[0][1] if rows else []
    padded = [row + [""] * (len(header) - len(row)) for _, row in rows[1:]]
    lines = [line for line, _ in rows[1:]]
    return Table(header, padded, lines, delimiter, content.startswith(codecs.BOM_UTF8))


def read_rows(path: Path, wrong: type[Exception]) -> tuple[list[str], list[tuple[int, dict[str, str]]]]:
    """Read a CSV file. Return the names of its columns, and for each row its line number and its cells.

    Names of columns are in lower case. Cells are by column. Raises an error of the type `wrong`.
    """
    try:
        table = read_table(path.read_bytes())
    except OSError as error:
        raise wrong(f"{path} cannot be read: {error.strerror}.") from None
    except NotTable as error:
        raise wrong(f"{path}: {error}") from None
    header = [_read(name).casefold() for name in table.header]
    rows = [dict(zip(header, map(_read, row), strict=False)) for row in table.rows]
    return header, list(zip(table.lines, rows, strict=True))


def to_table(header: Iterable[str], rows: Iterable[Iterable[object]]) -> bytes:
    """Return a table as a CSV file, made safe for spreadsheets."""
    text = io.StringIO(newline="")
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(header)
    writer.writerows([spreadsheet_safe(cell) if isinstance(cell, str) else cell for cell in row] for row in rows)
    return text.getvalue().encode()


def _read(cell: str) -> str:
    """Return a cell safe to display in a line, without an apostrophe that is there for a formula."""
    cell = CONTROL.sub(" ", cell).strip()
    return cell[1:] if cell.startswith("'") and _is_formula(cell) else cell


def spreadsheet_safe(name: str) -> str:
    """Return a name as a cell that no spreadsheet runs: each formula gets an apostrophe before it.

    `read_rows` removes an apostrophe at the beginning, but none within the name.
    """
    name = WITHIN.sub(r"\1'", name)
    return f"'{name}" if _is_formula(name) else name


def _is_formula(name: str) -> bool:
    return name.lstrip("'").startswith(FORMULA)
