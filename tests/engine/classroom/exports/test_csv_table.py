"""The table for spreadsheets."""

import csv
import io
from collections.abc import Callable

from autograder.classroom.class_marks import ClassMarks
from autograder.classroom.exports.csv_table import to_csv


def rows_of(table: str) -> dict[str, dict[str, str]]:
    """By student as the marks name them: an apostrophe in front makes a text of what would be a formula."""
    rows = csv.DictReader(io.StringIO(table, newline=""))
    return {row["student"].removeprefix("'"): row for row in rows}


def test_the_table_is_the_golden_one(class_marks: ClassMarks, golden: Callable[[str], bytes]) -> None:
    assert to_csv(class_marks).encode() == golden("table.csv")


def test_names_with_commas_quotes_newlines_and_markup_survive(class_marks: ClassMarks) -> None:
    assert list(rows_of(to_csv(class_marks))) == list(class_marks.students)


def test_a_name_that_is_a_formula_is_written_as_text(class_marks: ClassMarks) -> None:
    assert "\r\n'=1+1,5," in to_csv(class_marks)


def test_points_stand_by_part_and_by_step(class_marks: ClassMarks) -> None:
    ada = rows_of(to_csv(class_marks))["ada"]

    assert (ada["score"], ada["max_score"]) == ("5.08", "10")
    assert (ada["part1_simplified"], ada["part2_trainable"]) == ("2.75", "2.33")
    assert ada["part1_simplified.softmax"] == "0.75"


def test_a_part_that_was_not_handed_in_is_empty_and_counts_in_the_maximum(class_marks: ClassMarks) -> None:
    eve = rows_of(to_csv(class_marks))["../eve\nsecond line"]

    assert (eve["part2_trainable"], eve["part2_trainable.scale_scores"]) == ("", "")
    assert (eve["score"], eve["max_score"]) == ("5", "10")
