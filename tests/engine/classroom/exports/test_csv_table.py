"""The table for spreadsheets."""

import csv
import io

from autograder.classroom.exports.csv_table import to_csv
from autograder.classroom.grades import Grades


def rows_of(table: str) -> dict[str, dict[str, str]]:
    """By student as the marks name them: an apostrophe in front makes a text of what would be a formula."""
    rows = csv.DictReader(io.StringIO(table, newline=""))
    return {row["student"].removeprefix("'"): row for row in rows}


def test_a_name_that_is_a_formula_is_written_as_text(final: Grades) -> None:
    assert "\r\n'=1+1,,10," in to_csv(final)


def test_what_could_not_be_read_is_an_empty_cell_and_so_is_the_score(final: Grades) -> None:
    formula = rows_of(to_csv(final))["=1+1"]

    assert (formula["part1_simplified"], formula["part1_simplified.softmax"], formula["score"]) == ("", "", "")
    assert formula["part2_trainable"] == "5"


def test_a_part_that_was_not_handed_in_is_0_and_counts_in_the_maximum(final: Grades) -> None:
    eve = rows_of(to_csv(final))["../eve\nsecond line"]

    assert (eve["part2_trainable"], eve["part2_trainable.scale_scores"]) == ("0", "0")
    assert (eve["score"], eve["max_score"]) == ("5", "10")
