"""Write students' notebooks where nbgrader's pages look for them: the release with their answers.

Notebooks are never run. Only the sources of students' cells are kept, because nbgrader's pages show
metadata, raw cells and HTML in Markdown as they are.
"""

import contextlib
import copy
from collections.abc import Iterable
from pathlib import Path

import nbformat
from nbformat import NotebookNode
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook
from nbgrader.utils import is_locked

from autograder.atomic_write import atomic_write
from autograder.classroom.class_folder import Entry
from autograder.classroom.gradebook.database import CannotKeep
from autograder.classroom.gradebook.entries import literally, student_id
from autograder.classroom.gradebook.lateness import read_time
from autograder.exam.syllabus import Syllabus
from autograder.grading.results import Marks
from autograder.submission.archive import TIMESTAMP, Files, read_file
from autograder.submission.model import Source, Unreadable
from autograder.submission.reading import read_hand_in

SECRET = "submission_secret.txt"
LONGEST_SECRET = 1_000


class _LeftOut(Exception):
    """A notebook cannot be restored. The message says why."""


def write_autograded(
    course: Path, entries: Iterable[Entry], marks: Iterable[Marks], syllabus: Syllabus
) -> dict[str, list[str]]:
    """Write `autograded/STUDENT/PART/PART.ipynb` in a course directory for all marks of notebooks. Raises CannotKeep.

    Returns, by reason, the students of whom a part was left out.
    """
    places = {entry.student: entry.path for entry in entries}
    releases = {part.name: _read_release(course, part.name) for part in syllabus.parts}
    left_out: dict[str, list[str]] = {}
    for one in marks:
        student, place = one.submission, places[one.submission]
        modules = read_hand_in(place, student, syllabus.parts).modules
        for part in one.parts:
            name = part.part
            path = course / "autograded" / student_id(student) / name / f"{name}.ipynb"
            try:
                path.unlink(missing_ok=True)  # of one of earlier marks, nbgrader would make feedback
                release = releases[name]
                if not release:
                    raise _LeftOut(f"there is no release/{name}/{name}.ipynb")
                handed_in = _read_notebook(place, name, modules.get(name))
                restored = nbformat.writes(restore(handed_in, release))
                path.parent.mkdir(parents=True, exist_ok=True)
                atomic_write(path, restored.encode())
                if part.submitted_at and read_time(part.submitted_at):  # any other would stop nbgrader
                    atomic_write(path.with_name(TIMESTAMP), part.submitted_at.encode())
                _copy_secret(place / name, path.parent)
            except _LeftOut as reason:
                left_out.setdefault(str(reason), []).append(student)
            except OSError as error:
                raise CannotKeep(f"{path} could not be written: {error.strerror}.") from None
    return left_out


def _copy_secret(handed_in: Path, autograded: Path) -> None:
    """Copy what nbgrader names a student's feedback by, where it has collected it; without it it releases nobody's."""
    with contextlib.suppress(Unreadable):
        atomic_write(autograded / SECRET, read_file(handed_in / SECRET, handed_in, SECRET, LONGEST_SECRET))


def restore(handed_in: NotebookNode, release: NotebookNode) -> NotebookNode:
    """Return the notebook that was released, with a student's answers and without outputs.

    What else the student wrote comes below the released cell that it followed: their own cells, what they made of a locked
    cell, which was run, and all but the last of two cells of one name. It has no metadata.
    """
    is_open = {name: not is_locked(cell) for cell in release.cells if (name := _grade_id(cell))}
    answers = {name: _source(cell) for cell in handed_in.cells if is_open.get(name := _grade_id(cell))}
    released = {cell.source.strip() for cell in release.cells}
    added = _added(handed_in, set(is_open), {"", *released, *(text.strip() for text in answers.values())})
    cells = added.pop("", [])
    for original in release.cells:
        cell, name = copy.deepcopy(original), _grade_id(original)
        if name in answers:
            is_own_text = cell.cell_type != "code" and answers[name].strip() not in released
            cell.source = literally(answers[name]) if is_own_text else answers[name]
        if cell.cell_type == "code":
            cell.execution_count, cell.outputs = None, []
        cells += [cell, *added.pop(name, [])]
    for number, cell in enumerate(cells):
        cell.id = f"cell-{number}"
    restored: NotebookNode = new_notebook(cells=cells, metadata=release.metadata)
    return restored


def _added(handed_in: NotebookNode, names: set[str], texts: set[str]) -> dict[str, list[NotebookNode]]:
    """Return the cells that have none of these texts, by the name of the released cell that they follow.

    A raw one becomes code, because a page shows raw cells without escaping.
    """
    added: dict[str, list[NotebookNode]] = {}
    after = ""
    for cell in handed_in.cells:
        after = name if (name := _grade_id(cell)) in names else after
        source = _source(cell)
        if source.strip() not in texts:
            is_text = cell.get("cell_type") == "markdown"
            made = new_markdown_cell(literally(source)) if is_text else new_code_cell(source)
            added.setdefault(after, []).append(made)
    return added


def _read_release(course: Path, part: str) -> NotebookNode | None:
    path = course / "release" / part / f"{part}.ipynb"
    try:
        release: NotebookNode = nbformat.reads(path.read_text(encoding="utf-8"), as_version=4)
    except FileNotFoundError:
        return None
    except Exception as error:
        raise CannotKeep(f"{path} cannot be read: {error}. `nbgrader generate_assignment {part}` makes it.") from error
    return release


def _read_notebook(place: Path, name: str, source: Source | None) -> NotebookNode:
    """Read the notebook that was marked."""
    if not source or not source.is_notebook:
        raise _LeftOut(f"{name} was not submitted as a readable notebook")
    try:
        files = Files(place)
        path = next(path for path in files.paths if files.shown(path) == source.path)
        content = nbformat.reader.reads(files.read(path))
        notebook: NotebookNode = nbformat.convert(content, 4)  # not validated, which warns of what a student wrote
    except Unreadable as error:
        raise _LeftOut(str(error)) from None
    except Exception as error:  # nbformat has many ways to fail at what only looks like a notebook
        raise _LeftOut(f"the submitted {Path(source.path).name} is not a Jupyter notebook") from error
    return notebook


def _grade_id(cell: NotebookNode) -> str:
    """Return the name by which nbgrader knows a cell; empty for one that it does not know."""
    found = cell.get("metadata")
    for key in ("nbgrader", "grade_id"):
        found = found.get(key) if isinstance(found, dict) else None
    return found if isinstance(found, str) else ""


def _source(cell: NotebookNode) -> str:
    """Return a cell's text; half of a surrogate pair is none."""
    source = cell.get("source")
    return source.encode(errors="replace").decode() if isinstance(source, str) else ""
