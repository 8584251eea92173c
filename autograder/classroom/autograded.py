"""Students' notebooks as nbgrader's autograder leaves them, so that its pages show them: restored, and with our marks as outputs.

Notebooks are read as data and never run. Of what a student has written, the sources of cells are kept and nothing else, because
nbgrader's pages show metadata, raw cells and HTML in Markdown as they are.
"""

import contextlib
import copy
import os
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

import nbformat
from nbformat import NotebookNode
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output

from autograder.classroom.gradebook.address import CannotKeep
from autograder.classroom.gradebook.grades import literally, says, student_id, worth
from autograder.classroom.gradebook.lateness import read_time
from autograder.classroom.roster import Entry
from autograder.exam.syllabus import Syllabus, SyllabusPart
from autograder.sitting.archive import read_file
from autograder.sitting.notebook import LARGEST_NOTEBOOK
from autograder.sitting.reading import TIMESTAMP, read_submission
from autograder.sitting.submission import Unreadable, shown

Json = dict[str, Any]

WRITTEN_OVER = "# The student has changed the locked cell above to this:"


class _LeftOut(Exception):
    """A notebook cannot be restored. The message says why."""


def write_autograded(
    course: Path, entries: Iterable[Entry], marks: Iterable[Json], syllabus: Syllabus
) -> dict[str, list[str]]:
    """Write `autograded/STUDENT/PART/PART.ipynb` in a course directory for all marks of notebooks. Raises CannotKeep.

    Returns, by reason, the students of whom a part was left out.
    """
    places = {entry.student: entry.path for entry in entries}
    releases = {part.name: _read_release(course, part.name) for part in syllabus.parts}
    left_out: dict[str, list[str]] = {}
    for one in marks:
        student, place = one["submission"], places[one["submission"]]
        modules = read_submission(place, student, syllabus.parts).modules
        for part in one["parts"]:
            name = part["part"]
            folder = course / "autograded" / student_id(student) / name
            try:
                release = releases[name]
                if not release:
                    raise _LeftOut(f"there is no release/{name}/{name}.ipynb")
                if name not in modules or not modules[name].is_notebook:
                    raise _LeftOut(f"{name} was not handed in as a notebook that can be read")
                handed_in = _read_notebook(place, modules[name].path)
            except _LeftOut as reason:
                left_out.setdefault(str(reason), []).append(student)
                _remove(folder / f"{name}.ipynb")
                continue
            _write(folder / f"{name}.ipynb", nbformat.writes(restore(handed_in, release, part, syllabus.part(name))))
            if part["submitted_at"] and read_time(part["submitted_at"]):  # any other would stop nbgrader
                _write(folder / TIMESTAMP, part["submitted_at"])
    return left_out


def restore(handed_in: NotebookNode, release: NotebookNode, marks: Json, part: SyllabusPart) -> NotebookNode:
    """Return a student's notebook with the cells and the metadata that were released, and the marks below the tests.

    What the release locks comes back as it was; of cells that are there twice, the last is the one. Cells that the student has
    added stay, without metadata, and those that are missing stand at the end.
    """
    released = {_grade_id(cell): cell for cell in release.cells if _grade_id(cell)}
    texts = {cell.source for cell in release.cells}
    last = {_grade_id(cell): number for number, cell in enumerate(handed_in.cells)}
    cells: list[NotebookNode] = []
    for number, cell in enumerate(handed_in.cells):
        name = _grade_id(cell)
        if name in released and last[name] == number:
            cells += _as_released(released[name], cell, texts)
        else:
            cells.append(_added(cell, texts))
    cells += [copy.deepcopy(cell) for name, cell in released.items() if name not in last]
    outputs = _outputs(marks, part, released)
    for number, cell in enumerate(cells):
        cell.id = f"cell-{number}"
        if cell.cell_type == "code":
            cell.execution_count = None
            cell.outputs = outputs.get(_grade_id(cell), [])
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


