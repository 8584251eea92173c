"""A folder of results, read as the marks of a class."""

import json
from pathlib import Path

import pytest

from autograder.classroom.class_marks import NoMarks, read_class
from autograder.classroom.people import BadRoster, People, Person
from autograder.course.verdicts import Verdict
from autograder.exam.model import Exam
from autograder.exam.syllabus import Syllabus
from autograder.grading.results import Marks, PartMarks, StepMarks, marks_to_json
from autograder.submission.model import Look, Urgency


@pytest.fixture
def syllabus(practice: Exam) -> Syllabus:
    return practice.syllabus


def part(name: str, score: float, error: str | None = None) -> PartMarks:
    return PartMarks(name, error, (StepMarks("dot_product", Verdict.WRONG_VALUES, score, 25.0),))


def write(
    folder: Path, student: str, at: str, *parts: PartMarks, notes: tuple[str, ...] = (), looks: tuple[Look, ...] = ()
) -> None:
    (folder / "marks").mkdir(exist_ok=True)
    path = folder / "marks" / f"{student}.{len(list((folder / 'marks').iterdir()))}.json"
    path.write_text(json.dumps(marks_to_json(Marks(student, "", "", at, 0.0, "none", parts, notes, looks))))


def test_parts_that_were_marked_in_runs_of_their_own_are_joined(tmp_path: Path, syllabus: Syllabus) -> None:
    write(tmp_path, "ada", "2026-01-01T00:00:00Z", part("part1_simplified", 3.0), notes=("one",))
    write(tmp_path, "ada", "2026-01-02T00:00:00Z", part("part2_trainable", 2.5), notes=("one", "two"))

    ada = read_class(tmp_path, syllabus).students["ada"]

    assert (ada.score, ada.max_score, ada.notes) == (5.5, 50.0, ("one", "two"))


def test_of_a_part_that_was_marked_twice_the_later_marks_count(tmp_path: Path, syllabus: Syllabus) -> None:
    write(tmp_path, "ada", "2026-01-02T00:00:00Z", part("part1_simplified", 3.0))
    write(tmp_path, "ada", "2026-01-01T00:00:00Z", part("part1_simplified", 1.0))

    assert read_class(tmp_path, syllabus).students["ada"].score == 3.0


def test_what_there_is_to_look_at_is_of_the_marks_that_count(tmp_path: Path, syllabus: Syllabus) -> None:
    first, second = part("part1_simplified", 1.0), part("part2_trainable", 1.0)
    old, unread = Look(Urgency.CHECK, "gc", "part1_simplified"), Look(Urgency.CHECK, "more.zip")
    reads = Look(Urgency.CHECK, "open", "part2_trainable")
    write(tmp_path, "ada", "2026-01-01T00:00:00Z", first, second, looks=(old, reads, unread))
    write(tmp_path, "ada", "2026-01-02T00:00:00Z", first)

    found = read_class(tmp_path, syllabus)

    assert found.students["ada"].looks == (reads, unread)
    assert found.only(found.parts[:1]).students["ada"].looks == (unread,)


@pytest.mark.parametrize(
    ("content", "told"),
    [
        ("[]", "holds no marks of the schema"),
        ("{", "cannot be read"),
        ('{"schema": "attn-marks/1"}', "holds marks of the schema 'attn-marks/1'; this grader reads attn-marks/2"),
    ],
)
def test_a_file_that_holds_no_marks_is_named(tmp_path: Path, syllabus: Syllabus, content: str, told: str) -> None:
    (tmp_path / "marks").mkdir()
    (tmp_path / "marks" / "ada.json").write_text(content)

    with pytest.raises(NoMarks, match=rf"ada\.json {told}.*Mark again with `attn grade --out`"):
        read_class(tmp_path, syllabus)


def test_marks_of_another_course_are_refused(tmp_path: Path, syllabus: Syllabus) -> None:
    write(tmp_path, "ada", "2026-01-02T00:00:00Z", part("part9_beyond", 3.0))

    with pytest.raises(NoMarks, match="part9_beyond, which this course does not have"):
        read_class(tmp_path, syllabus)


PART1, PART2 = "part1_simplified", "part2_trainable"


def test_points_of_other_parts_do_not_count(tmp_path: Path, syllabus: Syllabus) -> None:
    write(tmp_path, "ada", "2026-01-01T00:00:00Z", part(PART1, 3.0), part(PART2, 2.0))
    write(tmp_path, "bob", "2026-01-01T00:00:00Z", part(PART1, 4.0))

    counted = read_class(tmp_path, syllabus).only((syllabus.part(PART2),))

    assert {name: one.score for name, one in counted.students.items()} == {"ada": 2, "bob": 0}


def test_who_is_in_the_roster_and_handed_in_nothing_has_marks_without_points(
    tmp_path: Path, syllabus: Syllabus
) -> None:
    write(tmp_path, "ADA", "2026-01-01T00:00:00Z", part(PART1, 3.0))
    people = People((Person("Ada", login="ada"), Person("Bob", login="bob")))

    marks = read_class(tmp_path, syllabus).of_all(people)

    assert {name: (one.score, len(one.parts)) for name, one in marks.students.items()} == {"ADA": (3, 1), "bob": (0, 0)}


def test_marks_of_one_person_under_two_names_are_refused(tmp_path: Path, syllabus: Syllabus) -> None:
    for name in ("ADA", "ada@uni.edu"):
        write(tmp_path, name, "2026-01-01T00:00:00Z", part(PART1, 3.0))

    with pytest.raises(BadRoster, match=r"the marks of `ADA` and `ada@uni\.edu` are both Ada's"):
        read_class(tmp_path, syllabus).of_all(People((Person("Ada", login="ada"),)))
