"""Earlier hand-ins lie among the marks that were replaced; those that can be compared with the last are found there."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from graded import PART, marks_of

from autograder.classroom.class_marks import read_class
from autograder.classroom.hand_ins import earlier_hand_ins
from autograder.classroom.results import Results, to_bytes
from autograder.exam.model import Exam
from autograder.exam.syllabus import Syllabus
from autograder.grading.results import Marks

SECOND = "part2_trainable"

Found = Callable[..., list[str]]


@pytest.fixture(scope="session")
def syllabus(practice: Exam) -> Syllabus:
    return practice.syllabus


def hand_in(syllabus: Syllabus, day: int, text: str = "", **of_marks: object) -> Marks:
    """Marks of ada's, of a hand-in of its own on each day unless its text is given."""
    marks = marks_of(syllabus, "ada", **of_marks)  # type: ignore[arg-type]
    parts = tuple(replace(part, digest=f"sha256:{text or day}") for part in marks.parts)
    return replace(marks, graded_at=f"2026-10-{day:02}T12:00:00Z", parts=parts)


@pytest.fixture
def found(tmp_path: Path, syllabus: Syllabus) -> Found:
    """Keep marks one after the other, and return the parts of the earlier hand-ins that are found, with their days."""

    def run(*made: Marks) -> list[str]:
        for number, marks in enumerate(made):
            Results(tmp_path).write(f"ada.{number}.json", to_bytes(marks))
        earlier = earlier_hand_ins(tmp_path, read_class(tmp_path, syllabus), syllabus)
        return [f"{part.part} {one.graded_at[8:10]}" for one in earlier.get("ada", ()) for part in one.parts]

    return run


def test_what_was_replaced_is_found_the_earliest_first(found: Found, syllabus: Syllabus) -> None:
    assert found(*(hand_in(syllabus, day) for day in (1, 2, 3))) == [f"{PART} 01", f"{PART} 02"]


def test_each_part_is_a_hand_in_of_its_own(found: Found, syllabus: Syllabus) -> None:
    both = hand_in(syllabus, 1, parts=(PART, SECOND))

    assert found(both, hand_in(syllabus, 2, parts=(SECOND,))) == [f"{PART} 01", f"{SECOND} 01"]


def test_marks_of_another_run_that_still_count_for_other_parts_are_among_them(
    found: Found, syllabus: Syllabus, tmp_path: Path
) -> None:
    Results(tmp_path).write(f"ada.{PART}.a.json", to_bytes(hand_in(syllabus, 1)))

    assert found(hand_in(syllabus, 2)) == [f"{PART} 01"]


def test_the_last_hand_in_that_was_marked_again_is_no_earlier_one(found: Found, syllabus: Syllabus) -> None:
    assert found(hand_in(syllabus, 1, "same"), hand_in(syllabus, 2, "same")) == []


def test_an_earlier_one_that_was_marked_again_counts_as_it_was_marked_last(found: Found, syllabus: Syllabus) -> None:
    again = (hand_in(syllabus, 1, "same"), hand_in(syllabus, 2, "same"))

    assert found(*again, hand_in(syllabus, 3)) == [f"{PART} 02"]


def test_the_same_file_at_another_time_is_another_hand_in(found: Found, syllabus: Syllabus) -> None:
    early, late = (hand_in(syllabus, day, "same", submitted_at=f"2026-10-0{day}") for day in (1, 2))

    assert found(early, late) == [f"{PART} 01"]


def test_what_was_marked_with_another_exam_cannot_be_compared(found: Found, syllabus: Syllabus) -> None:
    assert found(replace(hand_in(syllabus, 1), exam="sha256:other"), hand_in(syllabus, 2)) == []


def test_what_was_marked_for_other_points_cannot_be_compared(found: Found, syllabus: Syllabus) -> None:
    marks = hand_in(syllabus, 1)
    (part,) = marks.parts
    dearer = replace(part, steps=(replace(part.steps[0], max_score=99.0), *part.steps[1:]))

    assert found(replace(marks, parts=(dearer,)), hand_in(syllabus, 2)) == []


def test_what_could_not_be_read_is_not_among_them(found: Found, syllabus: Syllabus) -> None:
    assert found(hand_in(syllabus, 1, error="SyntaxError"), hand_in(syllabus, 2)) == []


def test_a_class_of_which_nothing_was_replaced_has_none(found: Found, syllabus: Syllabus) -> None:
    assert found(hand_in(syllabus, 1)) == []
