"""Find steps whose marks differ between two markings, or whose points in the course have changed."""

from collections.abc import Iterator, Mapping
from dataclasses import astuple, dataclass, fields
from pathlib import Path

from autograder.atomic_write import atomic_write
from autograder.classroom.class_marks import ClassMarks
from autograder.classroom.tables import to_table
from autograder.course.errors import ExplainedError
from autograder.exam.syllabus import Syllabus
from autograder.grading.results import Marks, StepMarks

NOT_HANDED_IN = ("not handed in", 0.0)


class OutdatedMarks(ExplainedError):
    """The course has changed the points of steps since marks were made. The message names the steps."""


@dataclass(frozen=True)
class Move:
    """A student's step whose marks changed. step: the path of the step. why: the reason, in words."""

    student: str
    step: str
    score_before: float
    score: float
    verdict_before: str
    verdict: str
    why: str


def compare(before: ClassMarks, after: ClassMarks) -> Iterator[Move]:
    """Yield each step whose marks changed, for the students who have marks in both markings."""
    for student, now in after.students.items():
        if then := before.students.get(student):
            old, new = (
                {path: (one.verdict.words, one.score) for path, one in _steps(of).items()} for of in (then, now)
            )
            for step in {**new, **old}:
                was, is_ = old.get(step, NOT_HANDED_IN), new.get(step, NOT_HANDED_IN)
                if was != is_:
                    yield Move(student, step, was[1], is_[1], was[0], is_[0], _why(then, now))


def write_moves(moves: list[Move], path: Path) -> None:
    """Write a CSV table of the steps whose marks changed. Raises OSError."""
    atomic_write(path, to_table([field.name for field in fields(Move)], map(astuple, moves)))


def changes_of_course(before: Syllabus, now: Syllabus) -> str:
    """Return one line that lists the steps whose points have changed; empty if none have."""
    return _changes(*({step.path: step.points for step in one.steps} for one in (before, now)))


def refuse_outdated(marks: ClassMarks, syllabus: Syllabus) -> None:
    """Raise OutdatedMarks if the points of a step have changed since a student was marked."""
    for student, one in marks.students.items():
        before = {path: step.max_score for path, step in _steps(one).items()}
        marked = {part.part for part in one.parts if part.steps}
        if changes := _changes(before, {step.path: step.points for step in syllabus.steps if step.part in marked}):
            raise OutdatedMarks(
                f"`{student}` was marked when the course had other points: {changes}.\n"
                "`attn grade` with the same folders marks again what was marked before the change."
            )


def _changes(before: Mapping[str, float], now: Mapping[str, float]) -> str:
    changed = [path for path in {**before, **now} if before.get(path) != now.get(path)]
    return "; ".join(f"{path}, {before.get(path, 0.0):g} points, now {now.get(path, 0.0):g}" for path in changed)


def _why(before: Marks, after: Marks) -> str:
    reasons = {
        "submitted something else": before.digest != after.digest,
        "marked with another exam": before.exam != after.exam,
        f"marked in the sandbox {after.sandbox}, before in {before.sandbox}": before.sandbox != after.sandbox,
    }
    same = "the same work and exam: the grader, its time-out or the machine differed"
    return "; ".join(reason for reason, is_so in reasons.items() if is_so) or same


def _steps(marks: Marks) -> dict[str, StepMarks]:
    return {f"{part.part}.{step.step}": step for part in marks.parts for step in part.steps}
