"""Writing grades into the gradebook, on nbgrader's own models, many rows at once and all in one transaction.

What a human has entered (manual scores and comments, extra credit, extensions) is never touched, and nothing is removed.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import islice
from typing import Any

from nbgrader.api import (
    Assignment,
    Comment,
    Course,
    Grade,
    GradeCell,
    Notebook,
    SolutionCell,
    Student,
    SubmittedAssignment,
    SubmittedNotebook,
    TaskCell,
    new_uuid,
)
from sqlalchemy import func, insert, select, update
from sqlalchemy.orm import Session

from autograder.classroom.gradebook.address import Address
from autograder.classroom.gradebook.database import transaction
from autograder.classroom.gradebook.grades import PartGrades, worth
from autograder.classroom.gradebook.lateness import Late, Policy, read_time, seconds_late
from autograder.exam.syllabus import SyllabusPart

COURSE = "default_course"
"""What nbgrader calls a course that was given no name."""

CHUNK = 500
"""Parts looked at together: a bound on the memory, and on the values that one statement may hold."""

Key = tuple[str, str]
"""What tells a grade or a comment: the ids of a submitted notebook and of a cell."""


@dataclass(frozen=True)
class Written:
    """What has been written: how many submissions of parts, those that came late, and timestamps that name no time."""

    submissions: int
    late: tuple[Late, ...]
    unclear: tuple[str, ...]

    @property
    def seconds_late(self) -> dict[str, int]:
        """By student, how late the latest part came."""
        return {one.student: one.seconds for one in sorted(self.late, key=lambda one: one.seconds)}


def write(address: Address, grades: Iterable[PartGrades], policy: Policy | None = None) -> Written:
    """Write the grades of a class, all or none. policy: what late submissions cost. Raises CannotKeep."""
    waiting = iter(grades)
    with transaction(address) as session:
        writer = _Writer(session, policy)
        while some := list(islice(waiting, CHUNK)):
            writer.add(some)
    return Written(writer.submissions, tuple(writer.late), tuple(writer.unclear))


@dataclass(frozen=True)
class _Sheet:
    """An assignment as the gradebook has it.

    notebooks: by id, the cells that have a grade and those that have a comment. own: the id of the part's notebook.
    scored: by name, the id of a cell and its points. told: by name, the id of the cell that has a step's comment.
    """

    id: str
    due: datetime | None
    notebooks: dict[str, tuple[list[str], list[str]]]
    own: str
    scored: dict[str, tuple[str, float]]
    told: dict[str, str]


class _Writer:
    """Writes chunk after chunk in one transaction, and counts."""

    def __init__(self, session: Session, policy: Policy | None) -> None:
        self.submissions = 0
        self.late: list[Late] = []
        self.unclear: list[str] = []
        self._session = session
        self._policy = policy
        self._sheets: dict[str, _Sheet] = {}

    def add(self, grades: Sequence[PartGrades]) -> None:
        """Write grades of any parts."""
        _add_students(self._session, {one.student for one in grades})
        by_part: dict[str, list[PartGrades]] = {}
        for one in grades:
            by_part.setdefault(one.part.name, []).append(one)
        for name, of_part in by_part.items():
            if name not in self._sheets:
                self._sheets[name] = _sheet(self._session, of_part[0].part)
            self._add_part(self._sheets[name], {one.student: one for one in of_part})
        self.submissions += len(grades)

    def _add_part(self, sheet: _Sheet, grades: Mapping[str, PartGrades]) -> None:
        late = self._add_submissions(sheet, grades)
        notebooks = _add_notebooks(self._session, sheet, grades)
        scores: dict[Key, float] = {}
        comments: dict[Key, str | None] = {}
        for student, one in grades.items():
            own = notebooks[student, sheet.own]
            for step in one.steps:
                cell, points = sheet.scored[step.step.test_cell]
                scores[own, cell] = worth(step.score, step.step, points)
                comments[own, sheet.told[step.step.answer_cell]] = step.comment
        cells = [(submitted, *sheet.notebooks[notebook]) for (_, notebook), submitted in notebooks.items()]
        _add_grades(self._session, [(own, cell) for own, graded, _ in cells for cell in graded], scores)
        _add_comments(self._session, [(own, cell) for own, _, told in cells for cell in told], comments)
        if self._policy:
            self._take_off(self._policy, {student: notebooks[student, sheet.own] for student in grades}, late)

    def _add_submissions(self, sheet: _Sheet, grades: Mapping[str, PartGrades]) -> dict[str, int]:
        """Add the submissions that are missing and bring their times up to date; return by student how late they are."""
        table = SubmittedAssignment
        columns = (table.student_id, table.id, table.timestamp, table.extension)
        kept = {
            row.student_id: row
            for row in self._session.execute(
                select(*columns).where(table.assignment_id == sheet.id, table.student_id.in_(grades))
            )
        }
        new, changed, late = [], [], {}
        for student, one in grades.items():
            there = kept.get(student)
            time = self._time(one)
            if not there:
                new.append({"id": new_uuid(), "assignment_id": sheet.id, "student_id": student, "timestamp": time})
            elif time and time != there.timestamp:
                changed.append({"id": there.id, "timestamp": time})
            before: datetime | None = there.timestamp if there else None
            extension: timedelta | None = there.extension if there else None
            if seconds := seconds_late(time or before, sheet.due, extension):
                late[student] = seconds
                self.late.append(Late(one.name, one.part.name, seconds))
        _change(self._session, table, new, changed)
        _look_again(self._session, [row["id"] for row in changed])
        return late

    def _time(self, grades: PartGrades) -> datetime | None:
        time = read_time(grades.submitted_at) if grades.submitted_at else None
        if grades.submitted_at and not time:
            self.unclear.append(
                f"{grades.name}: {grades.part.name} was handed in at “{grades.submitted_at}”, which is no time"
            )
        return time

    def _take_off(self, policy: Policy, notebooks: Mapping[str, str], late: Mapping[str, int]) -> None:
        """Set the penalties of late submissions, and take those back that no longer hold."""
        scores: dict[str, float] = dict(
            self._session.execute(
                select(Grade.notebook_id, func.sum(Grade.score))
                .where(Grade.notebook_id.in_(notebooks[student] for student in late))
                .group_by(Grade.notebook_id)
            ).all()
        )
        penalties = {
            own: policy.penalty(student, scores.get(own, 0.0), late.get(student, 0))
            for student, own in notebooks.items()
        }
        table = SubmittedNotebook
        kept = self._session.execute(select(table.id, table.late_submission_penalty).where(table.id.in_(penalties)))
        changed = [
            {"id": own, "late_submission_penalty": penalties[own]} for own, before in kept if before != penalties[own]
        ]
        _change(self._session, table, [], changed)


def _look_again(session: Session, submissions: Sequence[str]) -> None:
    """Ask for another look at scores that a human gave to work that has been handed in anew."""
    notebooks = select(SubmittedNotebook.id).where(SubmittedNotebook.assignment_id.in_(submissions))
    given = Grade.notebook_id.in_(notebooks) & Grade.manual_score.is_not(None)
    session.execute(
        update(Grade).where(given).values(needs_manual_grade=True).execution_options(synchronize_session=False)
    )


def _add_students(session: Session, students: set[str]) -> None:
    kept = set(session.scalars(select(Student.id).where(Student.id.in_(students))))
    _change(session, Student, [{"id": student} for student in sorted(students - kept)], [])


def _sheet(session: Session, part: SyllabusPart) -> _Sheet:
    """Find a part's assignment, its notebook and its cells, and add what is missing."""
    assignment = session.scalar(select(Assignment).where(Assignment.name == part.name))
    if not assignment:
        assignment = Assignment(name=part.name, course_id=_course(session))
        session.add(assignment)
    notebook = next((one for one in assignment.notebooks if one.name == part.name), None)
    if not notebook:
        notebook = Notebook(name=part.name, assignment=assignment)
        session.add(notebook)
    graded = {cell.name for cell in notebook.grade_cells}
    told = {cell.name for cell in notebook.solution_cells}
    for step in part.steps:
        if step.test_cell not in graded:
            session.add(GradeCell(name=step.test_cell, notebook=notebook, max_score=step.points, cell_type="code"))
        if step.answer_cell not in told:
            session.add(SolutionCell(name=step.answer_cell, notebook=notebook))
    session.flush()
    return _Sheet(
        assignment.id,
        assignment.duedate,
        {one.id: _cells(one) for one in assignment.notebooks},
        notebook.id,
        {cell.name: (cell.id, cell.max_score) for cell in notebook.grade_cells},
        {cell.name: cell.id for cell in notebook.solution_cells},
    )


