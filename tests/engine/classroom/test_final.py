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
    handed_in_again,
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


@pytest.mark.parametrize("step", ["", "softmax"])
def test_what_stays_as_it_is_keeps_its_points_and_the_reason_is_told(syllabus: Syllabus, step: str) -> None:
    part = decided(syllabus, ada(step=step, reason="the first file is meant"))

    assert part.points == 25 - softmax_points(syllabus) / 2
    assert part.done == ("looked at, and left as it is: the first file is meant",)


def test_points_by_hand_for_a_part_are_final_whatever_was_late(syllabus: Syllabus) -> None:
    part = decided(syllabus, ada(20, reason="oral"), counting=LATE, submitted_at=handed_in(days=3))

    late = (25 - softmax_points(syllabus) / 2) * 0.7
    assert (part.points, part.max_points) == (20, 25)
    assert part.done[-1] == f"20 points by hand in place of {late:g}: oral"


def test_an_excused_part_has_neither_points_nor_a_maximum(syllabus: Syllabus) -> None:
    part = decided(syllabus, ada(excused=True, reason="ill"))

    assert (part.state, part.points, part.max_points, part.done) == (State.EXCUSED, None, 0, ("excused: ill",))


def test_who_is_excused_from_all_parts_is_from_each(syllabus: Syllabus) -> None:
    assert decided(syllabus, ada(part="", excused=True)).state == State.EXCUSED


@pytest.mark.parametrize("name", ["ada", "ADA", "Ada@uni.example", "1815", "Lovelace, Ada"])
def test_a_student_is_named_by_whatever_the_roster_has(syllabus: Syllabus, name: str) -> None:
    person = Person(name="Lovelace, Ada", id="1815", login="ada")
    marks = class_of(syllabus, marks_of(syllabus, "ada"), people=[person])

    final = final_points(marks, Counting(), [Adjustment(2, name, PART, points=7)])

    assert final.students["ada"].points == 7


def test_an_adjustment_for_nobody_is_told_with_who_may_be_meant(syllabus: Syllabus) -> None:
    final = final_points(
        class_of(syllabus, marks_of(syllabus, "ada")), Counting(), [Adjustment(3, "adda", excused=True)]
    )

    assert told(final) == ["adda: line 3 of the adjustments names nobody of the class; did you mean `ada`?"]


def test_an_adjustment_for_a_name_of_two_says_who_they_are(syllabus: Syllabus) -> None:
    people = [Person(name="Li, Wei", login="u148"), Person(name="Li, Wei", login="u149")]
    class_ = class_of(syllabus, *(marks_of(syllabus, one.login) for one in people), people=people)

    assert told(final_points(class_, Counting(), [Adjustment(3, "Li, Wei", excused=True)])) == [
        "Li, Wei: line 3 of the adjustments does not tell who is meant: 2 are called that: u148, u149; "
        "write which of these names is meant"
    ]


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


def test_what_late_work_loses_is_told(syllabus: Syllabus) -> None:
    part = decided(syllabus, counting=LATE, wrong=(), submitted_at=handed_in(days=2))

    assert part.done == ("2 days late, handed in 2026-10-03 12:00", "late work loses 5 of 25 points")
    assert part.beyond_steps == -5


@pytest.mark.parametrize(
    "time", ["2026-10-02 12:00:00 UTC", "2026-10-02 12:00:00.000000 UTC", "2026-10-02T14:00:00+02:00"]
)
def test_hand_in_times_are_read_as_platforms_write_them(syllabus: Syllabus, time: str) -> None:
    assert decided(syllabus, counting=LATE, wrong=(), submitted_at=time).points == 22.5


NOT_IN_TIME: dict[str, tuple[str, tuple[Adjustment, ...], str]] = {
    "in time": (handed_in(), (), ""),
    "two days": (handed_in(days=2), (), "2 days late, handed in 2026-10-03 12:00"),
    "within an extension": (handed_in(days=2), (ada(extension=timedelta(days=2)),), ""),
    "by hand": (handed_in(), (ada(late=1.0, reason="oral"),), "1 day late by hand: oral"),
    "not by hand": (handed_in(days=2), (ada(late=0.0),), ""),
    "nobody knows when": ("late, somehow", (), "late, somehow"),
}