def _read_notebook(place: Path, path: str) -> NotebookNode:
    """Read what was marked. path: as it is shown, which is as it is but for names that nbgrader does not know either."""
    try:
        inside = path.removeprefix(f"{shown(place.name)}/")
        content = read_file(place / inside, place, path, LARGEST_NOTEBOOK)
        notebook: NotebookNode = nbformat.reads(content.decode("utf-8-sig"), as_version=4)
    except Unreadable as error:
        raise _LeftOut(str(error)) from None
    except Exception as error:  # nbformat has many ways to fail at what only looks like a notebook
        raise _LeftOut(f"what was handed in as {Path(path).name} is no notebook of Jupyter's") from error
    return notebook


def _grade_id(cell: NotebookNode) -> str:
    """Return the name by which nbgrader knows a cell; empty for one that it does not know."""
    metadata = cell.get("metadata")
    found = metadata.get("nbgrader") if isinstance(metadata, dict) else None
    name = found.get("grade_id") if isinstance(found, dict) else None
    return name if isinstance(name, str) else ""


def _as_released(original: NotebookNode, cell: NotebookNode, texts: set[str]) -> Iterator[NotebookNode]:
    """Yield a released cell: one to write in with what the student wrote, any other as it was.

    What a student has written over one that is locked stands below it. It was run, so whoever reads the notebook must see it.
    """
    made, nbgrader = copy.deepcopy(original), original.metadata.nbgrader
    if nbgrader.get("solution") or not (nbgrader.get("grade") or nbgrader.get("locked")):
        made.source = _source(cell) if made.cell_type == "code" else _harmless(_source(cell), texts)
        yield made
        return
    yield made
    if _source(cell).strip() != original.source.strip():
        yield new_code_cell(f"{WRITTEN_OVER}\n{_source(cell)}")


def _added(cell: NotebookNode, texts: set[str]) -> NotebookNode:
    """Return a cell of the student's own. A raw one stands as code, because raw means that a page takes it over as it is."""
    source = _source(cell)
    is_text = cell.get("cell_type") == "markdown"
    made: NotebookNode = new_markdown_cell(_harmless(source, texts)) if is_text else new_code_cell(source)
    return made


def _harmless(text: str, texts: set[str]) -> str:
    """Return a student's Markdown so that no page takes it for HTML or a link. texts: those that were released."""
    return text if text in texts else literally(text)


def _source(cell: NotebookNode) -> str:
    source = cell.get("source")
    return (
        source.encode(errors="replace").decode() if isinstance(source, str) else ""
    )  # half of a surrogate pair is no text


def _outputs(marks: Json, part: SyllabusPart, released: Mapping[str, NotebookNode]) -> dict[str, list[NotebookNode]]:
    """Return the outputs of the test cells by their names: what the marks say, and the points as nbgrader reads them."""
    made = {}
    for found in marks["steps"]:
        step = part.step(found["step"])
        if step.test_cell in released:
            points = released[step.test_cell].metadata.nbgrader.get("points", step.points)
            score = str(worth(found["score"], step, points))
            made[step.test_cell] = [
                new_output("stream", name="stdout", text="\n".join(_told(found, marks["error"])) + "\n"),
                new_output("execute_result", {"text/plain": score}),
            ]
    return made


def _told(found: Json, error: str | None) -> Iterator[str]:
    """Yield the verdict, what failed, and the likely cause."""
    yield found["verdict"].replace("_", " ")
    yield from [check["message"] for check in found["checks"] if not check["passed"]][:1]
    if (told := says(found, error)) and (error or found["diagnosis"]):
        yield told


def _remove(path: Path) -> None:
    """Remove a notebook of earlier marks, of which nbgrader would make feedback."""
    try:
        path.unlink(missing_ok=True)
    except OSError as error:
        raise CannotKeep(f"{path} could not be removed: {error.strerror}.") from None


def _write(path: Path, text: str) -> None:
    """Write a file whole or not at all."""
    draft = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        draft.write_text(text, encoding="utf-8")
        draft.replace(path)
    except OSError as error:
        with contextlib.suppress(OSError):
            draft.unlink()
        raise CannotKeep(f"{path} could not be written: {error.strerror}.") from None