def _course(session: Session) -> str:
    """Return the id of the gradebook's course, made where it has none."""
    course = session.scalar(select(Course.id).order_by(Course.id != COURSE))
    if not course:
        course = COURSE
        session.add(Course(id=course))
    return str(course)


def _cells(notebook: Any) -> tuple[list[str], list[str]]:
    """Return the ids of the cells of a notebook that have a grade, and of those that have a comment, as nbgrader has it."""
    return (
        [cell.id for cell in notebook._base_cells if isinstance(cell, GradeCell | TaskCell)],
        [cell.id for cell in notebook._base_cells if isinstance(cell, SolutionCell | TaskCell)],
    )


def _add_notebooks(session: Session, sheet: _Sheet, students: Iterable[str]) -> dict[tuple[str, str], str]:
    """Return the ids of all notebooks of submissions, by student and notebook; those that are missing are added."""
    table = SubmittedNotebook
    found = session.execute(
        select(SubmittedAssignment.student_id, SubmittedAssignment.id, table.notebook_id, table.id)
        .outerjoin(table, table.assignment_id == SubmittedAssignment.id)
        .where(SubmittedAssignment.assignment_id == sheet.id, SubmittedAssignment.student_id.in_(students))
    ).all()
    kept = {(student, notebook): own for student, _, notebook, own in found if notebook in sheet.notebooks}
    missing = {
        (student, notebook): {"id": new_uuid(), "assignment_id": submission, "notebook_id": notebook}
        for student, submission, _, _ in found
        for notebook in sheet.notebooks
        if (student, notebook) not in kept
    }
    _change(session, table, list(missing.values()), [])
    return kept | {key: str(row["id"]) for key, row in missing.items()}


