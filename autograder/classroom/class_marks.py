"""Read the marks of a class from a folder of results, for reports, exports and comparisons."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from autograder.classroom.people import People, refuse_two_of_one
from autograder.course.errors import ExplainedError
from autograder.exam.syllabus import Syllabus, SyllabusPart
from autograder.grading.results import Marks, NotMarks, PartMarks, marks_from_json

NOBODY = People()


class NoMarks(ExplainedError):
    """A folder holds no readable marks. The message says why and what to do."""


@dataclass(frozen=True)
class ClassMarks:
    """The marks of a class.

    parts: the parts that anybody has handed in, or the parts chosen by `only`, in the course's order.
    students: each student's marks, sorted by name. people: the roster; empty if there is none.
    """

    parts: tuple[SyllabusPart, ...]
    students: dict[str, Marks]
    people: People = NOBODY

    def only(self, parts: tuple[SyllabusPart, ...]) -> "ClassMarks":
        """Return the marks of these parts alone. A part that a student did not submit counts 0 points."""
        names = {part.name for part in parts}
        students = {student: of_parts(marks, names) for student, marks in self.students.items()}
        return replace(self, parts=parts, students=students)

    def of_all(self, people: People) -> "ClassMarks":
        """Add a roster, and empty marks for absentees. Raises BadRoster if two names mean one person."""
        refuse_two_of_one(people, self.students, "the marks of")
        absent = {person.entry: nothing_of(person.entry) for person in people.absent(self.students)}
        return replace(self, people=people, students=dict(sorted((self.students | absent).items())))


def read_class(folder: Path, syllabus: Syllabus) -> ClassMarks:
    """Read the marks in the folder of results that `attn grade --out` has written. Raises NoMarks."""
    by_student: dict[str, list[Marks]] = {}
    for found in read_all(folder):
        by_student.setdefault(found.submission, []).append(found)
    if not by_student:
        raise NoMarks(f"{folder} holds no marks. Give the folder that `attn grade --out` has written.")
    students = {name: merged(files, syllabus) for name, files in sorted(by_student.items())}
    there = {part.part for one in students.values() for part in one.parts}
    if unknown := sorted(there - {part.name for part in syllabus.parts}):
        raise NoMarks(f"{folder} has marks for {unknown[0]}, which this course does not have.")
    counted = handed_in(students.values())
    parts = tuple(part for part in syllabus.parts if part.name in counted)
    return ClassMarks(parts, {name: of_parts(one, counted) for name, one in students.items()})


def nothing_of(student: str) -> Marks:
    """Return the marks of somebody who has handed in nothing."""
    return Marks(student, digest="", exam="", graded_at="", seconds=0.0, sandbox="", parts=())


def handed_in(marks: Iterable[Marks]) -> set[str]:
    """Return the parts that anybody handed in. Unreadable submissions count only if no other exists."""
    found = list(marks)
    readable = {part.part for one in found if not is_unreadable(one) for part in one.parts}
    return readable or {part.part for one in found for part in one.parts}


def is_unreadable(marks: Marks) -> bool:
    """Return whether a submission is wholly unreadable: all of several parts have the same error."""
    errors = {part.error for part in marks.parts}
    return len(marks.parts) > 1 and len(errors) == 1 and None not in errors


def of_parts(marks: Marks, names: Iterable[str]) -> Marks:
    """Return marks with these parts alone."""
    return replace(
        marks,
        parts=tuple(part for part in marks.parts if part.part in names),
        looks=tuple(look for look in marks.looks if not look.part or look.part in names),
    )


def read_all(folder: Path) -> Iterator[Marks]:
    """Read the current files of marks in a folder of results, one at a time. Raises NoMarks."""
    marks = folder / "marks" if (folder / "marks").is_dir() else folder
    if not marks.is_dir():
        raise NoMarks(f"There is no folder {folder}. Give the one that `attn grade --out` has written.")
    yield from map(read_marks, sorted(marks.glob("*.json")))


def read_marks(path: Path) -> Marks:
    """Read a file of marks. Raises NoMarks."""
    try:
        return marks_from_json(path.read_bytes())
    except OSError as error:
        raise NoMarks(f"{path} cannot be read: {error.strerror}.") from None
    except NotMarks as error:
        raise NoMarks(f"{path} {error}. Mark again with `attn grade --out`, or delete the file.") from None


def merged(files: Iterable[Marks], syllabus: Syllabus) -> Marks:
    """Join the marks in several files of one student. For each part the latest marks count."""
    in_order = sorted(files, key=lambda marks: marks.graded_at)
    latest: dict[str, PartMarks] = {part.part: part for marks in in_order for part in marks.parts}
    order = [part.name for part in syllabus.parts]
    parts = sorted(latest.values(), key=lambda part: order.index(part.part) if part.part in order else len(order))
    notes = dict.fromkeys(note for marks in in_order for note in marks.notes)
    looks = dict.fromkeys(
        look
        for marks in in_order
        for look in marks.looks
        if not look.part or marks.part(look.part) is latest.get(look.part)
    )
    return replace(in_order[-1], parts=tuple(parts), notes=tuple(notes), looks=tuple(looks))
