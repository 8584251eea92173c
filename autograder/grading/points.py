"""What a step earns: by each of its criteria, for what its checks found."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from autograder.exam.criteria import SIDE_CONDITIONS, VALUES
from autograder.exam.syllabus import SyllabusStep
from autograder.grading.results import Check, CriterionMarks

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
