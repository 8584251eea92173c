"""The points of a step by criterion, and the criteria in words."""

from collections.abc import Sequence
from dataclasses import replace

import pytest

from autograder.course.model import Criterion
from autograder.course.verdicts import Verdict
from autograder.exam.syllabus import FORM, HINTS, VALUES, SyllabusStep
from autograder.grading.points import (
    CaseChecks,
    earned,
    explained,
    hint_for,
    missed,
    points_of,
    shared_out,
    told,
    unit_of,
)
from autograder.grading.results import Check, Diagnosis, StepMarks

BATCH = "batch"


def step(points: float = 8, *criteria: Criterion) -> SyllabusStep:
    """Return a step of three criteria."""
    criteria = criteria or (Criterion(BATCH, cases=("batch",)), Criterion(FORM, 0.125))
    values = Criterion(VALUES, 1 - sum(one.share for one in criteria))
    return SyllabusStep(
        "p", "s", 1, "function", "s()", "", points, "", ("hint",), "", {}, {}, True, (), (values, *criteria)
    )


def found(criterion: str, passed: bool, form: bool = True, fixed: bool = False) -> CaseChecks:
    """Return a case whose values are right or wrong, and whose form is, if they are right. fixed: code that computes nothing is right."""
    checks = [Check("case", "values", passed, criterion=criterion)]
    checks += [Check("case", "shape", form, criterion=FORM)] * passed
    return CaseChecks(frozenset({criterion}), checks, frozenset({criterion} if fixed else ()))


RIGHT, WRONG, KNOWN = found(VALUES, True), found(VALUES, False), found(VALUES, True, fixed=True)
IN_BATCHES, NOT_IN_BATCHES, KNOWN_BATCH = found(BATCH, True), found(BATCH, False), found(BATCH, True, fixed=True)
FORMLESS = found(VALUES, True, form=False)
RAISED = CaseChecks(frozenset({VALUES, BATCH}), [Check("case", "runs", False, criterion=VALUES)])
BATCH_ALONE = CaseChecks(frozenset({BATCH}), [Check("batch", "values", False, criterion=BATCH)])

POINTS = {
    "all is right": ([RIGHT, IN_BATCHES], (5.5, 1.5, 1.0)),
    "a named criterion is missed alone": ([RIGHT, NOT_IN_BATCHES], (5.5, 0.0, 1.0)),
    "half of the values": ([RIGHT, WRONG, IN_BATCHES], (3.0, 1.5, 1.0)),
    "nearly all values": ([*[RIGHT] * 99, WRONG, IN_BATCHES], (5.0, 1.5, 1.0)),
    "a third of the values": ([RIGHT, WRONG, WRONG, IN_BATCHES], (0.0, 1.5, 0.0)),
    "the form fails once": ([RIGHT, FORMLESS, IN_BATCHES], (5.5, 1.5, 0.0)),
    "outputs never came": ([RAISED], (0.0, 0.0, 0.0)),
    "values without computing, alone": ([KNOWN, WRONG, NOT_IN_BATCHES], (0.0, 0.0, 0.0)),
    "values without computing, beside others": ([KNOWN, RIGHT, WRONG, WRONG], (3.0, 0.0, 1.0)),
    "a criterion without computing": ([RIGHT, KNOWN_BATCH], (5.5, 1.5, 1.0)),
    "a criterion without computing, and half of the values": ([RIGHT, WRONG, KNOWN_BATCH], (3.0, 1.0, 1.0)),
    "a criterion without computing, alone": ([WRONG, KNOWN_BATCH], (0.0, 0.0, 0.0)),
}


@pytest.mark.parametrize(("cases", "points"), POINTS.values(), ids=POINTS)
def test_a_step_earns_points_by_criterion(cases: Sequence[CaseChecks], points: tuple[float, ...]) -> None:
    assert tuple(one.score for one in earned(step(), cases)) == points
    assert {one.score for one in earned(step(), cases, counts=False)} == {0.0}


UNITS = {
    "halves": (8, 0.5, (5.5, 1.5, 1.0)),
    "quarters of one point": (1, 0.25, (0.5, 0.25, 0.25)),
    "quarters of what an instructor gives": (0.4, 0.1, (0.2, 0.1, 0.1)),
    "not counted": (0, 0, (0, 0, 0)),
}


@pytest.mark.parametrize(("points", "unit", "shared"), UNITS.values(), ids=UNITS)
def test_points_are_shared_out_in_units(points: float, unit: float, shared: tuple[float, ...]) -> None:
    assert unit_of(step(points)) == pytest.approx(unit)
    assert tuple(points_of(step(points)).values()) == pytest.approx(shared)


