"""The points of a step: what it earns by each of its criteria for what its checks found, and in words what these were lost by."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from autograder.course.course import Course
from autograder.exam.syllabus import SIDE_CONDITIONS, VALUES, SyllabusStep
from autograder.grading.results import Check, CriterionMarks, StepMarks

DIGITS = 2
"""Of points."""


@dataclass(frozen=True)
class CaseChecks:
    """What was checked in a case.

    criteria: those for which its outputs count. fixed: those of them for which nothing needs to be solved. plain: those for
    which no output is a tensor.
    """

    criteria: frozenset[str]
    checks: Sequence[Check]
    fixed: frozenset[str] = frozenset()
    plain: frozenset[str] = frozenset()

    @property
    def own(self) -> str:
        """The criterion to which the case belongs: its first check counts for that."""
        return self.checks[0].criterion

    def failed(self, criterion: str) -> list[Check]:
        """Return the checks for a criterion that failed."""
        return [check for check in self.checks if check.criterion == criterion and not check.passed]

    def is_right(self, criterion: str) -> bool:
        """Return whether the outputs that count for a criterion are there, and right."""
        made = [check for check in self.checks if check.criterion == criterion]
        return bool(made) and all(check.passed for check in made)


def earned(step: SyllabusStep, cases: Sequence[CaseChecks], counts: bool = True) -> tuple[CriterionMarks, ...]:
    """Return what a step earns by each criterion. counts: whether it earns anything at all.

    Values, and what an author names, earn the share of cases in which they are right. A side condition holds in all cases or it does
    not, and then earns as much of its points as the values do of theirs.
    """
    right = _share_right(VALUES, cases)
    shares = {
        criterion.name: right * _holds(criterion.name, cases)
        if criterion.name in SIDE_CONDITIONS
        else _share_right(criterion.name, cases)
        for criterion in step.criteria
    }
    points = points_of(step)
    return tuple(
        CriterionMarks(name, round(points[name] * share * counts, DIGITS), points[name], _is_hidden(name, share, cases))
        for name, share in shares.items()
    )


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
    """Return whether an answer is right that could not be known before: one for the criterion or, where all of these are fixed, of the step."""
    drawn = [(name, case.is_right(name)) for case in cases for name in case.criteria - case.fixed]
    own = [right for name, right in drawn if name == criterion]
    return any(own or (right for _, right in drawn)) or not drawn


def _is_hidden(criterion: str, share: float, cases: Sequence[CaseChecks]) -> bool:
    """Return whether what is lost by a criterion tells nothing of it: no check was made, or none fails but by what makes the values wrong."""
    if criterion == VALUES or share == 1.0:
        return False
    if criterion in SIDE_CONDITIONS:
        return not any(check.criterion == criterion for case in cases for check in case.checks)
    values_fail = {_raised(check) for case in cases for check in case.failed(VALUES)}
    return not any(_tells(check, case, values_fail) for case in cases for check in case.failed(criterion))


def _tells(failed: Check, case: CaseChecks, values_fail: Collection[bool]) -> bool:
    """Return whether a failed check says something of its own criterion. values_fail: whether by raising, of each of their cases that fails."""
    if not values_fail or (failed.criterion in case.plain and not _raised(failed)):
        return True
    if failed.criterion == case.own:
        return _raised(failed) not in values_fail
    return not case.failed(case.own)


def _raised(failed: Check) -> bool:
    return failed.check == "runs"


def _holds(criterion: str, cases: Sequence[CaseChecks]) -> bool:
    made = [check for case in cases for check in case.checks if check.criterion == criterion]
    return bool(made) and all(check.passed for check in made)


def shared_out(step: SyllabusStep) -> str:
    """Return how the points of a step are shared out: `values 1.2, shape and dtype 0.6, gradients 0.2`."""
    return ", ".join(f"{name} {points:g}" for name, points in points_of(step).items() if points)


def explained(step: SyllabusStep, texts: Mapping[str, str]) -> str:
    """Return what criteria of a step are given for, as far as its course says it. texts: by their names."""
    return " ".join(f"{one.name}: {texts[one.name]}." for one in step.criteria if one.name in texts)


def not_allowed(step: SyllabusStep, course: Course) -> str:
    """Return what a step forbids: what every step of its course does, in the course's words, and what is its own, by name."""
    own = [f"`{name}`" for name in step.forbids if name not in course.forbidden.names]
    return ", ".join([*filter(None, [course.forbidden.words]), *own])


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
