"""Find steps whose points have changed since an exam was set or work was marked."""

from collections.abc import Mapping

from autograder.classroom.class_marks import ClassMarks
from autograder.course.errors import ExplainedError
from autograder.exam.syllabus import Syllabus

MOST = 5
"""The most students or steps in a message."""


class OutdatedMarks(ExplainedError):
    """The points of the course have changed since marks were made. The message names steps."""


def changes_of_course(before: Syllabus, now: Syllabus) -> list[str]:
    """Return a message for each step whose points have changed."""
    return _changes(*({step.path: step.points for step in one.steps} for one in (before, now)))


def refuse_outdated(marks: ClassMarks, syllabus: Syllabus) -> None:
    """Raise OutdatedMarks if the points of a step have changed since a student was marked."""
    found: dict[str, list[str]] = {}
    for student, one in marks.students.items():
        before = {f"{part.part}.{step.step}": step.max_score for part in one.parts for step in part.steps}
        parts = {path.partition(".")[0] for path in before}
        if changes := _changes(before, {step.path: step.points for step in syllabus.steps if step.part in parts}):
            found[student] = changes
    if found:
        steps = list(dict.fromkeys(change for changes in found.values() for change in changes))
        raise OutdatedMarks(
            f"{len(found)} of {len(marks.students)} were marked when the course had other points: {listed(steps)}.\n"
            f"They are {listed(list(found))}.\n"
            "`attn grade` with the same folders marks again what was marked before the change."
        )


def listed(names: list[str]) -> str:
    """Return the first names and the number of the others, in one line."""
    more = f" and {len(names) - MOST} more" if len(names) > MOST else ""
    return ", ".join(names[:MOST]) + more


def _changes(before: Mapping[str, float], now: Mapping[str, float]) -> list[str]:
    return [
        f"{path}, {before.get(path, 0.0):g} points, now {now.get(path, 0.0):g}"
        for path in {**before, **now}
        if before.get(path) != now.get(path)
    ]
