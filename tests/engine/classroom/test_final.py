"""Final points: marks, as the course counts them, with what was decided and what late work loses."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from graded import PART, marks_of

from autograder.classroom.adjustments import Adjustment
from autograder.classroom.class_marks import ClassMarks
from autograder.classroom.final import (
    FinalPart,
    FinalPoints,
    State,
    final_points,
    hand_ins,
    looked_at,
)
from autograder.classroom.people import People, Person
from autograder.course.counting import Counting, Late, Weight
from autograder.exam.model import Exam
from autograder.exam.syllabus import Syllabus
from autograder.grading.results import Marks
from autograder.submission.model import Look, Urgency

DUE = datetime(2026, 10, 1, 12, tzinfo=UTC)
AS_IT_IS = Counting()
LATE = Counting(due={PART: DUE}, late=Late(percent_per_day=10, at_most_days=5, grace_minutes=15))


@pytest.fixture(scope="session")
def syllabus(practice: Exam) -> Syllabus:
    return practice.syllabus


def class_of(syllabus: Syllabus, *marks: Marks, people: Sequence[Person] = ()) -> ClassMarks:
    """A class of part 1."""
    return ClassMarks(syllabus.parts[:1], {one.submission: one for one in marks}, People(tuple(people)))


def decided(
    syllabus: Syllabus, *adjustments: Adjustment, counting: Counting = AS_IT_IS, **of_marks: object
) -> FinalPart:
    """What becomes of ada's part 1, half of whose softmax is right."""
    ada = marks_of(syllabus, "ada", **of_marks)  # type: ignore[arg-type]
    return final_points(class_of(syllabus, ada), counting, adjustments).students["ada"].parts[0]


def ada(points: float | None = None, **rest: object) -> Adjustment:
    return Adjustment(2, "ada", points=points, **{"part": PART, **rest})  # type: ignore[arg-type]


def told(final: FinalPoints) -> list[str]:
    return [f"{act.student}: {act.says}" for act in final.must_act]


def softmax_points(syllabus: Syllabus) -> float:
    return syllabus.part(PART).step("softmax").points


def handed_in(**later: float) -> str:
    return (DUE + timedelta(**later)).isoformat()


# How steps count


def test_without_decisions_the_points_are_the_graders(syllabus: Syllabus) -> None:
    part = decided(syllabus)

    assert part.points == 25 - softmax_points(syllabus) / 2
    assert (part.max_points, part.done, part.beyond_steps) == (25, (), 0)


@pytest.mark.parametrize(
    ("weight", "times", "most"),
    [(Weight(factor=2), 1, 2), (Weight(factor=0), 0, 0), (Weight(bonus=True), 0.5, 0)],
)
def test_a_step_counts_with_its_factor_or_not_at_all_or_as_a_bonus(
    syllabus: Syllabus, weight: Weight, times: float, most: float
) -> None:
    """Half of softmax is right."""
    softmax = softmax_points(syllabus)

    part = decided(syllabus, counting=Counting({f"{PART}.softmax": weight}))

    assert (part.points, part.max_points) == (25 - softmax + times * softmax, 25 - softmax + most * softmax)


# What a person decides


def test_points_by_hand_replace_those_of_a_step(syllabus: Syllabus) -> None:
    half = softmax_points(syllabus) / 2

    part = decided(syllabus, ada(1.5, step="softmax", reason="the idea is right"))

    assert part.points == 25 - 2 * half + 1.5
    assert part.done == (f"softmax: 1.5 points by hand in place of {half:g}: the idea is right",)


def test_an_excused_part_has_neither_points_nor_a_maximum(syllabus: Syllabus) -> None:
    part = decided(syllabus, ada(excused=True, reason="ill"))

    assert (part.state, part.points, part.max_points, part.done) == (State.EXCUSED, None, 0, ("excused: ill",))


def test_an_adjustment_for_nobody_is_told_with_who_may_be_meant(syllabus: Syllabus) -> None:
    final = final_points(
        class_of(syllabus, marks_of(syllabus, "ada")), Counting(), [Adjustment(3, "adda", excused=True)]
    )

    assert told(final) == ["adda: line 3 of the adjustments names nobody of the class; did you mean `ada`?"]


