"""Tables that are too wide for a phone: each cell knows its column."""

from lxml import html
from markdown import markdown

EXTENSIONS = ["tables", "smarty", "autograder.site.mathml", "autograder.site.stacked_tables"]
LONG = "more than a phone has room for"


def labels(*rows: str) -> list[str]:
    """Return what the cells of a table say of their columns."""
    names, *others = rows
    line = "|".join(" --- " for _ in names.split("|")[1:-1])
    page = markdown("\n".join([names, f"|{line}|", *others]), extensions=EXTENSIONS)
    return [str(label) for label in html.fromstring(page).xpath("//td/@data-column")]


def test_the_cells_of_a_wide_table_know_their_columns() -> None:
    assert labels("| a | `b` c | d | e |", f"| 1 | 2 | 3 | {LONG} |") == ["a", "b c", "d", "e"]


def test_a_formula_in_the_head_of_a_column_is_its_signs() -> None:
    names = labels(r"| a | $t \times d_k$ | $1 < x$ | it's |", f"| 1 | 2 | 3 | {LONG} |")
    assert names == ["a", "t×dk", "1<x", "it\u2019s"]


def test_those_of_a_table_of_few_columns_do_not() -> None:
    assert labels("| a | b | c |", f"| 1 | 2 | {LONG} |") == []


def test_those_of_a_table_of_short_words_do_not() -> None:
    assert labels("| a | b | c | d |", "| 1 | 2 | 3 | 4 |") == []
