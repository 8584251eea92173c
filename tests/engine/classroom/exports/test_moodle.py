"""Moodle's grading worksheet, filled in."""

import csv
import io
from dataclasses import replace
from pathlib import Path

import pytest

from autograder.classroom.adjustments import Adjustment
from autograder.classroom.class_marks import ClassMarks
from autograder.classroom.exports import CannotExport
from autograder.classroom.exports.moodle import fill
from autograder.classroom.grades import Grades, grade
from autograder.classroom.people import Person
from autograder.classroom.tables import read_table
from autograder.course.course import Counting

PART = "part1_simplified"
ADA, BE, CAROL = "Ada Lovelace", "Bé O'Neil", "Carol =1+1"


@pytest.fixture
def worksheet() -> bytes:
    """One as Moodle exports it, for an assignment of 5 points."""
    return (Path(__file__).parent / "worksheet.csv").read_bytes()


def of(class_marks: ClassMarks, *adjustments: Adjustment, **entries: str) -> Grades:
    """The final points of part 1, under the names of these entries."""
    students = {name: replace(class_marks.students[of], submission=name) for name, of in entries.items()}
    return grade(ClassMarks(class_marks.parts[:1], students), Counting(), adjustments)


def filled(worksheet: bytes, final: Grades, scale: bool = False) -> dict[str, dict[str, str]]:
    content = fill(worksheet, final, scale)[0]
    rows = csv.DictReader(io.StringIO(content.decode("utf-8-sig"), newline=""))
    return {row["Full name"]: row for row in rows}


def test_students_are_found_by_the_number_the_name_or_the_address(worksheet: bytes, class_marks: ClassMarks) -> None:
    entries = {"7001": "ada", BE: "ada", "CAROL": "ada"}

    rows = filled(worksheet, of(class_marks, **entries))

    assert [row["Grade"] for row in rows.values()] == ["2.75"] * 3


def test_all_else_stays_as_moodle_wrote_it(worksheet: bytes, class_marks: ClassMarks) -> None:
    before = read_table(worksheet)

    after = read_table(fill(worksheet, of(class_marks, ada="ada"), scale=False)[0])

    kept = [place for place, name in enumerate(before.header) if name not in ("Grade", "Feedback comments")]
    assert (after.header, after.has_bom) == (before.header, True)
    assert [[row[place] for place in kept] for row in after.rows] == [
        [row[place] for place in kept] for row in before.rows
    ]


def test_what_could_not_be_read_stays_an_empty_cell_and_says_why(worksheet: bytes, class_marks: ClassMarks) -> None:
    row = filled(worksheet, of(class_marks, carol="=1+1"))[CAROL]

    assert row["Grade"] == ""
    assert "could not be read" not in row["Grade"]
    assert "This part is not readable." in row["Feedback comments"]


def test_a_students_text_is_no_markup_in_the_feedback(worksheet: bytes, class_marks: ClassMarks) -> None:
    said = Adjustment(2, "ada", PART, points=3, reason="<script>")

    assert "<script>" not in filled(worksheet, of(class_marks, said, ada="ada"))[ADA]["Feedback comments"]


def test_a_comment_by_hand_stays_and_ours_is_written_anew(worksheet: bytes, class_marks: ClassMarks) -> None:
    entries = {"7001": "ada", "7002": "ada"}
    once = fill(worksheet, of(class_marks, **entries), scale=False)[0]

    again = filled(once, of(class_marks, Adjustment(2, "7001", PART, points=4), **entries))

    assert again[BE]["Feedback comments"] == "<p>Well done, and by hand</p>"
    assert again[ADA]["Feedback comments"].startswith("Points: 4 of 5")


def test_other_points_are_refused_and_converted_on_demand(worksheet: bytes, class_marks: ClassMarks) -> None:
    of_ten = worksheet.replace(b"5.00", b"10.00")

    with pytest.raises(CannotExport, match=r"has 10 points there and part1_simplified 5 here: .*--scale"):
        fill(of_ten, of(class_marks, ada="ada"), scale=False)
    assert filled(of_ten, of(class_marks, ada="ada"), scale=True)[ADA]["Grade"] == "5.5"


@pytest.mark.parametrize(
    ("content", "told"),
    [
        (b"", "no column Identifier"),
        (b"Kennung,Bewertung\nTeilnehmer 1,\n", "Set your language in Moodle to English"),
        (b"Identifier\xff", "not UTF-8"),
    ],
)
def test_what_is_no_worksheet_is_refused_with_what_to_do(content: bytes, told: str, final: Grades) -> None:
    with pytest.raises(CannotExport, match=told):
        fill(content, final, scale=False)


def known(final: Grades, person: Person) -> Grades:
    """The final points of one student, of whom this is known."""
    ((name, student),) = final.students.items()
    return replace(final, students={name: replace(student, person=person)})


SELF_NAMED = b'7004,"ada\xc2\xa0",eve@uni.example,,,5.00,Yes,-,-,\n'


@pytest.mark.parametrize("person", [Person(folder="ada"), Person("Lovelace, Ada", login="ada")])
def test_a_name_that_somebody_chose_takes_nobody_s_points(
    worksheet: bytes, class_marks: ClassMarks, person: Person
) -> None:
    rows = filled(worksheet + b"Participant " + SELF_NAMED, known(of(class_marks, ada="ada"), person))
    assert (rows[ADA]["Grade"], rows["ada\u00a0"]["Grade"]) == ("2.75", "")
