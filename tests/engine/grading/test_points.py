"""The points of a step by criterion, and in words those that it lost."""

from collections.abc import Sequence
from dataclasses import replace

import pytest

from autograder.course.model import Criterion
from autograder.course.verdicts import Verdict
from autograder.exam.syllabus import FORM, VALUES, SyllabusStep
from autograder.grading.points import (
    CaseChecks,
    earned,
    explained,
    hint_for,
    points_lost,
    points_of,
    shared_out,
    told,
)
from autograder.grading.results import Check, StepMarks

BATCH = "batch"


def step(points: float = 10) -> SyllabusStep:
    """Return a step of three criteria."""
    criteria = Criterion(VALUES, 0.6), Criterion(BATCH, 0.25, cases=("batch",)), Criterion(FORM, 0.15)
    return SyllabusStep("p", "s", 1, "function", "s()", "", points, "", ("hint",), "", {}, {}, True, (), criteria)


def found(criterion: str, passed: bool, form: bool = True, fixed: bool = False) -> CaseChecks:
    """Return a case whose values are right or wrong, and whose form is, if they are right. fixed: it is the same in every exam."""
    checks = [Check("case", "values", passed, criterion=criterion)]
    checks += [Check("case", "shape", form, criterion=FORM)] * passed
    return CaseChecks(frozenset({criterion}), checks, frozenset({criterion} if fixed else ()))


RIGHT, WRONG, KNOWN = found(VALUES, True), found(VALUES, False), found(VALUES, True, fixed=True)
IN_BATCHES, NOT_IN_BATCHES, KNOWN_BATCH = found(BATCH, True), found(BATCH, False), found(BATCH, True, fixed=True)
FORMLESS = found(VALUES, True, form=False)
RAISED = CaseChecks(frozenset({VALUES, BATCH}), [Check("case", "runs", False, criterion=VALUES)])
BATCH_ALONE = CaseChecks(frozenset({BATCH}), [Check("batch", "values", False, criterion=BATCH)])

POINTS = {
    "all is right": ([RIGHT, IN_BATCHES], (6.0, 2.5, 1.5)),
    "a named criterion is lost alone": ([RIGHT, NOT_IN_BATCHES], (6.0, 0.0, 1.5)),
    "half of the values, and of side conditions": ([RIGHT, WRONG, IN_BATCHES], (3.0, 2.5, 0.75)),
    "a side condition fails once": ([RIGHT, FORMLESS, IN_BATCHES], (6.0, 2.5, 0.0)),
    "no right values": ([WRONG, IN_BATCHES], (0.0, 2.5, 0.0)),
    "outputs never came": ([RAISED], (0.0, 0.0, 0.0)),
    "the same in every exam, alone": ([KNOWN, WRONG, NOT_IN_BATCHES], (0.0, 0.0, 0.0)),
    "the same in every exam, beside another": ([KNOWN, RIGHT, WRONG, WRONG], (3.0, 0.0, 0.75)),
    "the same in every exam, beside another criterion": ([KNOWN, WRONG, IN_BATCHES], (0.0, 2.5, 0.0)),
    "a criterion that is the same in every exam": ([RIGHT, KNOWN_BATCH], (6.0, 2.5, 1.5)),
    "a criterion that is the same in every exam, alone": ([WRONG, KNOWN_BATCH], (0.0, 0.0, 0.0)),
    "a step that is the same in every exam": ([KNOWN, KNOWN_BATCH], (6.0, 2.5, 1.5)),
}


@pytest.mark.parametrize(("cases", "points"), POINTS.values(), ids=POINTS)
def test_a_step_earns_points_by_criterion(cases: Sequence[CaseChecks], points: tuple[float, ...]) -> None:
    assert tuple(one.score for one in earned(step(), cases)) == points
    assert {one.score for one in earned(step(), cases, counts=False)} == {0.0}


@pytest.mark.parametrize("points", [0.5, 1, 3, 7])
def test_the_points_of_all_criteria_are_those_of_the_step(points: float) -> None:
    assert sum(points_of(step(points)).values()) == pytest.approx(points, abs=1e-9)
    assert shared_out(step()) == "values 6, batch 2.5, shape and dtype 1.5"


