"""Write students' notebooks into nbgrader's `autograded`, for formgrader and feedback. They are never run.

Only the sources of students' cells are kept: nbgrader's pages show all else without escaping it.
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
from autograder.classroom.gradebook import CannotKeep, literally, student_id
from autograder.classroom.lateness import read_time
from autograder.exam.syllabus import Syllabus
from autograder.grading.results import Marks
from autograder.submission.archive import TIMESTAMP, Files, read_file
from autograder.submission.model import Source, Unreadable
from autograder.submission.reading import read_hand_in

SECRET = "submission_secret.txt"
"""nbgrader names feedback by the content of this file, and releases no feedback without it."""
LONGEST_SECRET = 1_000


class _LeftOut(Exception):
    """A notebook cannot be restored. The message says why."""


def write_autograded(
    course: Path, entries: Iterable[Entry], marks: Iterable[Marks], syllabus: Syllabus
) -> dict[str, list[str]]:
    """Write `autograded/STUDENT/PART/PART.ipynb` in a course directory for each marked notebook.

    Returns the students of whom a part was left out, by reason. Raises CannotKeep.
    """
    places = {entry.student: entry.path for entry in entries}
    releases = {part.name: _read_release(course, part.name) for part in syllabus.parts}
    left_out: dict[str, list[str]] = {}
    for one in marks:
        student, place = one.submission, places[one.submission]
        modules = read_hand_in(place, student, syllabus.parts).modules
        for part in one.parts:
            path = course / "autograded" / student_id(student) / part.part / f"{part.part}.ipynb"
            try:
                path.unlink(missing_ok=True)  # else nbgrader makes feedback of an outdated notebook
                release = releases[part.part]
                if not release:
                    raise _LeftOut(f"there is no release/{part.part}/{part.part}.ipynb")
                restored = restore(_read_notebook(place, part.part, modules.get(part.part)), release)
                path.parent.mkdir(parents=True, exist_ok=True)
                atomic_write(path, nbformat.writes(restored).encode())
                if part.submitted_at and read_time(part.submitted_at):  # an invalid time would stop nbgrader
                    atomic_write(path.with_name(TIMESTAMP), part.submitted_at.encode())
                with contextlib.suppress(Unreadable):
                    secret = read_file(place / part.part / SECRET, place / part.part, SECRET, LONGEST_SECRET)
                    atomic_write(path.with_name(SECRET), secret)
            except _LeftOut as reason:
                left_out.setdefault(str(reason), []).append(student)
            except OSError as error:
                raise CannotKeep(f"{path} could not be written: {error.strerror}.") from None
    return left_out


def restore(handed_in: NotebookNode, release: NotebookNode) -> NotebookNode:
    """Return a student's notebook with locked cells and metadata of the release, and without outputs.

    If a student changed a locked cell, the changed text follows the original cell.
    """
    named = {name: cell for cell in release.cells if (name := _grade_id(cell))}
    texts = {cell.source.strip(): cell for cell in release.cells if not _grade_id(cell)}
    cells = []
    for cell in handed_in.cells:
        source, is_text = _source(cell), cell.get("cell_type") == "markdown"
        own = new_markdown_cell(literally(source)) if is_text else new_code_cell(source)
        original = named.pop(_grade_id(cell), None) or texts.get(source.strip())
        if original:
            cells.append(copy.deepcopy(original))
            if source.strip() == original.source.strip():
                continue
            if not is_locked(original):
                cells[-1].source = source if original.cell_type == "code" else literally(source)
                continue
        cells += [own] if source.strip() else []
    cells += map(copy.deepcopy, named.values())
    for number, cell in enumerate(cells):
        cell.id = f"cell-{number}"
        if cell.cell_type == "code":
            cell.execution_count, cell.outputs = None, []
    restored: NotebookNode = new_notebook(cells=cells, metadata=release.metadata)
    return restored


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
    """Read the notebook that was marked. Raises _LeftOut."""
    if not source or not source.is_notebook:
        raise _LeftOut(f"{name} was not submitted as a readable notebook")
    try:
        files = Files(place)
        path = next(path for path in files.paths if files.shown(path) == source.path)
        content = nbformat.reader.reads(files.read(path))
        notebook: NotebookNode = nbformat.convert(content, 4)  # without validation: its warnings quote the student
    except Unreadable as error:
        raise _LeftOut(str(error)) from None
    except Exception as error:  # nbformat raises many exceptions for what only looks like a notebook
        raise _LeftOut(f"the submitted {Path(source.path).name} is not a Jupyter notebook") from error
    return notebook


def _grade_id(cell: NotebookNode) -> str:
    """Return nbgrader's name of a cell; empty if it has none."""
    found = cell.get("metadata")
    for key in ("nbgrader", "grade_id"):
        found = found.get(key) if isinstance(found, dict) else None
    return found if isinstance(found, str) else ""


def _source(cell: NotebookNode) -> str:
    """Return a cell's text, with `?` in place of half a surrogate pair."""
    source = cell.get("source")
    return source.encode(errors="replace").decode() if isinstance(source, str) else ""
