"""Which parts of a course count for a class: one submission alone never decides."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from autograder.classroom.class_marks import ClassMarks
from autograder.classroom.counted_parts import CountedParts, counted_parts
from autograder.course.verdicts import Verdict
from autograder.exam.model import Exam
from autograder.exam.syllabus import Syllabus
from autograder.grading.results import Marks, PartMarks, StepMarks

ONE, TWO, THREE = "part1_simplified", "part2_trainable", "part3_causal"
NOW = datetime(2026, 10, 1, 12, tzinfo=UTC)


@pytest.fixture
def syllabus(practice: Exam) -> Syllabus:
    return practice.syllabus


def part(name: str, verdict: Verdict = Verdict.PASSED, error: str | None = None) -> PartMarks:
    return PartMarks(name, error, (StepMarks("some_step", verdict, 0.0, 5.0),))


def counted(syllabus: Syllabus, *students: tuple[PartMarks, ...], **options: Any) -> CountedParts:
    marks = {f"s{place}": Marks(f"s{place}", "", "", "", 0.0, "", parts) for place, parts in enumerate(students)}
    there = {one.part for parts in students for one in parts}
    of_class = ClassMarks(tuple(one for one in syllabus.parts if one.name in there), marks)
    return counted_parts(of_class, syllabus, options.get("named", ()), options.get("due", {}), NOW)


def names(found: CountedParts) -> list[str]:
    return [part.name for part in found.parts]


def test_one_student_with_more_parts_changes_nobodys_maximum(syllabus: Syllabus) -> None:
    found = counted(syllabus, (part(ONE),), (part(ONE),), (part(ONE), part(TWO)))

    assert (names(found), found.others) == ([ONE], {TWO: 1})
    assert "more than half" in found.why


def test_untouched_stubs_of_whole_releases_do_not_count(syllabus: Syllabus) -> None:
    whole = (part(ONE), part(TWO, Verdict.NOT_ATTEMPTED))

    assert names(counted(syllabus, whole, whole)) == [ONE]


def test_what_cannot_be_read_at_all_is_nobodys_hand_in(syllabus: Syllabus) -> None:
    broken = tuple(part(name, Verdict.MISSING, "no zip") for name in (ONE, TWO, THREE))

    assert names(counted(syllabus, (part(ONE),), broken, broken)) == [ONE]


def test_where_the_course_has_due_dates_the_parts_whose_date_has_passed_count(syllabus: Syllabus) -> None:
    due = {ONE: NOW - timedelta(days=7), TWO: NOW, THREE: NOW + timedelta(days=7)}

    found = counted(syllabus, (part(ONE), part(THREE)), (part(THREE),), due=due)

    assert (names(found), found.why) == ([ONE, TWO], "their due date has passed")


def test_parts_that_are_named_count_whoever_handed_them_in(syllabus: Syllabus) -> None:
    found = counted(syllabus, (part(ONE),), named=[TWO], due={ONE: NOW})

    assert str(found) == (
        f"parts that count: {TWO} (named with --part); nobody has written anything in {TWO}, so everybody has 0 of its points; "
        f"not {ONE}, handed in by 1"
    )