# Late work


@pytest.mark.parametrize(
    ("later", "share"),
    [
        (timedelta(hours=-1), 1),
        (timedelta(minutes=15), 1),
        (timedelta(minutes=16), 0.9),
        (timedelta(days=1, minutes=15), 0.9),
        (timedelta(days=1, minutes=15, seconds=1), 0.8),
        (timedelta(days=5, minutes=15), 0.5),
        (timedelta(days=5, minutes=15, seconds=1), 0),
    ],
)
def test_late_work_loses_a_share_for_each_day_that_has_begun(
    syllabus: Syllabus, later: timedelta, share: float
) -> None:
    part = decided(syllabus, counting=LATE, wrong=(), submitted_at=(DUE + later).isoformat())

    assert part.points == 25 * share


@pytest.mark.parametrize(("whole", "days", "kept"), [(21.95, 1, 19.76), (21.95, 5, 10.98)])
def test_half_a_cent_counts_for_the_student(syllabus: Syllabus, whole: float, days: int, kept: float) -> None:
    missing = softmax_points(syllabus) / 2
    by_hand = ada(whole - (25 - 2 * missing), step="softmax", reason="oral")

    part = decided(syllabus, by_hand, counting=LATE, submitted_at=handed_in(days=days))

    assert part.points == kept


def test_within_an_extension_nothing_is_late(syllabus: Syllabus) -> None:
    part = decided(
        syllabus,
        ada(extension=timedelta(days=2), reason="a fair"),
        counting=LATE,
        wrong=(),
        submitted_at=handed_in(days=2),
    )

    assert (part.points, part.done) == (25, ("due 2026-10-03 12:00: a fair",))


def test_an_extension_of_one_part_goes_before_that_of_all(syllabus: Syllabus) -> None:
    longer = (ada(part="", extension=timedelta(days=9)), ada(extension=timedelta(days=1)))

    assert decided(syllabus, *longer, counting=LATE, wrong=(), submitted_at=handed_in(days=2)).points == 22.5


@pytest.mark.parametrize(("late", "points"), [(0, 25), (1, 22.5), (6, 0)])
def test_how_late_it_is_can_be_decided_by_hand(syllabus: Syllabus, late: float, points: float) -> None:
    part = decided(syllabus, ada(late=late), counting=LATE, wrong=(), submitted_at=handed_in(days=2))

    assert part.points == points


# Work that could not be read


def test_work_that_could_not_be_read_has_no_points_and_somebody_must_act(syllabus: Syllabus) -> None:
    final = final_points(class_of(syllabus, marks_of(syllabus, "ada", error="not a zip\nmore")), Counting())

    assert (final.students["ada"].points, final.students["ada"].parts[0].points) == (None, None)
    assert told(final) == [f"ada: {PART} could not be read: not a zip"]


def test_an_entry_in_which_no_part_was_found_is_no_zero_either(syllabus: Syllabus) -> None:
    unknown = Look(Urgency.MUST_ACT, "No part was found: there is `essay.pdf`.")
    nothing = replace(marks_of(syllabus, "ada", parts=()), looks=(unknown,))

    final = final_points(class_of(syllabus, nothing), Counting())

    assert final.students["ada"].points is None
    assert told(final) == [f"ada: {PART} could not be read: No part was found: there is `essay.pdf`."]


def test_a_hand_in_at_no_time_is_told_until_somebody_says_how_late_it_is(syllabus: Syllabus) -> None:
    marks = class_of(syllabus, marks_of(syllabus, "ada", submitted_at="Thursday"))

    assert f"nobody knows how late {PART} is (“Thursday”): say in the adjustments" in told(final_points(marks, LATE))[0]
    assert told(final_points(marks, LATE, [ada(late=1)])) == []


def test_points_by_hand_decide_what_could_not_be_read(syllabus: Syllabus) -> None:
    ada_marks = marks_of(syllabus, "ada", error="not a zip")

    final = final_points(class_of(syllabus, ada_marks), Counting(), [ada(12.0)])

    assert (final.students["ada"].points, final.must_act) == (12, ())


