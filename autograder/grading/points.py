"""Compute the points of a step by criterion, and describe its criteria in words."""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from autograder.course.course import Course
from autograder.exam.syllabus import FORM, HINTS, VALUES, SyllabusStep
from autograder.grading.results import Check, CriterionMarks, StepMarks

DIGITS = 2

LARGEST_UNIT = 0.5
"""Points of a criterion are multiples of a half; of a quarter in a step of one point."""


@dataclass(frozen=True)
class CaseChecks:
    """The checks and criteria of a case. fixed: the criteria that code can get right without computing."""

    criteria: frozenset[str]
    checks: Sequence[Check]
    fixed: frozenset[str] = frozenset()

    @property
    def passed(self) -> bool:
        """True if all checks passed."""
        return all(check.passed for check in self.checks)

    def is_right(self, criterion: str) -> bool:
        """Return whether the case has checks for a criterion, and all of them passed."""
        return _hold(check for check in self.checks if check.criterion == criterion)


def earned(step: SyllabusStep, cases: Sequence[CaseChecks], counts: bool = True) -> tuple[CriterionMarks, ...]:
    """Return the points of a step by criterion. counts: False if the step cannot earn points.

    `values` earns the share of its cases that are right, but nothing if at most a third are.
    Another criterion earns all of its points if it is met, else none. If code can meet it without
    computing, it earns the share of `values`, and `form` nothing without points for `values`.
    """
    unit, values = unit_of(step), _share_of_values(cases)
    by_output = {one.name for one in step.criteria if one.outputs}
    marks = []
    for name, points in points_of(step).items():
        made = [check for case in cases for check in case.checks if check.criterion == name]
        is_seen = values == 1 or (name in by_output and made and not _hold(made))
        at_most = float(values > 0) if name == FORM else 1.0 if _is_computed(name, cases) else values
        share = values if name == VALUES else _hold(made) * at_most
        unseen = name != VALUES and share < 1 and not (made and is_seen)
        nearest = math.floor(points * share / unit + 0.5) * unit if unit else 0.0
        score = points if share == 1 else min(nearest, points - unit) if name == VALUES else nearest
        marks.append(CriterionMarks(name, score * counts, points, unseen))
    return tuple(marks)


def points_of(step: SyllabusStep) -> dict[str, float]:
    """Return the maximum points of each criterion, in units. `values` gets the remaining points."""
    beside = _beside_values(step, unit_of(step))
    return {VALUES: round(step.points - sum(beside.values()), DIGITS), **beside}


def unit_of(step: SyllabusStep) -> float:
    """Return the points of which all criteria have a multiple, so that `values` keeps at least one.

    It is a half, or a quarter of the points if these are fewer than two; halved until all fit.
    """
    unit = min(LARGEST_UNIT, step.points / 4)
    while unit and sum(_beside_values(step, unit).values()) > step.points - unit:
        unit /= 2
    return unit


def _beside_values(step: SyllabusStep, unit: float) -> dict[str, float]:
    shares = {one.name: one.share for one in step.criteria if one.name != VALUES}
    if not unit:
        return dict.fromkeys(shares, 0.0)
    return {name: unit * max(1, round(step.points * share / unit)) for name, share in shares.items()}


def _share_of_values(cases: Sequence[CaseChecks]) -> float:
    asked = [case for case in cases if VALUES in case.criteria]
    right = sum(case.is_right(VALUES) for case in asked)
    return right / len(asked) if 3 * right > len(asked) and _is_computed(VALUES, cases) else 0.0


def _is_computed(criterion: str, cases: Sequence[CaseChecks]) -> bool:
    """Return whether a right answer of a criterion is not fixed, so that code must have computed it."""
    return any(case.is_right(criterion) for case in cases if criterion in case.criteria - case.fixed)


def _hold(checks: Iterable[Check]) -> bool:
    made = list(checks)
    return bool(made) and all(check.passed for check in made)


def shared_out(step: SyllabusStep) -> str:
    """Write the maximum points by criterion: `values (1), batch (0.5), form (0.5)`."""
    return ", ".join(f"{name} ({points:g})" for name, points in points_of(step).items() if points)


def explained(step: SyllabusStep, texts: Mapping[str, str]) -> str:
    """Explain the criteria of a step in words. texts: the course's explanations, by criterion."""
    return " ".join(f"{one.name}: {texts[one.name]}." for one in step.criteria if one.name in texts)


def not_allowed(step: SyllabusStep, course: Course) -> str:
    """List forbidden functions: the course's words for its own, then the names that the step adds."""
    own = [f"`{name}`" for name in step.forbids if name not in course.forbidden.names]
    return ", ".join([*filter(None, [course.forbidden.words]), *own])


def missed(step: StepMarks) -> tuple[str, ...]:
    """Return the criteria that a step does not meet, as far as they could be tested."""
    return tuple(one.name for one in step.criteria if one.score < one.max_score and not one.hidden)


def told(step: StepMarks) -> str:
    """List the criteria of a step as met, `✓`, or missed, `✗`; "" if it earned all points or none."""
    if not step.score or step.score == step.max_score:
        return ""
    untested = [one.name for one in step.criteria if one.hidden]
    tested = ", ".join(_ticked(one) for one in step.criteria if not one.hidden)
    return f"{tested}; not tested yet: {', '.join(untested)}" if untested else tested


def _ticked(criterion: CriterionMarks) -> str:
    if criterion.score == criterion.max_score:
        return f"✓ {criterion.name}"
    return f"✗ {criterion.name}{' (partly)' if criterion.score else ''}"


def hint_for(step: SyllabusStep, marks: StepMarks) -> str | None:
    """Return a hint on the first criterion that a step misses; None if the step passed.

    If `values` lost points, the result is the second hint if it earned some, else the first.
    """
    if marks.passed:
        return None
    lost = missed(marks)
    if lost and VALUES not in lost:
        failed = [check.check for check in marks.checks if not check.passed and check.criterion == FORM]
        causes = [*([marks.diagnosis.id] if marks.diagnosis else []), *failed]
        of_form = next((HINTS[cause] for cause in causes if cause in HINTS), "")
        hints = (of_form if one.name == FORM else one.hint for one in step.criteria if one.name in lost)
        return next(filter(None, hints), step.hints[0])
    has_the_idea = any(one.score for one in marks.criteria if one.name == VALUES)
    return step.hints[:2][-1] if has_the_idea else step.hints[0]
