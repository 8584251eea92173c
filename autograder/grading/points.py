"""The points of a step: those of each of its criteria for its checks, and in words those that it lost."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

from autograder.course.course import Course
from autograder.exam.syllabus import SIDE_CONDITIONS, VALUES, SyllabusStep
from autograder.grading.results import Check, CriterionMarks, StepMarks

DIGITS = 2
"""Of points."""


@dataclass(frozen=True)
class CaseChecks:
    """The checks of a case. criteria: of its outputs. fixed: those of them for which nothing needs to be solved."""

    criteria: frozenset[str]
    checks: Sequence[Check]
    fixed: frozenset[str] = frozenset()

    @property
    def passed(self) -> bool:
        """True if no check failed."""
        return all(check.passed for check in self.checks)

    def is_right(self, criterion: str) -> bool:
        """Return whether the outputs that count for a criterion are there, and right."""
        return _hold(check for check in self.checks if check.criterion == criterion)


def earned(step: SyllabusStep, cases: Sequence[CaseChecks], counts: bool = True) -> tuple[CriterionMarks, ...]:
    """Return the points of a step by criterion. counts: False if it earns nothing at all.

    Values, and what an author names, earn the share of cases in which they are right. A side condition holds in all cases or it does
    not, and then earns as much of its points as the values do of theirs.
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
    """Return the points of each criterion. They are rounded, and values get what that leaves: together they are the step's."""
    beside = {one.name: round(step.points * one.share, DIGITS) for one in step.criteria if one.name != VALUES}
    return {VALUES: round(step.points - sum(beside.values()), DIGITS), **beside}


def _share_right(criterion: str, cases: Sequence[CaseChecks]) -> float:
    """Return the share of the cases with outputs of a criterion in which these are right."""
    asked = [case for case in cases if criterion in case.criteria]
    right = [case for case in asked if case.is_right(criterion)]
    return len(right) / len(asked) if right and _is_shown(criterion, cases) else 0.0


def _is_shown(criterion: str, cases: Sequence[CaseChecks]) -> bool:
    """Return whether an answer is right that could not be known before.

    It is one for the criterion or, if all of these are fixed, of the step.
    """
    drawn = [(name, case.is_right(name)) for case in cases for name in case.criteria - case.fixed]
    own = [right for name, right in drawn if name == criterion]
    return any(own or (right for _, right in drawn)) or not drawn


def _hold(checks: Iterable[Check]) -> bool:
    """Return whether checks were made, and all passed."""
    made = list(checks)
    return bool(made) and all(check.passed for check in made)


def shared_out(step: SyllabusStep) -> str:
    """Return the points of a step by criterion: `values 1.2, shape and dtype 0.6, gradients 0.2`."""
    return ", ".join(f"{name} {points:g}" for name, points in points_of(step).items() if points)


def explained(step: SyllabusStep, texts: Mapping[str, str]) -> str:
    """Return the course's explanations of a step's criteria. texts: by their names."""
    return " ".join(f"{one.name}: {texts[one.name]}." for one in step.criteria if one.name in texts)


def not_allowed(step: SyllabusStep, course: Course) -> str:
    """Return the functions that a step forbids: those of its course in the course's words, and its own by name."""
    own = [f"`{name}`" for name in step.forbids if name not in course.forbidden.names]
    return ", ".join([*filter(None, [course.forbidden.words]), *own])


def points_lost(step: StepMarks) -> dict[str, float]:
    """Return the points that a step lost, by criterion. They add up to the difference to full points.

    A side condition that holds earns as much of its points as the values do of theirs: the rest is lost by the values.
    """
    values_score = sum(one.score for one in step.criteria if one.name == VALUES)
    lost: dict[str, float] = {}
    for one in step.criteria:
        by = VALUES if one.name in SIDE_CONDITIONS and (one.score or not values_score) else one.name
        lost[by] = round(lost.get(by, 0.0) + one.max_score - one.score, DIGITS)
    return {name: points for name, points in lost.items() if points}


def told(step: StepMarks) -> str:
    """Report the points that a step lost, and that its numbers are right if they are; nothing where it has all points, or none.

    A criterion that cannot be seen while something else is wrong is reported as that: it may be right.
    """
    lost = points_lost(step)
    if not lost or not step.score:
        return ""
    hidden = {one.name for one in step.criteria if one.hidden}
    right = "The numbers are right. " if _numbers_are_right(step) else ""
    unseen = f"; cannot be seen before that is right: {_listed(lost, hidden)}" if lost.keys() & hidden else ""
    return f"{right}Points lost: {_listed(lost, lost.keys() - hidden)}{unseen}."


def _listed(lost: Mapping[str, float], names: Collection[str]) -> str:
    return ", ".join(f"{name} {points:g}" for name, points in lost.items() if name in names)


def hint_for(step: SyllabusStep, marks: StepMarks) -> str | None:
    """Return the hint of the criterion that is lost if the values are right; else the first of the step's hints.

    A student whose values are right in some cases has the idea of that: the second is for them.
    """
    if marks.passed:
        return None
    lost = points_lost(marks)
    if lost and VALUES not in lost:
        return next((one.hint for one in step.criteria if one.name in lost and one.hint), step.hints[0])
    has_the_idea = any(one.score for one in marks.criteria if one.name == VALUES)
    return step.hints[:2][-1] if has_the_idea else step.hints[0]


def _numbers_are_right(step: StepMarks) -> bool:
    """Return whether every case is right by its own criterion, for which its first check counts."""
    own = {check.case: check.criterion for check in reversed(step.checks)}
    return all(check.passed for check in step.checks if check.criterion == own[check.case])


def moved(before: tuple[CriterionMarks, ...], after: tuple[CriterionMarks, ...]) -> str:
    """Return the changes of points from one marking to the next: `batch 0 → 0.3`; nothing where either has no points."""
    if not any(one.score for one in before) or not any(one.score for one in after):
        return ""
    old, new = ({one.name: one.score for one in criteria} for criteria in (before, after))
    names = [name for name in {**new, **old} if old.get(name, 0.0) != new.get(name, 0.0)]
    return ", ".join(f"{name} {old.get(name, 0.0):g} → {new.get(name, 0.0):g}" for name in names)
