"""Read the marks of a class from a folder of results, and choose the parts that count."""

from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from pathlib import Path

from autograder.classroom.people import People, refuse_two_of_one
from autograder.course.errors import ExplainedError
from autograder.course.verdicts import Verdict
from autograder.exam.syllabus import Syllabus, SyllabusPart
from autograder.grading.results import Marks, NotMarks, StepMarks, marks_from_json

UNTRIED = (Verdict.NOT_ATTEMPTED, Verdict.MISSING)
"""Verdicts of a step for which the student has written no code."""


class NoMarks(ExplainedError):
    """A folder holds no readable marks. The message says why and what to do."""


@dataclass(frozen=True)
class ClassMarks:
    """The marks of a class.

    parts: the parts that anybody has handed in, or the parts chosen by `only`, in the course's order.
    students: the marks by student, sorted by name. people: the roster; empty if there is none.
    """

    parts: tuple[SyllabusPart, ...]
    students: dict[str, Marks]
    people: People = field(default_factory=People)

    def only(self, parts: tuple[SyllabusPart, ...]) -> "ClassMarks":
        """Return a copy for these parts only. A part that a student did not hand in has no marks."""
        names = {part.name for part in parts}
        students = {
            student: replace(
                marks,
                parts=tuple(part for part in marks.parts if part.part in names),
                looks=tuple(look for look in marks.looks if not look.part or look.part in names),
            )
            for student, marks in self.students.items()
        }
        return replace(self, parts=parts, students=students)

    def of_all(self, people: People) -> "ClassMarks":
        """Add a roster, and empty marks for absentees. Raises BadRoster if a person has marks twice."""
        refuse_two_of_one(people, self.students, "the marks of")
        absent = [person.entry for person in people.absent(self.students)]
        nothing = {name: Marks(name, "", exam="", graded_at="", seconds=0.0, sandbox="", parts=()) for name in absent}
        return replace(self, people=people, students=dict(sorted((self.students | nothing).items())))


def read_class(folder: Path, syllabus: Syllabus) -> ClassMarks:
    """Read the marks in the folder of results that `attn grade --out` has written. Raises NoMarks."""
    order, by_student = [part.name for part in syllabus.parts], dict[str, list[Marks]]()
    for path in sorted((folder / "marks" if (folder / "marks").is_dir() else folder).glob("*.json")):
        found = _read(path)
        if unknown := [part.part for part in found.parts if part.part not in order]:
            raise NoMarks(f"{path} has marks for {unknown[0]}, which this course does not have.")
        by_student.setdefault(found.submission, []).append(found)
    if not by_student:
        raise NoMarks(f"{folder} holds no marks. Give the folder that `attn grade --out` has written.")
    students = {name: _merged(files, order) for name, files in sorted(by_student.items())}
    counted = handed_in(students.values())
    return ClassMarks(tuple(part for part in syllabus.parts if part.name in counted), students)


def handed_in(marks: Iterable[Marks]) -> set[str]:
    """Return the parts for which any student has code or an unreadable file; if none, all parts."""
    found = list(marks)
    return {part for one in found for part in _with_work(one)} or {part.part for one in found for part in one.parts}


def counted_parts(
    marks: ClassMarks, syllabus: Syllabus, named: Collection[str], due: Mapping[str, datetime], now: datetime
) -> tuple[tuple[SyllabusPart, ...], str]:
    """Return the parts that count, and the reason in words.

    These are the parts in `named`, else those whose date in `due` has passed, else those that more than
    half of the students with any work have worked on, else all that have marks.
    """
    work = [found for one in marks.students.values() if (found := _with_work(one))]
    count = Counter(part for found in work for part in found)
    ways: tuple[tuple[Collection[str], str], ...] = (
        (named, "named with --part"),
        ([part for part, time in due.items() if time <= now], "their due date has passed"),
        ([part for part in count if 2 * count[part] > len(work)], "more than half of those with any work did them"),
        ([part.name for part in marks.parts], "nobody or few have worked on any of them"),
    )
    names, why = next((way for way in ways if way[0]), ways[-1])
    return tuple(part for part in syllabus.parts if part.name in names), why


def tried(step: StepMarks) -> bool:
    """Return whether the student has written code for a step."""
    return step.verdict not in UNTRIED


def _with_work(marks: Marks) -> set[str]:
    """Return the parts with code or an unreadable file; none if several parts all have the same error."""
    errors = {part.error for part in marks.parts}
    is_unreadable = len(marks.parts) > 1 and len(errors) == 1 and None not in errors
    return {part.part for part in marks.parts if not is_unreadable and (part.error or any(map(tried, part.steps)))}


def _read(path: Path) -> Marks:
    try:
        return marks_from_json(path.read_bytes())
    except OSError as error:
        raise NoMarks(f"{path} cannot be read: {error.strerror}.") from None
    except NotMarks as error:
        raise NoMarks(f"{path} {error}. Mark again with `attn grade --out`, or delete the file.") from None


def _merged(files: Iterable[Marks], order: Iterable[str]) -> Marks:
    """Join a student's marks from several files. For each part, the latest marks count."""
    in_order = sorted(files, key=lambda marks: marks.graded_at)
    latest = {part.part: part for marks in in_order for part in marks.parts}
    notes = dict.fromkeys(note for marks in in_order for note in marks.notes)
    told = ((look, marks.part(look.part)) for marks in in_order for look in marks.looks)
    looks = dict.fromkeys(look for look, part in told if not look.part or part is latest.get(look.part))
    parts = tuple(latest[part] for part in order if part in latest)
    return replace(in_order[-1], parts=parts, notes=tuple(notes), looks=tuple(looks))
