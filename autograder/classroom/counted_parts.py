"""Which parts of a course count for a class, and why: never because of one submission alone."""

from collections import Counter
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import datetime

from autograder.classroom.class_marks import ClassMarks
from autograder.classroom.report.states import tried
from autograder.exam.syllabus import Syllabus, SyllabusPart
from autograder.grading.results import Marks

NAMED = "named with --part"
DUE = "their due date has passed"
USUAL = "more than half of those who handed in anything handed them in"
ANY = "somebody handed them in; no part was handed in by more than half"


@dataclass(frozen=True)
class CountedParts:
    """The parts that count, in order, and why.

    nobodys: those of them in which nobody has written anything. others: how many have handed in each part that does not count.
    """

    parts: tuple[SyllabusPart, ...]
    why: str
    nobodys: tuple[str, ...]
    others: Mapping[str, int]

    def __str__(self) -> str:
        """Say it in a line."""
        names = ", ".join(part.name for part in self.parts)
        said = f"parts that count: {names} ({self.why})"
        if self.nobodys:
            said += f"; nobody has written anything in {', '.join(self.nobodys)}, so everybody has 0 of its points"
        others = ", ".join(f"{name}, handed in by {count}" for name, count in self.others.items())
        return f"{said}; not {others}" if others else said


def counted_parts(
    marks: ClassMarks, syllabus: Syllabus, named: Collection[str], due: Mapping[str, datetime], now: datetime
) -> CountedParts:
    """Return which parts count: those named, else those that are due, else those that more than half handed in, else any.

    marks: of all parts. named: what a person asked for. due: until when parts are to be handed in, where the course says so.
    """
    handed_in = [work for one in marks.students.values() if (work := _with_work(one))]
    by_part = Counter(part for work in handed_in for part in work)
    ways = (
        (named, NAMED),
        ([part for part, time in due.items() if time <= now], DUE),
        ([part for part, count in by_part.items() if count > len(handed_in) / 2], USUAL),
        ([part.name for part in marks.parts], ANY),
    )
    names, why = next(((names, why) for names, why in ways if names), ((), ANY))
    others = {part.name: by_part[part.name] for part in marks.parts if part.name not in names and by_part[part.name]}
    parts = tuple(part for part in syllabus.parts if part.name in names)
    return CountedParts(parts, why, tuple(part.name for part in parts if not by_part[part.name]), others)


def parts_with_work(marks: ClassMarks) -> tuple[SyllabusPart, ...]:
    """Return the parts in which anybody has written something; all of the marks where nobody has."""
    names = {part for one in marks.students.values() for part in _with_work(one)}
    return tuple(part for part in marks.parts if part.name in names) or marks.parts


def _with_work(marks: Marks) -> set[str]:
    """Return the parts in which somebody has written something; none of what cannot be read at all."""
    errors = {part.error for part in marks.parts}
    if len(marks.parts) > 1 and len(errors) == 1 and None not in errors:
        return set()
    return {part.part for part in marks.parts if part.error or any(map(tried, part.steps))}
