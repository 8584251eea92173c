"""What the points of a step are given for, and were lost by, in words."""

from collections.abc import Collection, Mapping

from autograder.course.course import Course
from autograder.exam.criteria import SIDE_CONDITIONS, VALUES
from autograder.exam.syllabus import SyllabusStep
from autograder.grading.points import DIGITS, points_of
from autograder.grading.results import CriterionMarks, StepMarks


def shared_out(step: SyllabusStep) -> str:
    """Return how the points of a step are shared out: `values 1.2, shape and dtype 0.6, gradients 0.2`."""
    return ", ".join(f"{name} {points:g}" for name, points in points_of(step).items() if points)


def explained(step: SyllabusStep, texts: Mapping[str, str]) -> str:
    """Return what criteria of a step are given for, as far as its course says it. texts: by their names."""
    return " ".join(f"{one.name}: {texts[one.name]}." for one in step.criteria if one.name in texts)


def not_allowed(step: SyllabusStep, course: Course) -> str:
    """Return what a step forbids: what every step of its course does, in the course's words, and what is its own, by name."""
    own = [f"`{name}`" for name in step.forbids if name not in course.forbids]
    return ", ".join([*filter(None, [course.forbidden_words]), *own])


def points_lost(step: StepMarks) -> dict[str, float]:
    """Return by which criteria a step lost points. They add up to what it lacks.

    A side condition that holds earns as much of its points as the values do of theirs: what it lacks is lost by the values.
    """
    values_score = sum(one.score for one in step.criteria if one.name == VALUES)
    lost: dict[str, float] = {}
    for one in step.criteria:
        by = VALUES if one.name in SIDE_CONDITIONS and (one.score or not values_score) else one.name
        lost[by] = round(lost.get(by, 0.0) + one.max_score - one.score, DIGITS)
    return {name: points for name, points in lost.items() if points}


def told(step: StepMarks) -> str:
    """Return by which criteria a step lost points, and that its numbers are right if they are; nothing where it has all points, or none.

    Of what cannot be seen while something else is wrong it says that: it may be right.
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
    """Return the hint for what was lost: where the values are right, that of the criterion that is not; else one of the step's.

    Whose values are right in some cases has the idea that the first one gives: the second is for them.
    """
    if marks.passed:
        return None
    lost = points_lost(marks)
    if lost and VALUES not in lost:
        return next((one.hint for one in step.criteria if one.name in lost and one.hint), step.hints[0])
    has_the_idea = any(one.score for one in marks.criteria if one.name == VALUES)
    return step.hints[:2][-1] if has_the_idea else step.hints[0]


def _numbers_are_right(step: StepMarks) -> bool:
    """Return whether every case is right by its own criterion, for which its first check counts: what failed is beside the numbers."""
    own = {check.case: check.criterion for check in reversed(step.checks)}
    return all(check.passed for check in step.checks if check.criterion == own[check.case])


def moved(before: tuple[CriterionMarks, ...], after: tuple[CriterionMarks, ...]) -> str:
    """Return whose points changed from one marking to the next: `batch 0 → 0.3`. Nothing where either has no points, or no criteria."""
    if not any(one.score for one in before) or not any(one.score for one in after):
        return ""
    old, new = ({one.name: one.score for one in criteria} for criteria in (before, after))
    names = [name for name in {**new, **old} if old.get(name, 0.0) != new.get(name, 0.0)]
    return ", ".join(f"{name} {old.get(name, 0.0):g} → {new.get(name, 0.0):g}" for name in names)
