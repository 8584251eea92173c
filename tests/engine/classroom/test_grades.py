"""Grades: the points of a class, from its marks, its course and what a person has decided."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from graded import PART, marks_of
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from autograder.classroom.adjustments import Adjustment, work_of
from autograder.classroom.changes import compare
from autograder.classroom.class_marks import ClassMarks, counted_parts
from autograder.classroom.grades import Grades, PartGrade, State, cents, grade
from autograder.classroom.lateness import read_time
from autograder.classroom.people import People, Person
from autograder.course.course import Counting, Late, Weight
from autograder.exam.model import Exam
from autograder.exam.syllabus import Syllabus
from autograder.grading.results import Marks
from autograder.submission.model import Look, Urgency

DUE = datetime(2026, 10, 1, 12, tzinfo=UTC)
LATE = Counting(due={PART: DUE}, late=Late(percent_per_day=10, at_most_days=5, grace_minutes=15))
STEPS = ("dot_product", "softmax")


@pytest.fixture(scope="session")
def syllabus(practice: Exam) -> Syllabus:
    return practice.syllabus


def class_of(syllabus: Syllabus, *marks: Marks, people: Sequence[Person] = ()) -> ClassMarks:
    """A class of part 1."""
    return ClassMarks(syllabus.parts[:1], {one.submission: one for one in marks}, People(tuple(people)))


def part_of(marks: ClassMarks, counting: Counting, *adjustments: Adjustment) -> PartGrade:
    return grade(marks, counting, adjustments).students["ada"].parts[0]


def ada(points: float | None = None, **rest: object) -> Adjustment:
    return Adjustment(2, "ada", points=points, **{"part": PART, **rest})  # type: ignore[arg-type]


def acts(grades: Grades) -> list[str]:
    return [says for of_one in grades.looks(Urgency.MUST_ACT).values() for says in of_one]


def handed_in(**later: float) -> str:
    return (DUE + timedelta(**later)).isoformat()


# What holds for every class

weights = st.builds(Weight, factor=st.sampled_from((0.0, 0.5, 1.0, 2.0)), bonus=st.booleans())
late = st.builds(
    Late,
    percent_per_day=st.sampled_from((0.0, 10.0, 33.3)),
    at_most_days=st.sampled_from((0.0, 3.0, 14.0)),
    grace_minutes=st.sampled_from((0.0, 15.0)),
    at_most_percent=st.sampled_from((30.0, 100.0)),
)
countings = st.builds(
    Counting,
    st.dictionaries(st.sampled_from([f"{PART}.{step}" for step in STEPS]), weights),
    st.just({PART: DUE}),
    late,
)
hours = st.integers(-48, 24 * 20)
decisions = st.lists(
    st.builds(
        Adjustment,
        line=st.integers(2, 9),
        student=st.just("ada"),
        part=st.sampled_from(("", PART)),
        extension=st.none() | st.builds(timedelta, days=st.integers(0, 9)),
        late=st.none() | st.integers(0, 9).map(float),
    ),
    max_size=3,
)
anything = settings(max_examples=100, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])


@anything
@given(wrong=st.sets(st.sampled_from(STEPS)), counting=countings, hour=hours, decided=decisions)
def test_points_are_never_more_than_the_maximum_and_its_bonus(
    syllabus: Syllabus, wrong: set[str], counting: Counting, hour: int, decided: list[Adjustment]
) -> None:
    marks = class_of(syllabus, marks_of(syllabus, "ada", wrong, submitted_at=handed_in(hours=hour)))

    found = part_of(marks, counting, *decided)

    bonus = sum(step.points for step in found.steps if not step.max_points)
    assert found.points is not None
    assert 0 <= found.points <= cents(found.max_points + bonus)


@anything
@given(counting=countings, early=hours, later=st.integers(0, 200))
def test_who_hands_in_later_never_has_more_points(
    syllabus: Syllabus, counting: Counting, early: int, later: int
) -> None:
    first, second = (
        part_of(class_of(syllabus, marks_of(syllabus, "ada", submitted_at=handed_in(hours=hour))), counting).points
        for hour in (early, early + later)
    )
    assert first is not None
    assert second is not None
    assert second <= first


@anything
@given(
    points=st.integers(0, 25).map(float),
    counting=countings,
    hour=hours,
    decided=decisions,
    error=st.none() | st.just("no"),
)
def test_points_of_a_part_by_hand_win_over_everything(
    syllabus: Syllabus, points: float, counting: Counting, hour: int, decided: list[Adjustment], error: str | None
) -> None:
    marks = class_of(syllabus, marks_of(syllabus, "ada", error=error, submitted_at=handed_in(hours=hour)))

    assert part_of(marks, counting, *decided, ada(points)).points == points


@anything
@given(counting=countings, hour=hours, decided=decisions)
def test_what_cannot_be_read_is_no_zero(
    syllabus: Syllabus, counting: Counting, hour: int, decided: list[Adjustment]
) -> None:
    undecided = [one for one in decided if not one.leaves_as_it_is]
    marks = class_of(syllabus, marks_of(syllabus, "ada", error="not a zip", submitted_at=handed_in(hours=hour)))

    grades = grade(marks, counting, undecided)

    assert (grades.students["ada"].points, acts(grades)) == (None, [f"{PART} could not be read: not a zip"])


# What single rules say


@pytest.mark.parametrize(
    ("weight", "times", "most"),
    [(Weight(factor=2), 1, 2), (Weight(factor=0), 0, 0), (Weight(bonus=True), 0.5, 0)],
)
def test_a_step_counts_with_its_factor_or_not_at_all_or_as_a_bonus(
    syllabus: Syllabus, weight: Weight, times: float, most: float
) -> None:
    """Half of softmax is right."""
    softmax = syllabus.part(PART).step("softmax").points

    part = part_of(class_of(syllabus, marks_of(syllabus, "ada")), Counting({f"{PART}.softmax": weight}))

    assert (part.points, part.max_points) == (25 - softmax + times * softmax, 25 - softmax + most * softmax)


def test_points_by_hand_replace_those_of_a_step(syllabus: Syllabus) -> None:
    half = syllabus.part(PART).step("softmax").points / 2

    part = part_of(class_of(syllabus, marks_of(syllabus, "ada")), Counting(), ada(1.5, step="softmax", reason="why"))

    assert part.points == 25 - 2 * half + 1.5
    assert part.done == (f"softmax: 1.5 points by hand in place of {half:g}: why",)


def test_an_excused_part_has_neither_points_nor_a_maximum(syllabus: Syllabus) -> None:
    part = part_of(class_of(syllabus, marks_of(syllabus, "ada")), Counting(), ada(excused=True, reason="ill"))

    assert (part.state, part.points, part.max_points, part.done) == (State.EXCUSED, None, 0, ("excused: ill",))


@pytest.mark.parametrize(
    ("later", "share"),
    [
        (timedelta(minutes=15), 1),
        (timedelta(minutes=16), 0.9),
        (timedelta(days=1, minutes=15), 0.9),
        (timedelta(days=1, minutes=15, seconds=1), 0.8),
        (timedelta(days=5, minutes=15, seconds=1), 0),
    ],
)
def test_late_work_loses_a_share_for_each_day_that_has_begun(
    syllabus: Syllabus, later: timedelta, share: float
) -> None:
    marks = class_of(syllabus, marks_of(syllabus, "ada", (), submitted_at=(DUE + later).isoformat()))

    assert part_of(marks, LATE).points == 25 * share


@pytest.mark.parametrize(("whole", "days", "kept"), [(21.95, 1, 19.76), (21.95, 5, 10.98)])
def test_half_a_cent_counts_for_the_student(syllabus: Syllabus, whole: float, days: int, kept: float) -> None:
    missing = syllabus.part(PART).step("softmax").points / 2
    marks = class_of(syllabus, marks_of(syllabus, "ada", submitted_at=handed_in(days=days)))

    assert part_of(marks, LATE, ada(whole - (25 - 2 * missing), step="softmax")).points == kept


def test_an_extension_of_one_part_goes_before_that_of_all(syllabus: Syllabus) -> None:
    longer = (ada(part="", extension=timedelta(days=9)), ada(extension=timedelta(days=1)))
    marks = class_of(syllabus, marks_of(syllabus, "ada", (), submitted_at=handed_in(days=2)))

    assert part_of(marks, LATE, *longer).points == 22.5


@pytest.mark.parametrize(("days", "points"), [(0, 25), (1, 22.5), (6, 0)])
def test_how_late_it_is_can_be_decided_by_hand(syllabus: Syllabus, days: float, points: float) -> None:
    marks = class_of(syllabus, marks_of(syllabus, "ada", (), submitted_at=handed_in(days=2)))

    assert part_of(marks, LATE, ada(late=days)).points == points


def test_an_entry_in_which_no_part_was_found_is_no_zero_either(syllabus: Syllabus) -> None:
    unknown = Look(Urgency.MUST_ACT, "No part was found: there is `essay.pdf`.")
    nothing = class_of(syllabus, replace(marks_of(syllabus, "ada", parts=()), looks=(unknown,)))

    assert part_of(nothing, Counting()).points is None
    assert acts(grade(nothing, Counting())) == [f"{PART} could not be read: No part was found: there is `essay.pdf`."]


def test_what_was_not_handed_in_is_0(syllabus: Syllabus) -> None:
    part = part_of(class_of(syllabus, marks_of(syllabus, "ada", parts=())), Counting())

    assert (part.state, part.points, part.max_points) == (State.NOT_HANDED_IN, 0, 25)


def test_work_without_a_time_is_flagged_until_somebody_says_how_late_it_is(syllabus: Syllabus) -> None:
    marks = class_of(syllabus, marks_of(syllabus, "ada", submitted_at="Thursday"))

    assert f"the time of {PART} is unknown (“Thursday”)" in acts(grade(marks, LATE))[0]
    assert acts(grade(marks, LATE, [ada(late=1)])) == []


def test_a_person_clears_flags_by_looking(syllabus: Syllabus) -> None:
    which, gc = Look(Urgency.MUST_ACT, "a.py or b.py?", PART), Look(Urgency.CHECK, "gc", PART)
    marks = class_of(syllabus, replace(marks_of(syllabus, "ada"), looks=(which, gc)))

    assert grade(marks, Counting()).students["ada"].looks == (which, gc)
    assert grade(marks, Counting(), [ada(reason="a.py")]).students["ada"].looks == ()


def test_a_decision_on_nobody_is_flagged_with_who_may_be_meant(syllabus: Syllabus) -> None:
    grades = grade(class_of(syllabus, marks_of(syllabus, "ada")), Counting(), [Adjustment(3, "adda", excused=True)])

    said = "line 3 of the adjustments names nobody of the class, or several; did you mean `ada`?"
    assert grades.looks(Urgency.MUST_ACT) == {"adda": (said,)}


@pytest.mark.parametrize(("step", "most"), [("softmax", 16), ("", 33)])
def test_more_points_than_there_are_are_flagged(syllabus: Syllabus, step: str, most: float) -> None:
    counting = Counting({f"{PART}.softmax": Weight(factor=2), f"{PART}.dot_product": Weight(bonus=True)})
    marks = class_of(syllabus, marks_of(syllabus, "ada"))

    as_many, more = (acts(grade(marks, counting, [ada(points, step=step)])) for points in (most, most + 0.5))

    assert as_many == []
    assert f"gives {most + 0.5:g} points for {step or PART}, which is worth at most {most:g}: lower it" in more[0]


def test_more_points_than_there_are_are_only_told_with_a_reason(syllabus: Syllabus) -> None:
    grades = grade(class_of(syllabus, marks_of(syllabus, "ada")), Counting(), [ada(27.0, reason="a better proof")])

    assert (acts(grades), grades.students["ada"].points) == ([], 27)
    said = f"line 2 of the adjustments gives 27 points for {PART}, which is worth at most 25: a better proof"
    assert grades.looks(Urgency.TOLD) == {"ada": (said,)}


def test_a_new_attempt_after_a_decision_is_flagged(syllabus: Syllabus) -> None:
    first, second = (
        replace(one, parts=(replace(one.parts[0], digest=digest),))
        for one, digest in ((marks_of(syllabus, "ada"), "sha256:1"), (marks_of(syllabus, "ada"), "sha256:2"))
    )
    judged = ada(7.0, judged={PART: work_of(first, PART)})

    assert acts(grade(class_of(syllabus, first), Counting(), [judged])) == []
    assert acts(grade(class_of(syllabus, second), Counting(), [judged]))[0].startswith(f"a new attempt of {PART}")


@pytest.mark.parametrize(
    "text", ["9999-12-31T23:59:59+00:00", "0001-01-01T00:00:00+14:00", "9999-01-01", "never", "2026-13-01"]
)
def test_a_text_that_is_no_time_in_every_zone_is_none(text: str) -> None:
    assert read_time(text) is None


# Which parts count


@pytest.mark.parametrize(
    ("named", "due", "counted", "why"),
    [
        ((), {}, [0], "more than half"),
        ((), {1: -1, 2: 1}, [1], "their due date has passed"),
        ((1,), {0: -1}, [1], "named with --part"),
    ],
)
def test_one_student_alone_decides_nothing(
    syllabus: Syllabus, named: tuple[int, ...], due: dict[int, int], counted: list[int], why: str
) -> None:
    names = [part.name for part in syllabus.parts]
    more = [marks_of(syllabus, student, parts=names[:count]) for student, count in (("ada", 1), ("bob", 1), ("eve", 2))]
    unread = [marks_of(syllabus, student, parts=names, error="no zip") for student in ("dan", "fay")]
    dates = {names[part]: DUE + timedelta(days=days) for part, days in due.items()}

    found, reason = counted_parts(
        ClassMarks(syllabus.parts, {one.submission: one for one in (*more, *unread)}),
        syllabus,
        [names[part] for part in named],
        dates,
        DUE,
    )
    assert [part.name for part in found] == [names[part] for part in counted]
    assert why in reason


# Two markings


def test_a_step_whose_marks_changed_is_listed_with_the_reason(syllabus: Syllabus) -> None:
    before, after = marks_of(syllabus, "ada"), replace(marks_of(syllabus, "ada", ()), exam="sha256:other")

    (move,) = compare(class_of(syllabus, before), class_of(syllabus, after))

    assert (move.step, move.verdict_before, move.verdict) == (f"{PART}.softmax", "wrong values", "passed")
    assert (move.score_before, move.score, move.why) == (4, 8, "marked with another exam")
