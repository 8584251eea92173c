"""Earlier hand-ins of a class, for a course in which the best of several counts."""

from pathlib import Path

from autograder.classroom.changed_points import changes_since
from autograder.classroom.class_marks import ClassMarks, of_parts, read_all
from autograder.classroom.superseded import FOLDER, Superseded
from autograder.exam.syllabus import Syllabus
from autograder.grading.results import Marks, PartMarks


def earlier_hand_ins(folder: Path, marks: ClassMarks, syllabus: Syllabus) -> dict[str, list[Marks]]:
    """Return by student the marks of earlier hand-ins, of one part each, those that were made last at the end.

    folder: of results. marks: those of the last hand-ins, with which they can be compared: the same exam, for the points of today. What could
    not be read is not among them, and a hand-in that was marked again counts as it was marked last.
    """
    replaced = (version.marks for version in Superseded(folder / FOLDER).versions(""))
    found: dict[tuple[str, str, str, str], Marks] = {}
    for one in sorted([*read_all(folder), *replaced], key=lambda one: one.graded_at):
        if one.submission in marks.students and one.exam == marks.students[one.submission].exam:
            found |= {_hand_in(one, part): of_parts(one, [part.part]) for part in one.parts}
    last = {_hand_in(one, part) for one in marks.students.values() for part in one.parts}
    earlier: dict[str, list[Marks]] = {}
    for hand_in, one in found.items():
        if hand_in not in last and not one.parts[0].error and not changes_since(one, syllabus):
            earlier.setdefault(one.submission, []).append(one)
    return earlier


def _hand_in(marks: Marks, part: PartMarks) -> tuple[str, str, str, str]:
    """Return what tells one hand-in of a part from every other: whose it is, what it is, and when it came."""
    return marks.submission, part.part, part.digest or marks.digest, part.submitted_at or ""
