"""What has changed of the points of a course since an exam was set or work was marked: marks of before are not mixed with those of now."""

from collections.abc import Iterator
from dataclasses import dataclass

from autograder.classroom.class_marks import ClassMarks
from autograder.course.errors import ExplainedError
from autograder.exam.syllabus import Syllabus
from autograder.grading.points import points_of
from autograder.grading.results import Marks

MOST = 5
"""Students or steps that a message names."""


class OutdatedMarks(ExplainedError):
    """Marks were made with other points or criteria than those of the course. The message says which, and what to do."""


@dataclass(frozen=True)
class Worth:
    """What a step is worth, in all and by criterion; nothing by criterion where nothing was looked at."""

    points: float
    criteria: dict[str, float]

    def changed_to(self, now: "Worth") -> str:
        """Say what has changed, in words; nothing for the same."""
        if self.points != now.points:
            return f"{self.points:g} points, now {now.points:g}"
        return "other criteria" if self.criteria and self.criteria != now.criteria else ""


def changes_of_course(before: Syllabus, now: Syllabus) -> list[str]:
    """Return which steps are worth something else than before, in words."""
    return list(_changes(_worth_in(before), _worth_in(now)))


def changes_since(marks: Marks, now: Syllabus) -> list[str]:
    """Return which steps are worth something else than when this was marked, in words. Parts in which nothing was marked have none."""
    before = {
        f"{part.part}.{step.step}": Worth(step.max_score, {one.name: one.max_score for one in step.criteria})
        for part in marks.parts
        for step in part.steps
    }
    parts = {path.partition(".")[0] for path in before}
    return list(
        _changes(before, {path: worth for path, worth in _worth_in(now).items() if path.partition(".")[0] in parts})
    )


def refuse_outdated(marks: ClassMarks, syllabus: Syllabus) -> None:
    """Raise OutdatedMarks where a student was marked with other points or criteria than those of the course now."""
    found = {student: changes for student, one in marks.students.items() if (changes := changes_since(one, syllabus))}
    if not found:
        return
    steps = dict.fromkeys(change for changes in found.values() for change in changes)
    raise OutdatedMarks(
        f"{len(found)} of {len(marks.students)} were marked when the course had other points: {listed(list(steps))}.\n"
        f"They are {listed(list(found))}.\n"
        "`attn grade` with the same folders marks again what was marked before the change."
    )


def listed(names: list[str]) -> str:
    """Return the first of many names in a line."""
    more = f" and {len(names) - MOST} more" if len(names) > MOST else ""
    return ", ".join(names[:MOST]) + more


def _worth_in(syllabus: Syllabus) -> dict[str, Worth]:
    return {step.path: Worth(step.points, points_of(step)) for step in syllabus.steps}


def _changes(before: dict[str, Worth], now: dict[str, Worth]) -> Iterator[str]:
    for path in {**before, **now}:
        if path not in now:
            yield f"{path}, no step any more"
        elif path not in before:
            yield f"{path}, a step since then"
        elif changed := before[path].changed_to(now[path]):
            yield f"{path}, {changed}"
