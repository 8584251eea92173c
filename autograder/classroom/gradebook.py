"""Write the marks of a class into nbgrader's gradebook, all or none.

What a person has entered there stays: scores and comments by hand, extra credit, extensions, names.
"""

import contextlib
import hashlib
import io
import logging
import math
import re
import sqlite3
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from nbgrader import api
from nbgrader.apps import NbGrader
from nbgrader.dbutil import ALEMBIC_DIR
from nbgrader.plugins import LateSubmissionPlugin
from nbgrader.preprocessors import AssignLatePenalties
from nbgrader.utils import chdir
from sqlalchemy import URL, create_engine, inspect, make_url
from sqlalchemy.exc import ArgumentError, SQLAlchemyError
from tornado.log import app_log

from autograder.classroom.lateness import read_time
from autograder.classroom.people import People
from autograder.course.errors import ExplainedError
from autograder.exam.syllabus import SyllabusPart
from autograder.grading.points import told
from autograder.grading.results import Marks, PartMarks, StepMarks

CONFIG = "nbgrader_config.py"

LONGEST = 128
"""Characters of a student's id, and of each name, in nbgrader's tables."""

UNSAFE = re.compile(r"[<>&\"\\]")
"""Characters that nbgrader's pages write into HTML and JavaScript unescaped."""

NOBODY = People()

app_log.addHandler(logging.NullHandler())  # else nbgrader logs a traceback of each error


class CannotKeep(ExplainedError):
    """The gradebook cannot be written. The message says why and what to do."""


# The database


def read_url(given: str) -> URL:
    """Return the URL of a gradebook. given: a URL, or the path of an SQLite file. Raises CannotKeep."""
    if "://" not in given:
        return URL.create("sqlite", database=str(Path(given).absolute()))
    try:
        url = make_url(given)
        url.get_dialect().import_dbapi()
    except (ArgumentError, ImportError, ValueError):  # their texts may hold the password
        raise CannotKeep(
            "The gradebook's URL cannot be used. One like postgresql+psycopg://USER:PASSWORD@HOST:PORT/NAME was "
            "expected, and its driver here; @ and / in a password are written %40 and %2F."
        ) from None
    return url


def shown(url: URL) -> str:
    """Return a gradebook for messages: a file's path, or a URL without password and options."""
    if url.get_backend_name() == "sqlite" and url.database:
        return url.database
    return url.set(query={}).render_as_string(hide_password=True)


def copied(url: URL, folder: Path) -> None:
    """Copy a gradebook into a folder if it is a file. Raises CannotKeep."""
    if url.get_backend_name() != "sqlite" or not url.database or not Path(url.database).is_file():
        return
    copy = folder / f"gradebook.{datetime.now(UTC):%Y%m%dT%H%M%S.%fZ}.db"
    try:
        folder.mkdir(exist_ok=True)
        with (
            contextlib.closing(sqlite3.connect(url.database)) as book,
            contextlib.closing(sqlite3.connect(copy)) as ours,
        ):
            book.backup(ours)
    except (OSError, sqlite3.Error) as error:
        raise CannotKeep(f"{shown(url)} could not be copied to {copy} ({error}), so nothing was written.") from error


@contextlib.contextmanager
def transaction(url: URL) -> Iterator[api.Gradebook]:
    """Open or create a gradebook. Writes all changes together, or none. Raises CannotKeep."""
    try:
        _prepare(url)
        with api.Gradebook(url) as book:
            commit = book.db.commit
            book.db.commit = book.db.flush  # each of nbgrader's methods commits
            book.db().autoflush = False
            yield book
            commit()
    except (SQLAlchemyError, api.InvalidEntry) as error:
        said = str(getattr(error, "orig", None) or error).strip()
        raise CannotKeep(
            f"The gradebook {shown(url)} could not be written: {said}\nAn nbgrader file, a new one in an existing "
            "folder, or the URL of a database was expected. If another program has locked it, close that program. "
            "If an older nbgrader has made it, back it up, then `nbgrader db upgrade`."
        ) from None


