"""Writing a class's marks into nbgrader's gradebook.

What a human has entered (manual scores and comments, extra credit, extensions, names) is never touched, and nothing is removed.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from nbgrader.api import Comment, Grade, Gradebook, Notebook, SubmittedAssignment, SubmittedNotebook
from nbgrader.plugins import LateSubmissionPlugin
from sqlalchemy import URL

from autograder.classroom.gradebook.database import transaction
from autograder.classroom.gradebook.entries import first_and_last, literally, says, student_id, worth
from autograder.classroom.gradebook.lateness import penalty, read_time, seconds_late
from autograder.classroom.people import People
from autograder.exam.syllabus import SyllabusPart
from autograder.grading.results import Marks, PartMarks

NOBODY = People()


@dataclass
class Written:
    """What has been written.

    submissions: how many parts of students. late: by student, the seconds that the latest part came too late. unclear: sentences
    on timestamps that name no time. outdated: sentences on parts that a human graded before what they graded has changed. waiting: students of whom
    cells wait for a grade by hand.
    """

    submissions: int = 0
    late: dict[str, int] = field(default_factory=dict)
    unclear: list[str] = field(default_factory=list)
    outdated: list[str] = field(default_factory=list)
    waiting: list[str] = field(default_factory=list)


def write(
    url: URL,
    marks: Iterable[Marks],
    parts: Iterable[SyllabusPart],
    policy: LateSubmissionPlugin | None = None,
    people: People = NOBODY,
) -> Written:
    """Write these parts of a class's marks, all or none. policy: what late submissions cost. people: how they are called. Raises CannotKeep."""
    by_name = {part.name: part for part in parts}
    with transaction(url) as book:
        writer = _Writer(book, policy, people)
        for one in marks:
            for found in one.parts:
                if part := by_name.get(found.part):
                    writer.add(one.submission, part, found)
    return writer.written


class _Writer:
    """Writes part after part of student after student, and counts."""

    def __init__(self, book: Gradebook, policy: LateSubmissionPlugin | None, people: People) -> None:
        self.written = Written()
        self._book = book
        self._policy = policy
        self._people = people
        self._notebooks: dict[str, Notebook] = {}

    def add(self, name: str, part: SyllabusPart, found: PartMarks) -> None:
        """Write one student's marks of one part."""
        notebook = self._notebooks.get(part.name) or self._notebooks.setdefault(part.name, _notebook(self._book, part))
        self._name(name)
        submission = self._book.update_or_create_submission(part.name, student_id(name))
        self._set_time(submission, name, found.submitted_at)
        own = next((one for one in submission.notebooks if one.notebook_id == notebook.id), None)
        if not own:
            own = SubmittedNotebook(notebook=notebook)
            submission.notebooks.append(own)
        _grade(own, part, found)
        # A row that is not written yet has no value, and nbgrader's default is that it waits for a human.
        open_grades = [grade for grade in own.grades if grade.needs_manual_grade is not False]
        if cells := sorted(grade.cell.name for grade in open_grades if grade.manual_score is not None):
            listed = ", ".join(cells)
            self.written.outdated.append(
                f"{name}: {part.name} has scores by hand for other work ({listed}): resolve them in formgrader"
            )
        if any(grade.manual_score is None for grade in open_grades):
            self.written.waiting.append(name)
        self._count(own, name)
        self._book.db.commit()

    def _name(self, name: str) -> None:
        """Keep a student, called as the roster says, else like the entry, which nbgrader's pages show in place of "None, None"."""
        student = self._book.update_or_create_student(student_id(name))
        if (student.first_name or "", student.last_name or "") in (("", ""), first_and_last(name)):
            person = self._people.of(name)
            student.first_name, student.last_name = first_and_last(person.name if person and person.name else name)

    def _set_time(self, submission: SubmittedAssignment, name: str, given: str | None) -> None:
        """Keep when it was submitted. What a human has graded and was submitted again needs a look."""
        time = read_time(given) if given else None
        if given and not time:
            self.written.unclear.append(
                f"{name}: {submission.name} was submitted at “{given}”, which is not a valid time"
            )
        if time and time != submission.timestamp:
            submission.timestamp = time
            for grade in (grade for notebook in submission.notebooks for grade in notebook.grades):
                grade.needs_manual_grade |= grade.manual_score is not None

    def _count(self, own: SubmittedNotebook, name: str) -> None:
        """Record how late it was, and subtract the penalty."""
        seconds = seconds_late(own.assignment)
        self.written.submissions += 1
        if seconds:
            self.written.late[name] = max(seconds, self.written.late.get(name, 0))
        if self._policy:
            self._book.db.flush()
            self._book.db.refresh(own, ["score"])
            own.late_submission_penalty = penalty(self._policy, own)


def _notebook(book: Gradebook, part: SyllabusPart) -> Notebook:
    """Return the notebook of a part's assignment; what is missing of them and of their cells is added."""
    place = {"notebook": part.name, "assignment": part.name}
    book.update_or_create_assignment(part.name)
    notebook = book.update_or_create_notebook(part.name, part.name)
    graded = {cell.name for cell in notebook.grade_cells}
    commented = {cell.name for cell in notebook.solution_cells}
    for step in part.steps:
        if step.test_cell not in graded:
            book.add_grade_cell(step.test_cell, **place, max_score=step.points, cell_type="code")
        if step.name not in commented:
            book.add_solution_cell(step.name, **place)
    return notebook


def _grade(own: SubmittedNotebook, part: SyllabusPart, found: PartMarks) -> None:
    """Write scores and comments where they have changed. Cells that are not ours wait for a human, nbgrader's default."""
    notebook = own.notebook
    grades = _rows(Grade, own.grades, notebook.grade_cells + notebook.task_cells)
    comments = _rows(Comment, own.comments, notebook.solution_cells + notebook.task_cells)
    points = {cell.name: cell.max_score for cell in notebook.grade_cells}
    for marks in found.steps:
        step = part.step(marks.step)
        grade = grades[step.test_cell]
        score = worth(marks.score, step, points[step.test_cell])
        if grade.auto_score != score:
            grade.auto_score = score
            grade.needs_manual_grade = grade.manual_score is not None
        comment = says(marks, found.error)
        comments[step.name].auto_comment = literally(comment) if comment else None


def _rows(kind: Any, rows: list[Any], cells: Iterable[Any]) -> dict[str, Any]:
    """Return by the names of cells their grades or comments; those of cells that came after the submission are added."""
    kept = {row.cell_id: row for row in rows}
    rows += [kept.setdefault(cell.id, kind(cell_id=cell.id)) for cell in cells if cell.id not in kept]
    return {cell.name: kept[cell.id] for cell in cells}