@pytest.mark.parametrize(("time", "decisions", "late"), NOT_IN_TIME.values(), ids=NOT_IN_TIME)
def test_how_late_a_part_came_is_said_by_itself(
    syllabus: Syllabus, time: str, decisions: tuple[Adjustment, ...], late: str
) -> None:
    final = final_points(class_of(syllabus, marks_of(syllabus, "ada", submitted_at=time)), LATE, decisions)

    assert final.students["ada"].late == (f"{PART}: {late}" if late else "")


def test_within_an_extension_nothing_is_late(syllabus: Syllabus) -> None:
    part = decided(
        syllabus,
        ada(extension=timedelta(days=2), reason="a fair"),
        counting=LATE,
        wrong=(),
        submitted_at=handed_in(days=2),
    )

    assert (part.points, part.done) == (25, ("due 2026-10-03 12:00: a fair",))


def test_after_an_extension_only_what_is_later_counts(syllabus: Syllabus) -> None:
    part = decided(syllabus, ada(extension=timedelta(days=2)), counting=LATE, wrong=(), submitted_at=handed_in(days=3))

    assert part.points == 22.5


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


def test_what_may_be_any_part_makes_only_those_unreadable_that_are_missing(syllabus: Syllabus) -> None:
    unknown = Look(Urgency.MUST_ACT, "No part was found in essay.pdf, which lies in ada/hand-in.")
    marks = replace(marks_of(syllabus, "ada", parts=["part2_trainable"]), looks=(unknown,))
    class_ = ClassMarks(syllabus.parts[:2], {"ada": marks}, People())

    first, second = final_points(class_, Counting()).students["ada"].parts

    assert (first.state, first.points, second.state) == (State.UNREADABLE, None, State.HANDED_IN)


def test_a_note_on_another_part_makes_nothing_unreadable(syllabus: Syllabus) -> None:
    noted = replace(marks_of(syllabus, "ada", parts=["part2_trainable"]), notes=("part2 (1).py was marked.",))

    assert final_points(class_of(syllabus, noted), Counting()).students["ada"].points == 0


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


@pytest.mark.parametrize(
    ("decision", "settled"),
    [
        ({"points": 20.0}, True),
        ({"excused": True}, True),
        ({"part": "", "excused": True}, True),
        ({"reason": "the second file counts"}, True),
        ({"points": 2.0, "step": "softmax"}, False),
        ({"late": 0.0}, False),
        ({"student": "bob", "points": 2.0}, False),
    ],
)
def test_what_is_unclear_is_settled_by_who_says_what_the_whole_part_is_worth_or_leaves_it_as_it_is(
    syllabus: Syllabus, decision: dict[str, object], settled: bool
) -> None:
    unclear = replace(marks_of(syllabus, "ada"), looks=(WHICH,))
    adjustment = replace(ada(reason="oral"), **decision)  # type: ignore[arg-type]

    final = final_points(class_of(syllabus, unclear, marks_of(syllabus, "bob")), Counting(), [adjustment])

    assert told(final) == ([] if settled else [f"ada: {WHICH.says}"])


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


def test_a_decision_that_was_noted_with_the_time_alone_holds_for_that_time(syllabus: Syllabus) -> None:
    noted = ada(7.0, reason="oral", hand_in=handed_in())
    same, later = (_with(marks_of(syllabus, "ada"), submitted_at=handed_in(hours=hours)) for hours in (0, 1))

    assert not list(handed_in_again(class_of(syllabus, same), [noted]))
    assert list(handed_in_again(class_of(syllabus, later), [noted]))


NONE_OF_IT: dict[str, tuple[dict[str, object], str]] = {
    "not handed in": ({"parts": ()}, "not handed in"),
    "another part": ({"parts": ["part2_trainable"]}, "not handed in"),
    "not readable": ({"error": "not a zip"}, "not readable"),
}


