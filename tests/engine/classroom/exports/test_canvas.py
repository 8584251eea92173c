"""Canvas's gradebook, filled in."""

import csv
import io
from dataclasses import replace

import pytest

from autograder.classroom.class_marks import ClassMarks
from autograder.classroom.exports import CannotExport
from autograder.classroom.exports.canvas import fill
from autograder.classroom.grades import Grades, grade
from autograder.classroom.people import Person
from autograder.course.course import Counting

TITLES = {"part2_trainable": "Homework 2"}
ONE, TWO = "Attention with nothing to learn (4711)", "Homework 2 (4713)"


@pytest.fixture
def part1(class_marks: ClassMarks) -> Grades:
    return grade(class_marks.only(class_marks.parts[:1]), Counting())


def called(final: Grades, **students: str) -> Grades:
    """The final points of some, under other names."""
    named = {name: replace(final.students[of], name=name, person=Person(folder=name)) for name, of in students.items()}
    return replace(final, students=named)


def filled_rows(roster: bytes, final: Grades, titles: dict[str, str] = TITLES) -> dict[str, dict[str, str]]:
    content = fill(roster, final, titles, scale=True)[0]
    rows = csv.DictReader(io.StringIO(content.decode("utf-8-sig"), newline=""))
    return {row["Student"]: row for row in rows}


def test_students_are_found_by_login_by_user_id_and_by_name(roster: bytes, part1: Grades) -> None:
    rows = filled_rows(roster, called(part1, **dict.fromkeys(("ADA@uni.edu", "b-4", "=1+1"), "ada")))

    assert [rows[name][ONE] for name in ("Lovelace, Ada", "Test, Bob", "=1+1")] == ["2.75"] * 3


def test_what_could_not_be_read_keeps_what_somebody_has_entered(roster: bytes, part1: Grades) -> None:
    entered = roster.replace(
        b"=1+1,103,c-3,carol,canvas.test,Section 1,,,", b"=1+1,103,c-3,carol,canvas.test,Section 1,,4,"
    )

    assert filled_rows(entered, part1)["=1+1"][ONE] == "4"


def test_a_part_without_a_column_is_refused_with_the_titles_that_are_there(roster: bytes, final: Grades) -> None:
    with pytest.raises(CannotExport) as refused:
        fill(roster, final, {}, scale=False)

    assert "no column `Queries, keys and values` nor `part2_trainable` for part2_trainable" in str(refused.value)
    assert "Assignments: `Attention with nothing to learn (4711)`, `Essay (4712)`, `Homework 2 (4713)`." in str(
        refused.value
    )


def test_other_points_possible_are_refused_with_both_numbers(roster: bytes, final: Grades) -> None:
    with pytest.raises(
        CannotExport, match=r"`Homework 2 \(4713\)` has 10 points there and part2_trainable 5 here: .*--scale"
    ):
        fill(roster, final, TITLES, scale=False)


def test_a_name_of_two_rows_is_in_neither(roster: bytes, part1: Grades) -> None:
    twins = (
        roster.replace(b"=1+1", b"Twin, A")
        .replace(b'"Test, Bob"', b'"Twin, A"')
        .replace(b"Twin, A,103", b'"Twin, A",103')
    )

    assert fill(twins, called(part1, **{"Twin, A": "ada"}), {}, scale=False)[1] == ["Twin, A"]


@pytest.mark.parametrize(
    ("content", "told"),
    [
        (b"name,points\nada,3\n", "no column ID and no column Section"),
        (b"Student,ID,SIS Login ID,Section,A (1)\nada,1,ada,1,3\n", "no row Points Possible"),
        (b"Student,ID\xff", "not UTF-8"),
    ],
)
def test_what_is_no_exported_gradebook_is_refused(content: bytes, told: str, part1: Grades) -> None:
    with pytest.raises(CannotExport, match=told):
        fill(content, part1, {}, scale=False)


def test_a_name_that_somebody_chose_takes_nobody_s_points(roster: bytes, part1: Grades) -> None:
    taken = roster.replace(b"=1+1,103", b"ada,103").replace(b",ada,", b",ada@uni.edu,")
    rows = filled_rows(taken, called(part1, ada="ada"))
    assert (rows["Lovelace, Ada"][ONE], rows["ada"][ONE]) == ("2.75", "")
