"""The table for spreadsheets."""

import csv
import io
from collections.abc import Callable

import pytest

from autograder.classroom.exports.csv_table import to_csv
from autograder.classroom.final import FinalPoints
from autograder.classroom.tables import read_table, spreadsheet_safe, without_apostrophe


def rows_of(table: str) -> dict[str, dict[str, str]]:
    """By student as the marks name them: an apostrophe in front makes a text of what would be a formula."""
    rows = csv.DictReader(io.StringIO(table, newline=""))
    return {row["student"].removeprefix("'"): row for row in rows}


def test_the_table_is_the_golden_one(final: FinalPoints, golden: Callable[[str], bytes]) -> None:
    assert to_csv(final).encode() == golden("table.csv")


def test_names_with_commas_quotes_newlines_and_markup_survive(final: FinalPoints) -> None:
    assert list(rows_of(to_csv(final))) == list(final.students)


def test_a_name_that_is_a_formula_is_written_as_text(final: FinalPoints) -> None:
    assert "\r\n'=1+1,,10," in to_csv(final)


@pytest.mark.parametrize(
    ("name", "cell"), [("=1+1", "'=1+1"), ("'=1", "''=1"), ("'tHart", "'tHart"), ("''", "''"), ("Ada", "Ada")]
)
def test_only_a_formula_gets_an_apostrophe_which_is_taken_away_again(name: str, cell: str) -> None:
    assert (spreadsheet_safe(name), without_apostrophe(cell)) == (cell, name)


def test_a_formula_behind_a_semicolon_is_text_too_where_that_separates() -> None:
    assert spreadsheet_safe('Eve;=1+1; "@a"\t+b') == "Eve;'=1+1; \"'@a\"\t'+b"
    assert spreadsheet_safe(spreadsheet_safe("Eve;=1")) == "Eve;'=1"


def test_points_stand_by_part_and_by_step(final: FinalPoints) -> None:
    ada = rows_of(to_csv(final))["ada"]

    assert (ada["score"], ada["max_score"]) == ("5.08", "10")
    assert (ada["part1_simplified"], ada["part2_trainable"]) == ("2.75", "2.33")
    assert ada["part1_simplified.softmax"] == "0.75"


def test_what_could_not_be_read_is_an_empty_cell_and_so_is_the_score(final: FinalPoints) -> None:
    formula = rows_of(to_csv(final))["=1+1"]

    assert (formula["part1_simplified"], formula["part1_simplified.softmax"], formula["score"]) == ("", "", "")
    assert formula["part2_trainable"] == "5"


def test_a_part_that_was_not_handed_in_is_0_and_counts_in_the_maximum(final: FinalPoints) -> None:
    eve = rows_of(to_csv(final))["../eve\nsecond line"]

    assert (eve["part2_trainable"], eve["part2_trainable.scale_scores"]) == ("0", "0")
    assert (eve["score"], eve["max_score"]) == ("5", "10")


def test_a_table_with_a_cell_of_any_length_is_read() -> None:
    table = read_table(b"student,comment\nada," + b"x" * 300_000 + b"\n")

    assert [len(cell) for cell in table.rows[0]] == [3, 300_000]