@pytest.mark.parametrize(("before", "word"), NONE_OF_IT.values(), ids=NONE_OF_IT)
def test_work_that_comes_after_a_decision_on_none_is_named(
    syllabus: Syllabus, before: dict[str, object], word: str
) -> None:
    judged = ada(0.0, reason="nothing came")
    nothing = class_of(syllabus, marks_of(syllabus, "ada", **before))  # type: ignore[arg-type]
    noted = replace(judged, hand_in=hand_ins(nothing)(judged))

    assert final_points(nothing, Counting(), [noted]).must_act == ()
    (told_now,) = told(final_points(class_of(syllabus, marks_of(syllabus, "ada")), Counting(), [noted]))
    assert f"than line 2 of the adjustments was decided for ({word})" in told_now


def test_work_of_somebody_who_was_not_in_the_class_when_it_was_decided_is_named(syllabus: Syllabus) -> None:
    judged = ada(0.0, reason="nothing came")
    noted = replace(judged, hand_in=hand_ins(class_of(syllabus, marks_of(syllabus, "bob")))(judged))

    assert list(handed_in_again(class_of(syllabus, marks_of(syllabus, "ada")), [noted]))


def test_what_was_decided_on_a_part_that_does_not_count_now_is_not_looked_for(syllabus: Syllabus) -> None:
    noted = ada(7.0, part="part2_trainable", hand_in="sha256:1")

    assert not list(handed_in_again(class_of(syllabus, marks_of(syllabus, "ada")), [noted]))


def test_a_hand_in_whose_time_is_none_is_told_by_its_digest(syllabus: Syllabus) -> None:
    judged = ada(7.0, reason="oral")
    late = [
        _with(marks_of(syllabus, "ada"), submitted_at="late, the platform does not tell", digest=digest)
        for digest in ("sha256:1", "sha256:2")
    ]
    noted = replace(judged, hand_in=hand_ins(class_of(syllabus, late[0]))(judged))

    assert not list(handed_in_again(class_of(syllabus, late[0]), [noted]))
    assert list(handed_in_again(class_of(syllabus, late[1]), [noted]))


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


@pytest.mark.parametrize(
    ("decision", "left"),
    [
        (ada(2, step="softmax"), ["of another part"]),
        (ada(reason="a mere ls"), ["of another part"]),
        (ada(part="", excused=True), []),
        (ada(late=0.0), ["of the part", "of another part", "of no part"]),
    ],
)
def test_a_decision_on_the_work_of_a_part_leaves_what_there_is_to_look_at_of_others(
    syllabus: Syllabus, decision: Adjustment, left: list[str]
) -> None:
    looks = [
        Look(Urgency.CHECK, f"of {of}", name)
        for of, name in (("the part", PART), ("another part", "x"), ("no part", ""))
    ]
    final = final_points(class_of(syllabus, marks_of(syllabus, "ada")), Counting(), [decision])

    assert [look.says for look in final.undecided_looks("ada", looks)] == left


@pytest.mark.parametrize(("own", "told_of"), [([], 1), ([ada(reason="seen")], 0)])
def test_what_was_handed_in_for_nobody_knows_which_part_must_be_acted_on_though_all_parts_are_there(
    syllabus: Syllabus, own: list[Adjustment], told_of: int
) -> None:
    stray = replace(marks_of(syllabus, "ada"), looks=(Look(Urgency.MUST_ACT, "No part was found in hw.pdf."),))
    found = final_points(replace(class_of(syllabus, stray), parts=syllabus.parts[:1]), Counting(), own)

    assert len(found.must_act) == told_of


def test_an_excuse_is_of_no_hand_in(syllabus: Syllabus) -> None:
    excused = ada(excused=True, hand_in="sha256:0")

    assert final_points(class_of(syllabus, marks_of(syllabus, "ada")), Counting(), [excused]).must_act == ()


def _with(marks: Marks, **of_part: str) -> Marks:
    return replace(marks, parts=tuple(replace(part, **of_part) for part in marks.parts))  # type: ignore[arg-type]
