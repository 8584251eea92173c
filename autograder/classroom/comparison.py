"""Two markings of a class side by side: whose marks changed, by which steps, and why."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from autograder.atomic_write import atomic_write
from autograder.classroom.class_marks import ClassMarks
from autograder.classroom.tables import to_table
from autograder.grading.points import moved
from autograder.grading.results import CriterionMarks, Marks

NOT_HANDED_IN = "not handed in"


@dataclass(frozen=True)
class Move:
    """A step whose marks changed. step: its name with the part's. criteria: those whose points changed, in words."""

    step: str
    verdict_before: str
    verdict: str
    score_before: float
    score: float
    criteria: str = ""


@dataclass(frozen=True)
class Mover:
    """A student with at least one changed step. reasons: what differed between the two markings."""

    student: str
    score_before: float
    score: float
    reasons: tuple[str, ...]
    moves: tuple[Move, ...]


@dataclass(frozen=True)
class Comparison:
    """What has changed from one marking to the next. compared: how many students were in both."""

    compared: int
    movers: tuple[Mover, ...]
    joined: tuple[str, ...]
    left: tuple[str, ...]


def compare(before: ClassMarks, after: ClassMarks) -> Comparison:
    """Compare two markings of a class."""
    both = [name for name in after.students if name in before.students]
    movers = (_mover(name, before.students[name], after.students[name]) for name in both)
    return Comparison(
        compared=len(both),
        movers=tuple(mover for mover in movers if mover.moves),
        joined=tuple(name for name in after.students if name not in before.students),
        left=tuple(name for name in before.students if name not in after.students),
    )


def write_moves(comparison: Comparison, path: Path) -> None:
    """Write one line for each step whose marks changed."""
    header = ["student", "step", "score_before", "score", "verdict_before", "verdict", "criteria", "why"]
    lines = (
        [mover.student, one.step, one.score_before, one.score, one.verdict_before, one.verdict, one.criteria, why]
        for mover in comparison.movers
        for why in ["; ".join(mover.reasons)]
        for one in mover.moves
    )
    atomic_write(path, to_table(header, lines))


def _mover(student: str, before: Marks, after: Marks) -> Mover:
    return Mover(student, before.score, after.score, tuple(_reasons(before, after)), tuple(_moves(before, after)))


def _reasons(before: Marks, after: Marks) -> Iterator[str]:
    """Yield what may have changed a student's marks. Of a part of several runs, the last one counts."""
    if before.digest != after.digest:
        yield "submitted something else"
    if before.exam != after.exam:
        yield "marked with another exam"
    shares_before, shares = _shares(before), _shares(after)
    if any(shares_before[step] != shares[step] for step in shares_before.keys() & shares.keys()):
        yield "points are shared out otherwise"
    if before.sandbox != after.sandbox:
        yield f"marked in the sandbox {after.sandbox}, before in {before.sandbox}"
    if before.digest == after.digest and before.exam == after.exam:
        yield "the same work and exam: the grader, its time-out or the machine differed"


def _shares(marks: Marks) -> dict[str, dict[str, float]]:
    """Return the points that each criterion of a step can give, where it has any."""
    found = ((part.part, step) for part in marks.parts for step in part.steps if step.criteria)
    return {f"{part}.{step.step}": {one.name: one.max_score for one in step.criteria} for part, step in found}


def _moves(before: Marks, after: Marks) -> Iterator[Move]:
    old, new = _steps(before), _steps(after)
    for step in {**new, **old}:
        verdict_before, score_before, criteria_before = old.get(step, (NOT_HANDED_IN, 0.0, ()))
        verdict, score, criteria = new.get(step, (NOT_HANDED_IN, 0.0, ()))
        if (verdict_before, score_before) != (verdict, score):
            yield Move(step, verdict_before, verdict, score_before, score, moved(criteria_before, criteria))


def _steps(marks: Marks) -> dict[str, tuple[str, float, tuple[CriterionMarks, ...]]]:
    return {
        f"{part.part}.{step.step}": (step.verdict.words, step.score, step.criteria)
        for part in marks.parts
        for step in part.steps
    }
