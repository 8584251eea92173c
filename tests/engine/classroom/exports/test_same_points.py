"""Every format tells the same final points of the same messy class."""

import csv
import io
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from classroom50 import ENVIRONMENT
from graded import marks_of

from autograder.classroom.adjustments import Adjustment
from autograder.classroom.class_marks import ClassMarks
from autograder.classroom.exports import canvas, classroom50, csv_table, gradescope, moodle
from autograder.classroom.grades import Grades, grade
from autograder.classroom.people import People, Person
from autograder.classroom.tables import spreadsheet_safe
from autograder.course.course import Counting, Late, Weight
from autograder.exam.syllabus import Syllabus

PART = "part1_simplified"
DUE = datetime(2026, 10, 1, tzinfo=UTC)
COUNTING = Counting({f"{PART}.softmax": Weight(factor=2)}, {PART: DUE}, Late(percent_per_day=10))

POINTS = {
    "right": 8.0,
    "half": 5.0,
    "late": 6.4,
    "extended": 8.0,
    "by_hand": 4.25,
    "whole": 7.5,
    "excused": "EX",
    "unreadable": None,
    "decided": 3.0,
    "absent": 0.0,
}
"""dot_product is worth 2 points and softmax, which counts twice, 3."""


@pytest.fixture
def messy(syllabus: Syllabus) -> Grades:
    two_days = (DUE + timedelta(days=2)).isoformat()
    marks = [
        marks_of(syllabus, "right", wrong=()),
        marks_of(syllabus, "half"),
        marks_of(syllabus, "LATE", wrong=(), submitted_at=two_days),
        marks_of(syllabus, "extended@uni.example", wrong=(), submitted_at=two_days),
        marks_of(syllabus, "by_hand"),
        marks_of(syllabus, "whole", submitted_at=two_days),
        marks_of(syllabus, "excused", wrong=()),
        marks_of(syllabus, "unreadable", error="not a zip"),
        marks_of(syllabus, "decided", error="not a zip"),
    ]
    people = People(tuple(Person(name=f"Name of {login}", login=login) for login in POINTS))
    found = ClassMarks((syllabus.part(PART),), {one.submission: one for one in marks}).of_all(people)
    adjustments = [
        Adjustment(2, "Extended", extension=timedelta(days=2)),
        Adjustment(3, "by_hand", PART, "softmax", points=2.25),
        Adjustment(4, "WHOLE@uni.example", PART, points=7.5),
        Adjustment(5, "excused", excused=True),
        Adjustment(6, "decided", PART, points=3),
    ]
    return grade(found, COUNTING, adjustments)


def login(final: Grades, name: str) -> str:
    return final.students[name].person.login


def rows(content: bytes) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(content.decode(), newline="")))


def cell(text: str) -> float | str | None:
    return float(text) if text.replace(".", "").isdecimal() else text or None


def in_csv(final: Grades) -> dict[str, float | str | None]:
    return {row["login"]: cell(row[PART]) for row in rows(csv_table.to_csv(final))}


def in_canvas(final: Grades) -> dict[str, float | str | None]:
    listed = "".join(f"N,{number},{login},S,\n" for number, login in enumerate(POINTS))
    book = f"Student,ID,SIS Login ID,Section,{PART} (1)\n    Points Possible,,,,8\n{listed}"
    filled = rows(canvas.fill(book.encode(), final, {}, scale=False)[0])
    return {row["SIS Login ID"]: cell(row[f"{PART} (1)"]) for row in filled[1:]}


def in_moodle(final: Grades) -> dict[str, float | str | None]:
    """It has no word for excused: the cell is empty, and the feedback says so."""
    listed = "".join(f"Participant {number},Name of {login},,8.00,,\n" for number, login in enumerate(POINTS))
    sheet = f"Identifier,Full name,Grade,Maximum Grade,Last modified (grade),Feedback comments\n{listed}"
    filled = rows(moodle.fill(sheet.encode(), final, scale=False)[0])
    return {
        row["Full name"].removeprefix("Name of "): "EX" if "excused" in row["Feedback comments"] else cell(row["Grade"])
        for row in filled
    }


def in_gradescope(final: Grades) -> dict[str, float | str | None]:
    return {login(final, name): gradescope.results(one)["score"] for name, one in final.students.items()}


def in_classroom50(final: Grades) -> dict[str, float | str | None]:
    alone = (replace(final, students={name: one}) for name, one in final.students.items())
    found = {login(final, *one.students): classroom50.result(one, ENVIRONMENT)["score"] for one in alone}
    return {name: score / classroom50.UNITS for name, score in found.items()}


@pytest.mark.parametrize("told", [in_csv, in_canvas, in_moodle])
def test_a_table_tells_the_final_points_and_leaves_open_what_nobody_has_decided(
    messy: Grades, told: Callable[[Grades], dict[str, object]]
) -> None:
    assert told(messy) == POINTS


@pytest.mark.parametrize("told", [in_gradescope, in_classroom50])
def test_a_platform_that_needs_a_number_gets_the_final_points_and_0_for_what_nobody_has_decided(
    messy: Grades, told: Callable[[Grades], dict[str, object]]
) -> None:
    assert told(messy) == {name: points if isinstance(points, float) else 0 for name, points in POINTS.items()}


def test_what_a_spreadsheet_would_run_is_text() -> None:
    assert [spreadsheet_safe(cell) for cell in ("=1+1", "x;=1+1", "1=1")] == ["'=1+1", "x;'=1+1", "1=1"]


def test_what_nobody_has_decided_is_told_with_a_0(messy: Grades) -> None:
    (unread,) = (one for name, one in messy.students.items() if login(messy, name) == "unreadable")

    assert "not a zip" in gradescope.results(unread)["output"]
    assert "not a zip" in classroom50.result(replace(messy, students={"u": unread}), ENVIRONMENT)["tests"][0]["output"]
