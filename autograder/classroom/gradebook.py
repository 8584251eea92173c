"""Write the marks of a class into nbgrader's gradebook: all marks, or none if an error occurs.

What a person entered in the gradebook stays: scores, comments, extra credit, extensions and names.
"""

import contextlib
import hashlib
import logging
import math
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path

from alembic.script import ScriptDirectory
from nbgrader import api
from nbgrader.apps import NbGrader
from nbgrader.dbutil import ALEMBIC_DIR
from nbgrader.plugins import BasePlugin
from nbgrader.preprocessors import AssignLatePenalties
from nbgrader.utils import chdir
from sqlalchemy import URL, text
from tornado.log import app_log

from autograder.classroom.lateness import read_time
from autograder.classroom.people import People
from autograder.course.errors import ExplainedError
from autograder.exam.syllabus import SyllabusPart
from autograder.grading.points import told
from autograder.grading.results import Marks, PartMarks, StepMarks

CONFIG = "nbgrader_config.py"

LONGEST = 128
"""The most characters of a student's id, first name or last name in nbgrader's tables."""

UNSAFE = re.compile(r"[<>&\"\\]")
"""Characters that nbgrader's pages write into HTML and JavaScript unescaped."""

app_log.addHandler(logging.NullHandler())  # else nbgrader logs a traceback of each error
api.get_alembic_version = lambda: ScriptDirectory(ALEMBIC_DIR).get_heads()[0]  # nbgrader starts a program for it


class CannotKeep(ExplainedError):
    """The gradebook cannot be written. The message says why and what to do."""


@contextlib.contextmanager
def transaction(gradebook: str) -> Iterator[api.Gradebook]:
    """Open or create a gradebook. Writes all changes of the `with` block, or none if an error occurs.

    gradebook: the path of an SQLite file, or a URL. Raises CannotKeep.
    """
    try:
        path = str(Path(gradebook).absolute())
        with api.Gradebook(gradebook if "://" in gradebook else URL.create("sqlite", database=path)) as book:
            commit = book.db.commit
            book.db.commit = book.db.flush  # each of nbgrader's methods commits
            book.db().autoflush = False
            yield book
            commit()
    except Exception as error:  # of SQLAlchemy, nbgrader, or a plugin for late submissions
        said = str(getattr(error, "orig", None) or error).strip()
        raise CannotKeep(
            f"The gradebook {shown(gradebook)} could not be written: {type(error).__name__}: {said}\nAn nbgrader file, a "
            "new one in an existing folder, or a URL like postgresql+psycopg://USER:PASSWORD@HOST:PORT/NAME was expected, "
            "with %40 and %2F for @ and / in a password. If another program has locked the gradebook, close that program. "
            "If an older nbgrader has made it, back it up, then `nbgrader db upgrade`."
        ) from error


def shown(gradebook: str) -> str:
    """Return the path of a gradebook, or its URL without user and password, for messages."""
    kind, is_url, place = gradebook.rpartition("://")
    return kind + is_url + (place.rpartition("@")[2] if is_url else place)


def copied(gradebook: str, folder: Path) -> None:
    """Copy a gradebook into a folder if the gradebook is a file. Raises CannotKeep."""
    if "://" in gradebook:
        return
    folder.mkdir(exist_ok=True)
    copy = folder / f"gradebook.{datetime.now(UTC):%Y%m%dT%H%M%S.%fZ}.db"
    with transaction(gradebook) as book:
        book.db.execute(text("VACUUM INTO :copy"), {"copy": str(copy)})


def read_policy(course: Path) -> BasePlugin:
    """Load the plugin for late work that nbgrader's course directory names. Raises CannotKeep."""
    app = NbGrader(log_level=logging.CRITICAL)
    app.raise_config_file_errors = True
    try:
        with chdir(str(course)):
            app.initialize([], root=str(course))
            assigning = AssignLatePenalties(parent=app)
            assigning.init_plugin()
    except (Exception, SystemExit) as error:
        raise CannotKeep(f"{course / CONFIG} could not be loaded: {type(error).__name__}: {error}") from error
    return assigning.plugin_inst


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


def literally(text: str) -> str:
    """Return a text as a block of code in Markdown, so that HTML, links and formulas have no effect."""
    return "\n".join(f"    {line}" for line in text.splitlines())