def _add_grades(session: Session, keys: Iterable[Key], scores: Mapping[Key, float]) -> None:
    """Write scores, and rows without one for cells that are not ours: those wait for a human."""
    kept = _kept(session, Grade, keys, Grade.auto_score, Grade.manual_score)
    new = [
        _row(key, auto_score=scores.get(key), needs_manual_grade=key not in scores) for key in keys if key not in kept
    ]
    changed = [
        {"id": row.id, "auto_score": scores[key], "needs_manual_grade": row.manual_score is not None}
        for key, row in kept.items()
        if key in scores and row.auto_score != scores[key]
    ]
    _change(session, Grade, new, changed)


def _add_comments(session: Session, keys: Iterable[Key], comments: Mapping[Key, str | None]) -> None:
    kept = _kept(session, Comment, keys, Comment.auto_comment)
    new = [_row(key, auto_comment=comments.get(key)) for key in keys if key not in kept]
    changed = [
        {"id": row.id, "auto_comment": comments[key]}
        for key, row in kept.items()
        if key in comments and row.auto_comment != comments[key]
    ]
    _change(session, Comment, new, changed)


def _kept(session: Session, table: Any, keys: Iterable[Key], *columns: Any) -> dict[Key, Any]:
    """Return the rows of grades or comments that are there already."""
    notebooks = {notebook for notebook, _ in keys}
    rows = session.execute(
        select(table.notebook_id, table.cell_id, table.id, *columns).where(table.notebook_id.in_(notebooks))
    )
    return {(row.notebook_id, row.cell_id): row for row in rows}


def _row(key: Key, **values: Any) -> dict[str, Any]:
    notebook, cell = key
    return {"id": new_uuid(), "notebook_id": notebook, "cell_id": cell, **values}


def _change(session: Session, table: Any, new: list[dict[str, Any]], changed: list[dict[str, Any]]) -> None:
    if new:
        session.execute(insert(table), new)
    if changed:
        session.execute(update(table), changed)
