"""Write students' notebooks into nbgrader's folder `autograded`, for formgrader and feedback.

No notebook is run. Only sources of students' cells are kept: nbgrader's pages escape nothing else.
"""

import contextlib
from collections.abc import Iterable
from copy import deepcopy
from pathlib import Path

import nbformat
from nbformat import NotebookNode
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook
from nbgrader.utils import is_locked

from autograder.atomic_write import atomic_write
from autograder.classroom.class_folder import Entry
from autograder.classroom.gradebook import literally, student_id
from autograder.classroom.lateness import read_time
from autograder.exam.syllabus import Syllabus
from autograder.grading.results import Marks
from autograder.submission.archive import TIMESTAMP, Files, read_file
from autograder.submission.model import Source, Unreadable
from autograder.submission.reading import read_hand_in

SECRET = "submission_secret.txt"
"""A file that nbgrader names feedback by. Without this file, nbgrader releases no feedback."""
LONGEST_SECRET = 1_000


def write_autograded(
    course: Path, entries: Iterable[Entry], marks: Iterable[Marks], syllabus: Syllabus
) -> dict[str, list[str]]:
    """Write `autograded/STUDENT/PART/PART.ipynb` in a course directory for each marked notebook.

    Returns, by part, the students whose notebook could not be written. Raises OSError.
    """
    places = {entry.student: entry.path for entry in entries}
    found = [path for path in course.glob("release/*/*.ipynb") if path.stem == path.parent.name]
    releases = {path.stem: nbformat.read(path, as_version=4) for path in found}
    left_out: dict[str, list[str]] = {}
    for one in marks:
        place = places[one.submission]
        modules = read_hand_in(place, one.submission, syllabus.parts).modules
        for part in one.parts:
            path = course / "autograded" / student_id(one.submission) / part.part / f"{part.part}.ipynb"
            path.unlink(missing_ok=True)  # else nbgrader makes feedback of an outdated notebook
            restored = _restored(place, modules.get(part.part), releases.get(part.part))
            if not restored:
                left_out.setdefault(part.part, []).append(one.submission)
                continue
            path.parent.mkdir(parents=True, exist_ok=True)
            atomic_write(path, nbformat.writes(restored).encode())
            if part.submitted_at and read_time(part.submitted_at):  # an invalid time would stop nbgrader
                atomic_write(path.with_name(TIMESTAMP), part.submitted_at.encode())
            with contextlib.suppress(Unreadable):
                secret = read_file(place / part.part / SECRET, place / part.part, SECRET, LONGEST_SECRET)
                atomic_write(path.with_name(SECRET), secret)
    return left_out


def _restored(place: Path, source: Source | None, release: NotebookNode | None) -> NotebookNode | None:
    """Return the marked notebook, as `restore` does; None if the work is no intact notebook."""
    with contextlib.suppress(Exception):  # nbformat raises many for what only looks like a notebook
        if source and source.is_notebook and release:
            files = Files(place)
            path = next(path for path in files.paths if files.shown(path) == source.path)
            read = nbformat.reader.reads(files.read(path))  # without validation: its warnings quote the student
            return restore(nbformat.convert(read, 4), release)
    return None


def restore(handed_in: NotebookNode, release: NotebookNode) -> NotebookNode:
    """Return the released notebook with a student's answers, and with cells that the student added."""
    names, texts = {_grade_id(cell) for cell in release.cells}, {cell.source.strip() for cell in release.cells}
    answers: dict[str, str] = {}
    own: dict[str, list[NotebookNode]] = {"": []}
    last = ""
    for cell in handed_in.cells:
        name, source = _grade_id(cell), cell.source.encode(errors="replace").decode()  # no half of a surrogate pair
        if name and name in names and name not in answers:
            last, answers[name] = name, source
        elif source.strip() not in texts:
            is_text = cell.cell_type == "markdown"
            own.setdefault(last, []).append(new_markdown_cell(literally(source)) if is_text else new_code_cell(source))
    restored: NotebookNode = new_notebook(cells=own.pop(""), metadata=release.metadata)
    for cell in deepcopy(release.cells):
        name = _grade_id(cell)
        if name in answers and not is_locked(cell):
            cell.source = answers[name] if cell.cell_type == "code" else literally(answers[name])
        restored.cells += [cell, *own.pop(name, ())]
    for number, cell in enumerate(restored.cells):
        cell.id = f"cell-{number}"
        if cell.cell_type == "code":
            cell.execution_count, cell.outputs = None, []
    return restored


def _grade_id(cell: NotebookNode) -> str:
    return str(cell.metadata.get("nbgrader", {}).get("grade_id", ""))
