"""Compare two markings of a class: each step whose marks changed, and why."""

from collections.abc import Iterator
from dataclasses import astuple, dataclass, fields
from pathlib import Path

from autograder.atomic_write import atomic_write
from autograder.classroom.class_marks import ClassMarks
from autograder.classroom.tables import to_table
from autograder.grading.results import Marks

NOT_HANDED_IN = ("not handed in", 0.0)


@dataclass(frozen=True)
class Move:
    """A step whose marks changed. step: its path. why: what differed between the two markings."""

    student: str
    step: str
    score_before: float
    score: float
    verdict_before: str
    verdict: str
    why: str


def compare(before: ClassMarks, after: ClassMarks) -> Iterator[Move]:
    """Yield each step whose marks changed, of the students who are in both markings."""
    for student, now in after.students.items():
        if then := before.students.get(student):
            old, new = _steps(then), _steps(now)
            for step in {**new, **old}:
                was, is_ = old.get(step, NOT_HANDED_IN), new.get(step, NOT_HANDED_IN)
                if was != is_:
                    yield Move(student, step, was[1], is_[1], was[0], is_[0], _why(then, now))


def write_moves(moves: list[Move], path: Path) -> None:
    """Write a table of changed steps. Raises OSError."""
    atomic_write(path, to_table([field.name for field in fields(Move)], map(astuple, moves)))


def _why(before: Marks, after: Marks) -> str:
    reasons = {
        "submitted something else": before.digest != after.digest,
        "marked with another exam": before.exam != after.exam,
        f"marked in the sandbox {after.sandbox}, before in {before.sandbox}": before.sandbox != after.sandbox,
    }
    same = "the same work and exam: the grader, its time-out or the machine differed"
    return "; ".join(reason for reason, is_so in reasons.items() if is_so) or same


def _steps(marks: Marks) -> dict[str, tuple[str, float]]:
    steps = ((part.part, step) for part in marks.parts for step in part.steps)
    return {f"{part}.{step.step}": (step.verdict.words, step.score) for part, step in steps}