def _prepare(url: URL) -> None:
    """Create the tables of an empty database. Raises CannotKeep if a database is no gradebook."""
    engine = create_engine(url)
    with engine.begin() as connection:
        there = set(inspect(connection).get_table_names())
        if not there:
            api.Base.metadata.create_all(connection)  # nbgrader itself starts the program `alembic`
            MigrationContext.configure(connection).stamp(ScriptDirectory(ALEMBIC_DIR), "head")
    engine.dispose()
    if there and not set(api.Base.metadata.tables) <= there:
        raise CannotKeep(
            f"{shown(url)} is a database, but not an nbgrader gradebook, or one of an older nbgrader. Give another, "
            "or back it up and run `nbgrader db upgrade`."
        )


# Late submissions


def read_policy(course: Path) -> LateSubmissionPlugin | None:
    """Load the plugin for late work of a course; None if it deducts nothing. Raises CannotKeep."""
    app = NbGrader(log_level=logging.CRITICAL)
    app.raise_config_file_errors = True
    try:
        with chdir(str(course)), contextlib.redirect_stderr(io.StringIO()):
            app.initialize([], root=str(course))
            assigning = AssignLatePenalties(parent=app)
            assigning.init_plugin()
    except (Exception, SystemExit) as error:
        raise CannotKeep(f"{course / CONFIG} could not be loaded: {type(error).__name__}: {error}") from error
    plugin = assigning.plugin_inst
    takes_nothing = type(plugin) is LateSubmissionPlugin and plugin.penalty_method == "none"
    return None if takes_nothing else plugin


def _seconds_late(submission: api.SubmittedAssignment) -> int:
    """Return the seconds that a part is late. Without a due date: 0, even with an extension."""
    return math.ceil(submission.total_seconds_late) if submission.assignment.duedate is not None else 0


def _penalty(policy: LateSubmissionPlugin, own: api.SubmittedNotebook) -> float | None:
    """Return the points that a policy deducts, at most the score; None for none. Raises CannotKeep."""
    student, seconds = own.assignment.student_id, _seconds_late(own.assignment)
    try:
        taken = policy.late_submission_penalty(student, own.score, seconds) if seconds else None
        return None if taken is None else max(0.0, min(float(taken), own.score))
    except Exception as error:
        said = f"{type(error).__name__}: {error}"
        raise CannotKeep(f"The plugin for late submissions failed for {student}: {said}") from error


# Ids, names and comments


def student_id(name: str) -> str:
    """Return a student's id in nbgrader's tables: the name, or a safe form of it with a digest."""
    digest = f"~{hashlib.sha256(name.encode()).hexdigest()[:8]}"
    safe = UNSAFE.sub("_", name)[: LONGEST - len(digest)]
    return name if safe == name else safe + digest


def first_and_last(name: str) -> tuple[str, str]:
    """Split a name into first and last name: `Last, First` at the comma, else at the last space."""
    safe = UNSAFE.sub("_", name)
    last, comma, first = safe.partition(",")
    if not comma:
        first, _, last = safe.rpartition(" ")
    return first.strip()[:LONGEST], last.strip()[:LONGEST]


def comment_on(step: StepMarks, error: str | None) -> str | None:
    """Return the diagnosis or the failure of a step, and its lost points; None if it passed."""
    if step.passed:
        return None
    diagnosis, failure = step.diagnosis, step.first_failure
    wrong = error or (diagnosis and diagnosis.says) or (failure and failure.message) or step.verdict.words
    return "\n".join(filter(None, (wrong, told(step))))


def literally(text: str) -> str:
    """Return a text as a block of code in Markdown, so that it has no HTML, link or formula."""
    return "\n".join(f"    {line}" for line in text.splitlines())


# Writing