def test_many_criteria_in_few_points_have_smaller_units() -> None:
    many = step(2, *(Criterion(f"criterion {number}", 0.15) for number in range(5)))
    assert (unit_of(many), points_of(many)[VALUES]) == (0.25, 0.75)


def test_the_points_of_criteria_are_written_in_a_line() -> None:
    assert shared_out(step()) == "values (5.5), batch (1.5), form (1)"


HIDDEN = {
    "all values are wrong": ([WRONG, NOT_IN_BATCHES], {BATCH, FORM}),
    "it never came": ([RAISED, RIGHT], {BATCH}),
    "some values are wrong": ([WRONG, RIGHT, NOT_IN_BATCHES], {BATCH}),
    "the values are right": ([RIGHT, NOT_IN_BATCHES], set()),
    "it is right": ([WRONG, IN_BATCHES], {FORM}),
}


@pytest.mark.parametrize(("cases", "names"), HIDDEN.values(), ids=HIDDEN)
def test_a_criterion_is_hidden_where_the_values_are_wrong(cases: list[CaseChecks], names: set[str]) -> None:
    assert {one.name for one in earned(step(), cases) if one.hidden} == names


def marked(*cases: CaseChecks) -> StepMarks:
    """Return the marks of a step with these cases."""
    criteria = earned(step(), cases)
    score = round(sum(one.score for one in criteria), 2)
    checks = tuple(check for case in cases for check in case.checks)
    return StepMarks("s", Verdict.WRONG_VALUES, score, 8, checks, criteria=criteria)


BESIDE = CaseChecks(frozenset({VALUES, BATCH}), [*RIGHT.checks, Check("case", "values", False, criterion=BATCH)])
NEVER = CaseChecks(frozenset({VALUES, BATCH}), RIGHT.checks)
TOLD = {
    "two criteria": ([FORMLESS, BATCH_ALONE], "✓ values, ✗ batch, ✗ form"),
    "a hidden criterion": ([WRONG, NEVER], "✗ values (partly), ✓ form; not tested yet: batch"),
    "the form alone": ([FORMLESS, IN_BATCHES], "✓ values, ✓ batch, ✗ form"),
    "an output beside the values": ([BESIDE], "✓ values, ✗ batch, ✓ form"),
    "all was earned": ([RIGHT, IN_BATCHES], ""),
    "nothing was earned": ([WRONG, NOT_IN_BATCHES], ""),
}


@pytest.mark.parametrize(("cases", "says"), TOLD.values(), ids=TOLD)
def test_criteria_are_listed_as_met_or_missed(cases: Sequence[CaseChecks], says: str) -> None:
    assert told(marked(*cases)) == says


def test_missed_criteria_are_those_that_were_tested() -> None:
    assert missed(marked(FORMLESS, BATCH_ALONE)) == (BATCH, FORM)
    assert missed(marked(WRONG, NOT_IN_BATCHES)) == (VALUES,)


HINTS_FOR = {
    "a named criterion": ([RIGHT, NOT_IN_BATCHES], "look at the batch"),
    "the form": ([FORMLESS, IN_BATCHES], HINTS["shape"]),
    "the values and more": ([WRONG, NOT_IN_BATCHES], "first"),
    "some of the values": ([RIGHT, WRONG, IN_BATCHES], "second"),
}


@pytest.mark.parametrize(("cases", "hint"), HINTS_FOR.values(), ids=HINTS_FOR)
def test_the_hint_is_for_the_criterion_that_was_missed(cases: Sequence[CaseChecks], hint: str) -> None:
    criteria = tuple(replace(one, hint="look at the batch" * (one.name == BATCH)) for one in step().criteria)
    hinted = replace(step(), hints=("first", "second"), criteria=criteria)
    assert hint_for(hinted, marked(*cases)) == hint
    assert hint_for(hinted, replace(marked(RIGHT), verdict=Verdict.PASSED)) is None


def test_the_hint_for_the_form_is_that_of_the_cause() -> None:
    marks = replace(marked(FORMLESS, IN_BATCHES), diagnosis=Diagnosis("exception", "inplace", "You write into it."))
    assert hint_for(step(), marks) == HINTS["inplace"]


def test_criteria_are_explained_as_far_as_the_course_does() -> None:
    assert explained(step(), {BATCH: "several at once", "another": "nothing"}) == f"{BATCH}: several at once."
