"""What a step earns: by each of its criteria, for what its checks found."""

from collections.abc import Sequence

from autograder.exam.criteria import SIDE_CONDITIONS, VALUES
from autograder.exam.syllabus import SyllabusStep
from autograder.marking.marks import Check, CriterionMarks

DIGITS = 2
"""Of points."""


def earned(
    step: SyllabusStep, cases: Sequence[tuple[frozenset[str], Sequence[Check]]], counts: bool = True
) -> tuple[CriterionMarks, ...]:
    """Return what a step earns by each criterion.

    cases: the criteria for which the outputs of a case count, and its checks. counts: whether it earns anything at all.
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
        CriterionMarks(name, round(points[name] * share * counts, DIGITS), points[name])
        for name, share in shares.items()
    )


def points_of(step: SyllabusStep) -> dict[str, float]:
    """Return the points of each criterion. They are rounded, and values get what that leaves: together they are the step's."""
    beside = {one.name: round(step.points * one.share, DIGITS) for one in step.criteria if one.name != VALUES}
    return {VALUES: round(step.points - sum(beside.values()), DIGITS), **beside}


def _share_right(criterion: str, cases: Sequence[tuple[frozenset[str], Sequence[Check]]]) -> float:
    """Return the share of the cases with outputs of a criterion in which these are right."""
    right = [
        bool(made := [check for check in checks if check.criterion == criterion]) and all(one.passed for one in made)
        for criteria, checks in cases
        if criterion in criteria
    ]
    return sum(right) / len(right) if right else 0.0


def _holds(criterion: str, cases: Sequence[tuple[frozenset[str], Sequence[Check]]]) -> bool:
    made = [check for _, checks in cases for check in checks if check.criterion == criterion]
    return bool(made) and all(check.passed for check in made)
