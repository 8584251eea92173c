"""Names of students in tables that a spreadsheet opens."""

FORMULA = tuple("=+-@\t\r\n'＝＋－＠")
"""A spreadsheet may run a cell that begins so, as a formula; an apostrophe before it makes it text."""


def spreadsheet_safe(name: str) -> str:
    """Return a name as a cell that no spreadsheet runs. What it adds is an apostrophe in front, which can be taken away again."""
    return f"'{name}" if name.startswith(FORMULA) else name