@dataclass
class Written:
    """The result of `write`.

    submissions: the number of parts of all students. late: by student, the seconds of the latest part.
    unclear: messages about invalid timestamps. outdated: messages about parts that have scores by hand
    for other work. waiting: for each part with cells that wait for a score by hand, the student.
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
    """Write marks of these parts. policy: penalty for late work. people: roster. Raises CannotKeep."""
    by_name = {part.name: part for part in parts}
    with transaction(url) as book:
        writer = _Writer(book, policy, people)
        for one in marks:
            for found in one.parts:
                if part := by_name.get(found.part):
                    writer.add(one.submission, part, found)
    return writer.written


class _Writer:
    """Writes a student's marks of one part at a time."""

    def __init__(self, book: api.Gradebook, policy: LateSubmissionPlugin | None, people: People) -> None:
        self.written = Written()
        self._book = book
        self._policy = policy
        self._people = people
        self._notebooks: dict[str, api.Notebook] = {}

    def add(self, name: str, part: SyllabusPart, found: PartMarks) -> None:
        """Write one student's marks of one part."""
        notebook = self._notebooks.get(part.name) or self._notebooks.setdefault(part.name, _notebook(self._book, part))
        self._name(name)
        submission = self._book.update_or_create_submission(part.name, student_id(name))
        self._set_time(submission, name, found.submitted_at)
        own = next((one for one in submission.notebooks if one.notebook_id == notebook.id), None)
        if not own:
            own = api.SubmittedNotebook(notebook=notebook)
            submission.notebooks.append(own)
        _grade(own, part, found)
        # A new row has None here; nbgrader's default for it is to wait for a score by hand.
        open_grades = [grade for grade in own.grades if grade.needs_manual_grade is not False]
        if cells := sorted(grade.cell.name for grade in open_grades if grade.manual_score is not None):
            said = f"has scores by hand for other work ({', '.join(cells)}): resolve them in formgrader"
            self.written.outdated.append(f"{name}: {part.name} {said}")
        if any(grade.manual_score is None for grade in open_grades):
            self.written.waiting.append(name)
        self.written.submissions += 1
        if seconds := _seconds_late(submission):
            self.written.late[name] = max(seconds, self.written.late.get(name, 0))
        if self._policy:
            self._book.db.flush()
            self._book.db.refresh(own, ["score"])
            own.late_submission_penalty = _penalty(self._policy, own)
        self._book.db.commit()

    def _name(self, name: str) -> None:
        """Set a student's name from the roster or the entry, unless a person entered another one."""
        student = self._book.update_or_create_student(student_id(name))
        if (student.first_name or "", student.last_name or "") in (("", ""), first_and_last(name)):
            person = self._people.of(name)
            student.first_name, student.last_name = first_and_last(person.name if person and person.name else name)

    def _set_time(self, submission: api.SubmittedAssignment, name: str, given: str | None) -> None:
        """Set the time of a submission. If the time has changed, scores by hand wait for review."""
        time = read_time(given) if given else None
        if given and not time:
            said = f"{submission.name} was submitted at “{given}”, which is not a valid time"
            self.written.unclear.append(f"{name}: {said}")
        moment = time and time.astimezone(UTC).replace(tzinfo=None)
        if moment and moment != submission.timestamp:
            submission.timestamp = moment
            for grade in (grade for notebook in submission.notebooks for grade in notebook.grades):
                grade.needs_manual_grade |= grade.manual_score is not None


def _notebook(book: api.Gradebook, part: SyllabusPart) -> api.Notebook:
    """Return the notebook of a part's assignment. Creates it and the cells of steps if missing."""
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


def _grade(own: api.SubmittedNotebook, part: SyllabusPart, found: PartMarks) -> None:
    """Write scores and comments of steps. nbgrader lets all other cells wait for a score by hand."""
    notebook = own.notebook
    grades = _rows(api.Grade, own.grades, notebook.grade_cells + notebook.task_cells)
    comments = _rows(api.Comment, own.comments, notebook.solution_cells + notebook.task_cells)
    points = {cell.name: cell.max_score for cell in notebook.grade_cells}
    for marks in found.steps:
        step = part.step(marks.step)
        grade = grades[step.test_cell]
        score = round(marks.score * points[step.test_cell] / step.points, 2) if step.points else 0.0
        if grade.auto_score != score:
            grade.auto_score = score
            grade.needs_manual_grade = grade.manual_score is not None
        comment = comment_on(marks, found.error)
        comments[step.name].auto_comment = literally(comment) if comment else None


def _rows(kind: Any, rows: list[Any], cells: Iterable[Any]) -> dict[str, Any]:
    """Return the grades or comments by the names of their cells, and add those that are missing."""
    kept = {row.cell_id: row for row in rows}
    rows += [kept.setdefault(cell.id, kind(cell_id=cell.id)) for cell in cells if cell.id not in kept]
    return {cell.name: kept[cell.id] for cell in cells}
