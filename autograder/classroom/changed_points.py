"""Find steps whose points have changed since an exam was set or work was marked."""

from collections.abc import Iterator, Mapping

from autograder.classroom.class_marks import ClassMarks
from autograder.course.errors import ExplainedError
from autograder.exam.syllabus import Syllabus
from autograder.grading.points import points_of
from autograder.grading.results import Marks

MOST = 5
"""The most students or steps in a message."""

Worth = tuple[float, Mapping[str, float]]
"""The points of a step, in all and by criterion; none by criterion if no outputs were compared."""


class OutdatedMarks(ExplainedError):
    """The points of the course have changed since marks were made. The message names steps."""


def changes_of_course(before: Syllabus, now: Syllabus) -> list[str]:
    """Return a text for each step with other points or criteria than before."""
    return list(_changes(_worth_in(before), _worth_in(now)))


def refuse_outdated(marks: ClassMarks, syllabus: Syllabus) -> None:
    """Raise OutdatedMarks if a student was marked with other points or criteria than those of now."""
    now = _worth_in(syllabus)
    found = {student: changes for student, one in marks.students.items() if (changes := _changes_since(one, now))}
    if found:
        steps = dict.fromkeys(change for changes in found.values() for change in changes)
        raise OutdatedMarks(
            f"{len(found)} of {len(marks.students)} were marked when the course had other points: {listed(list(steps))}.\n"
            f"They are {listed(list(found))}.\n"
            "`attn grade` with the same folders marks again what was marked before the change."
        )


def _changes_since(marks: Marks, now: Mapping[str, Worth]) -> list[str]:
    steps = [(part.part, step) for part in marks.parts for step in part.steps]
    before = {
        f"{part}.{step.step}": (step.max_score, {one.name: one.max_score for one in step.criteria})
        for part, step in steps
    }
    parts = {part for part, _ in steps}
    return list(_changes(before, {path: worth for path, worth in now.items() if path.partition(".")[0] in parts}))


def listed(names: list[str]) -> str:
    """Return the first of many names in a line."""
    more = f" and {len(names) - MOST} more" if len(names) > MOST else ""
    return ", ".join(names[:MOST]) + more


def _worth_in(syllabus: Syllabus) -> dict[str, Worth]:
    return {step.path: (step.points, points_of(step)) for step in syllabus.steps}


def _changes(before: Mapping[str, Worth], now: Mapping[str, Worth]) -> Iterator[str]:
    for path in {**before, **now}:
        (was, criteria), (points, criteria_now) = before.get(path, (0.0, {})), now.get(path, (0.0, {}))
        if was != points or (path in before) != (path in now):
            yield f"{path}, {was:g} points, now {points:g}"
        elif criteria and criteria != criteria_now:
            yield f"{path}, other criteria"