WHICH = Look(Urgency.MUST_ACT, "a.py was marked, not b.py, which holds work too.", PART)


def test_somebody_must_act_on_a_hand_in_that_is_unclear(syllabus: Syllabus) -> None:
    unclear = replace(marks_of(syllabus, "ada"), looks=(WHICH, replace(WHICH, urgency=Urgency.CHECK)))

    assert told(final_points(class_of(syllabus, unclear), Counting())) == [f"ada: {WHICH.says}"]


def test_what_was_not_handed_in_is_0(syllabus: Syllabus) -> None:
    nothing = marks_of(syllabus, "ada", parts=())

    part = final_points(class_of(syllabus, nothing), Counting()).students["ada"].parts[0]

    assert (part.state, part.points, part.max_points) == (State.NOT_HANDED_IN, 0, 25)


# Handed in again


@pytest.mark.parametrize(
    ("before", "now"),
    [
        ({"submitted_at": handed_in()}, {"submitted_at": handed_in(hours=1)}),
        ({"digest": "sha256:1"}, {"digest": "sha256:2"}),
        ({"submitted_at": handed_in(), "digest": "sha256:1"}, {"submitted_at": handed_in(), "digest": "sha256:2"}),
    ],
)
def test_who_hands_in_again_after_a_decision_is_named(
    syllabus: Syllabus, before: dict[str, str], now: dict[str, str]
) -> None:
    first, second = (_with(marks_of(syllabus, "ada"), **of) for of in (before, now))
    judged = ada(7.0, reason="oral")

    noted = replace(judged, hand_in=hand_ins(class_of(syllabus, first))(judged))

    assert final_points(class_of(syllabus, first), Counting(), [noted]).must_act == ()
    (told_now,) = told(final_points(class_of(syllabus, second), Counting(), [noted]))
    assert told_now.startswith(f"ada: another hand-in of {PART} counts now")


@pytest.mark.parametrize(("step", "most"), [("softmax", 16), ("", 33)])
def test_more_points_than_there_are_are_told(syllabus: Syllabus, step: str, most: float) -> None:
    counting = Counting({f"{PART}.softmax": Weight(factor=2), f"{PART}.dot_product": Weight(bonus=True)})
    marks = class_of(syllabus, marks_of(syllabus, "ada"))

    as_many, more = (told(final_points(marks, counting, [ada(points, step=step)])) for points in (most, most + 0.5))

    assert as_many == []
    (said,) = more
    assert f"gives {most + 0.5:g} points for {step or PART}, which counts {most:g}" in said


@pytest.mark.parametrize(("step", "given"), [("softmax", 8), ("", 25)])
def test_fewer_points_than_the_grader_gave_need_a_reason(syllabus: Syllabus, step: str, given: float) -> None:
    counting = Counting({f"{PART}.softmax": Weight(factor=2)})
    marks = class_of(syllabus, marks_of(syllabus, "ada"))

    without, with_reason, as_many = (
        told(final_points(marks, counting, [decision]))
        for decision in (ada(1, step=step), ada(1, step=step, reason="copied"), ada(given, step=step))
    )

    assert (with_reason, as_many) == ([], [])
    (said,) = without
    assert f"gives 1 point for {step or PART} in place of {given:g}, and no reason" in said


def test_who_was_looked_at_is_known_until_another_hand_in_comes(syllabus: Syllabus) -> None:
    seen = ada(reason="a mere ls", hand_in="sha256:1")
    first, second = (_with(marks_of(syllabus, "ada"), digest=digest) for digest in ("sha256:1", "sha256:2"))

    assert looked_at(class_of(syllabus, first), [seen]) == {"ada": {PART}}
    assert looked_at(class_of(syllabus, second), [seen]) == {}


def _with(marks: Marks, **of_part: str) -> Marks:
    return replace(marks, parts=tuple(replace(part, **of_part) for part in marks.parts))  # type: ignore[arg-type]