HIDDEN = {
    "all values are wrong": ([WRONG, NOT_IN_BATCHES], {BATCH, FORM}),
    "it never came": ([RAISED, RIGHT], {BATCH}),
    "some values are wrong": ([WRONG, RIGHT, NOT_IN_BATCHES], {BATCH}),
    "the values are right": ([RIGHT, NOT_IN_BATCHES], set()),
    "it is right": ([WRONG, IN_BATCHES], set()),
}


@pytest.mark.parametrize(("cases", "names"), HIDDEN.values(), ids=HIDDEN)
def test_a_criterion_is_hidden_where_the_values_are_wrong(cases: list[CaseChecks], names: set[str]) -> None:
    assert {one.name for one in earned(step(), cases) if one.hidden} == names


def marked(*cases: CaseChecks) -> StepMarks:
    """Return the marks of a step with these cases."""
    criteria = earned(step(), cases)
    score = round(sum(one.score for one in criteria), 2)
    checks = tuple(check for case in cases for check in case.checks)
    return StepMarks("s", Verdict.WRONG_VALUES, score, 10, checks, criteria=criteria)


LOST = {
    "a named criterion": ([RIGHT, NOT_IN_BATCHES], {BATCH: 2.5}),
    "a side condition": ([FORMLESS, IN_BATCHES], {FORM: 1.5}),
    "half of the values, and what depends on them": ([RIGHT, WRONG, IN_BATCHES], {VALUES: 3.75}),
    "all values": ([WRONG, IN_BATCHES], {VALUES: 7.5}),
    "nothing": ([RIGHT, IN_BATCHES], {}),
}


@pytest.mark.parametrize(("cases", "lost"), LOST.values(), ids=LOST)
def test_lost_points_are_named_by_criterion_and_add_up(cases: Sequence[CaseChecks], lost: dict[str, float]) -> None:
    marks = marked(*cases)
    assert points_lost(marks) == lost
    assert round(marks.score + sum(lost.values()), 2) == marks.max_score


BESIDE = CaseChecks(frozenset({VALUES, BATCH}), [*RIGHT.checks, Check("case", "values", False, criterion=BATCH)])
NEVER = CaseChecks(frozenset({VALUES, BATCH}), RIGHT.checks)
TOLD = {
    "two criteria": ([FORMLESS, BATCH_ALONE], "Points lost: batch 2.5, shape and dtype 1.5."),
    "a hidden criterion": (
        [WRONG, NEVER],
        "Points lost: values 3.75; not tested yet: batch 2.5.",
    ),
    "a side condition alone": ([FORMLESS, IN_BATCHES], "The numbers are right. Points lost: shape and dtype 1.5."),
    "an output beside the values": ([BESIDE], "The numbers are right. Points lost: batch 2.5."),
    "a case of its own": ([RIGHT, BATCH_ALONE], "Points lost: batch 2.5."),
    "all was earned": ([RIGHT, IN_BATCHES], ""),
    "nothing was earned": ([WRONG, NOT_IN_BATCHES], ""),
}


@pytest.mark.parametrize(("cases", "says"), TOLD.values(), ids=TOLD)
def test_lost_points_are_reported_in_a_sentence(cases: Sequence[CaseChecks], says: str) -> None:
    assert told(marked(*cases)) == says


HINTS = {
    "a named criterion": ([RIGHT, NOT_IN_BATCHES], "look at the batch"),
    "a criterion without a hint": ([FORMLESS, IN_BATCHES], "first"),
    "the values and more": ([WRONG, NOT_IN_BATCHES], "first"),
    "some of the values": ([RIGHT, WRONG, IN_BATCHES], "second"),
}


@pytest.mark.parametrize(("cases", "hint"), HINTS.values(), ids=HINTS)
def test_the_hint_is_for_the_criterion_that_was_lost(cases: Sequence[CaseChecks], hint: str) -> None:
    criteria = tuple(replace(one, hint="look at the batch" * (one.name == BATCH)) for one in step().criteria)
    hinted = replace(step(), hints=("first", "second"), criteria=criteria)
    assert hint_for(hinted, marked(*cases)) == hint
    assert hint_for(hinted, replace(marked(RIGHT), verdict=Verdict.PASSED)) is None


def test_criteria_are_explained_as_far_as_the_course_does() -> None:
    assert explained(step(), {BATCH: "several at once", "another": "nothing"}) == f"{BATCH}: several at once."