def comment_on(step: StepMarks, error: str | None) -> str | None:
    """Return a comment on a step: what is wrong, and which points are lost; None if the step passed."""
    if step.passed:
        return None
    diagnosis, failure = step.diagnosis, step.first_failure
    wrong = error or (diagnosis and diagnosis.says) or (failure and failure.message) or step.verdict.words
    return literally("\n".join(filter(None, (wrong, told(step)))))


@dataclass
class Written:
    """The result of `write`.

    submissions: the number of parts of all students together. late: pairs of a student and a text that
    names a late part and its lateness. waiting: students whose scores a person must enter or confirm.
    """

    submissions: int = 0
    late: list[tuple[str, str]] = field(default_factory=list)
    waiting: list[str] = field(default_factory=list)


def write(
    gradebook: str, marks: Iterable[Marks], parts: Iterable[SyllabusPart], policy: BasePlugin | None, people: People
) -> Written:
    """Write marks of these parts. policy: deducts for late work. people: a roster. Raises CannotKeep."""
    written = Written()
    with transaction(gradebook) as book:
        notebooks = {part.name: (part, _notebook(book, part)) for part in parts}
        for one in marks:
            name, student = one.submission, _student(book, one.submission, people)
            for found in (found for found in one.parts if found.part in notebooks):
                part, notebook = notebooks[found.part]
                submission = book.update_or_create_submission(part.name, student.id)
                own = _graded(submission, part, notebook, found)
                book.db.flush()
                book.db.refresh(own)
                late = math.ceil(submission.total_seconds_late) if submission.assignment.duedate else 0
                how_late = timedelta(seconds=late) or (not read_time(found.submitted_at or "") and found.submitted_at)
                written.submissions += 1
                written.late += [(name, f"{part.name}: {how_late}")] if how_late else []
                written.waiting += [name] if own.needs_manual_grade and name not in written.waiting else []
                if policy:
                    taken = policy.late_submission_penalty(student.id, own.score, late) if late else None
                    own.late_submission_penalty = None if taken is None else max(0.0, min(float(taken), own.score))
    return written


def _notebook(book: api.Gradebook, part: SyllabusPart) -> api.Notebook:
    """Return the notebook of a part. Creates the assignment, the notebook and its cells if missing."""
    book.update_or_create_assignment(part.name)
    notebook = book.update_or_create_notebook(part.name, part.name)
    graded = {cell.name for cell in notebook.grade_cells}
    for step in part.steps:
        if step.test_cell not in graded:
            book.add_grade_cell(step.test_cell, part.name, part.name, max_score=step.points, cell_type="code")
        book.update_or_create_solution_cell(step.name, part.name, part.name)
    return notebook


def _student(book: api.Gradebook, name: str, people: People) -> api.Student:
    """Return a student. Sets the name from the roster or the entry, unless a person entered a name."""
    student = book.update_or_create_student(student_id(name))
    if (student.first_name or "", student.last_name or "") in (("", ""), first_and_last(name)):
        person = people.of(name)
        student.first_name, student.last_name = first_and_last(person.name if person and person.name else name)
    return student


def _graded(
    submission: api.SubmittedAssignment, part: SyllabusPart, notebook: api.Notebook, found: PartMarks
) -> api.SubmittedNotebook:
    """Write time, scores and comments of a part. After a change, a person must confirm scores by hand."""
    own = next((one for one in submission.notebooks if one.notebook_id == notebook.id), None)
    own = own or api.SubmittedNotebook(notebook=notebook, assignment=submission)
    time = read_time(found.submitted_at or "")
    moment = time and time.astimezone(UTC).replace(tzinfo=None)
    if moment and moment != submission.timestamp:
        submission.timestamp = moment
        for grade in own.grades:
            grade.needs_manual_grade |= grade.manual_score is not None
    cells = {cell.name: cell for cell in notebook.grade_cells}
    answers = {cell.name: cell for cell in notebook.solution_cells}
    grades = {grade.cell_id: grade for grade in own.grades}
    comments = {comment.cell_id: comment for comment in own.comments}
    for marks in found.steps:
        step = part.step(marks.step)
        cell, answer = cells[step.test_cell], answers[step.name]
        grade = grades.get(cell.id) or api.Grade(cell_id=cell.id, notebook=own)
        score = round(marks.score * cell.max_score / step.points, 2) if step.points else 0.0
        if grade.auto_score != score:
            grade.auto_score, grade.needs_manual_grade = score, grade.manual_score is not None
        comment = comments.get(answer.id) or api.Comment(cell_id=answer.id, notebook=own)
        comment.auto_comment = comment_on(marks, found.error)
    return own
