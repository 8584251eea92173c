"""Compute the points of a step by criterion, and describe lost points in words."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

from autograder.course.course import Course
from autograder.exam.syllabus import SIDE_CONDITIONS, VALUES, SyllabusStep
from autograder.grading.results import Check, CriterionMarks, StepMarks

DIGITS = 2


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

    `values` and an author's criteria earn the share of cases in which they are right. A side
    condition, such as gradients, earns the share of `values` if it holds in all cases, else nothing.
    """
    checks = [check for case in cases for check in case.checks]
    shares = {one.name: _share_right(one.name, cases) for one in step.criteria if one.name not in SIDE_CONDITIONS}
    values, points = shares[VALUES], points_of(step)
    marks = []
    for name in (one.name for one in step.criteria):
        made = [check for check in checks if check.criterion == name]
        share = shares[name] if name in shares else values * _hold(made)
        unseen = name != VALUES and share < 1 and (not made or (name in shares and values < 1))
        marks.append(CriterionMarks(name, round(points[name] * share * counts, DIGITS), points[name], unseen))
    return tuple(marks)


def points_of(step: SyllabusStep) -> dict[str, float]:
    """Return the maximum points of each criterion, rounded. `values` gets the remaining points."""
    beside = {one.name: round(step.points * one.share, DIGITS) for one in step.criteria if one.name != VALUES}
    return {VALUES: round(step.points - sum(beside.values()), DIGITS), **beside}


def _share_right(criterion: str, cases: Sequence[CaseChecks]) -> float:
    asked = [case for case in cases if criterion in case.criteria]
    right = [case for case in asked if case.is_right(criterion)]
    return len(right) / len(asked) if right and _is_shown(criterion, cases) else 0.0


def _is_shown(criterion: str, cases: Sequence[CaseChecks]) -> bool:
    """Return whether at least one right answer is not fixed, so that code must have computed it.

    If all its answers are fixed, those of other criteria decide. Returns True if all are fixed.
    """
    drawn = [(name, case.is_right(name)) for case in cases for name in case.criteria - case.fixed]
    own = [right for name, right in drawn if name == criterion]
    return any(own or (right for _, right in drawn)) or not drawn


def _hold(checks: Iterable[Check]) -> bool:
    made = list(checks)
    return bool(made) and all(check.passed for check in made)


def shared_out(step: SyllabusStep) -> str:
    """Write the maximum points by criterion: `values 1.2, shape and dtype 0.6, gradients 0.2`."""
    return ", ".join(f"{name} {points:g}" for name, points in points_of(step).items() if points)


def explained(step: SyllabusStep, texts: Mapping[str, str]) -> str:
    """Explain the criteria of a step in words. texts: the course's explanations, by criterion."""
    return " ".join(f"{one.name}: {texts[one.name]}." for one in step.criteria if one.name in texts)


def not_allowed(step: SyllabusStep, course: Course) -> str:
    """List forbidden functions: the course's words for its own, then the names that the step adds."""
    own = [f"`{name}`" for name in step.forbids if name not in course.forbidden.names]
    return ", ".join([*filter(None, [course.forbidden.words]), *own])


def points_lost(step: StepMarks) -> dict[str, float]:
    """Return the points that a step lost, by the criterion that caused the loss.

    If a side condition lost points only because values are wrong, the criterion is `values`.
    """
    values_score = sum(one.score for one in step.criteria if one.name == VALUES)
    lost: dict[str, float] = {}
    for one in step.criteria:
        by = VALUES if one.name in SIDE_CONDITIONS and (one.score or not values_score) else one.name
        lost[by] = round(lost.get(by, 0.0) + one.max_score - one.score, DIGITS)
    return {name: points for name, points in lost.items() if points}


def told(step: StepMarks) -> str:
    """Describe the points that a step lost; "" if the step earned all points or none."""
    lost = points_lost(step)
    if not lost or not step.score:
        return ""
    hidden = {one.name for one in step.criteria if one.hidden}
    own = {check.case: check.criterion for check in reversed(step.checks)}  # of the first check of each case
    are_right = all(check.passed for check in step.checks if check.criterion == own[check.case])
    right = "The numbers are right. " if are_right else ""
    unseen = f"; not tested yet: {_listed(lost, hidden)}" if lost.keys() & hidden else ""
    return f"{right}Points lost: {_listed(lost, lost.keys() - hidden)}{unseen}."


def _listed(lost: Mapping[str, float], names: Collection[str]) -> str:
    return ", ".join(f"{name} {points:g}" for name, points in lost.items() if name in names)


def hint_for(step: SyllabusStep, marks: StepMarks) -> str | None:
    """Return a hint on the first criterion that lost points; None if the step passed.

    If `values` lost points, the result is the second hint if some cases are right, else the first.
    """
    if marks.passed:
        return None
    lost = points_lost(marks)
    if lost and VALUES not in lost:
        return next((one.hint for one in step.criteria if one.name in lost and one.hint), step.hints[0])
    has_the_idea = any(one.score for one in marks.criteria if one.name == VALUES)
    return step.hints[:2][-1] if has_the_idea else step.hints[0]
