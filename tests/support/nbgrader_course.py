"""A small course directory of nbgrader's own making, and its commands."""

import copy
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import nbformat
from nbformat import NotebookNode
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook

from autograder.exam.syllabus import SyllabusPart

BIN = Path(sys.executable).parent
KERNEL = {"name": "python3", "display_name": "Python 3", "language": "python"}


@dataclass(frozen=True)
class NbgraderCourse:
    """A course directory with one part as an assignment."""

    folder: Path
    part: SyllabusPart

    def run(self, *arguments: str) -> "subprocess.CompletedProcess[str]":
        """Run one of nbgrader's commands there; it has to succeed."""
        environment = {**os.environ, "PATH": f"{BIN}{os.pathsep}{os.environ['PATH']}"}
        command = [str(BIN / "nbgrader"), *arguments]
        done = subprocess.run(
            command, cwd=self.folder, env=environment, capture_output=True, text=True, timeout=120, check=False
        )
        assert done.returncode == 0, done.stderr
        return done

    @property
    def release(self) -> NotebookNode:
        """The notebook that students were given."""
        return read(self.folder / "release" / self.part.name / f"{self.part.name}.ipynb")

    def hand_in(self, student: str, notebook: NotebookNode, at: str = "") -> Path:
        """Put a notebook where nbgrader collects them; return its path. at: the time in its `timestamp.txt`."""
        folder = self.folder / "submitted" / student / self.part.name
        folder.mkdir(parents=True, exist_ok=True)
        nbformat.write(notebook, folder / f"{self.part.name}.ipynb")
        if at:
            (folder / "timestamp.txt").write_text(f"{at}\n")
        return folder / f"{self.part.name}.ipynb"

    def autograded(self, student: str) -> NotebookNode:
        return read(self.folder / "autograded" / student / self.part.name / f"{self.part.name}.ipynb")


def make_course(folder: Path, part: SyllabusPart, config: str = "") -> NbgraderCourse:
    """Make a course directory and let nbgrader make the release of a part."""
    course = NbgraderCourse(folder, part)
    (folder / "source" / part.name).mkdir(parents=True)
    (folder / "nbgrader_config.py").write_text(f"c = get_config()\n{config}")
    nbformat.write(source_of(part), folder / "source" / part.name / f"{part.name}.ipynb")
    course.run("generate_assignment", part.name)
    return course


def lay_course(folder: Path, part: SyllabusPart) -> NbgraderCourse:
    """Make a course directory with the release of a part as nbgrader would make it, without nbgrader."""
    (folder / "release" / part.name).mkdir(parents=True)
    (folder / "nbgrader_config.py").write_text("c = get_config()\n")
    nbformat.write(source_of(part), folder / "release" / part.name / f"{part.name}.ipynb")
    return NbgraderCourse(folder, part)


def source_of(part: SyllabusPart) -> NotebookNode:
    """Return a part as an instructor's notebook: an answer and a test a step, and a question for an essay."""
    cells = [new_markdown_cell("# Read <b>this</b>"), _locked(new_markdown_cell("Do not change this."), "about")]
    for step in part.steps:
        answer = f"def {step.name}():\n    ### BEGIN SOLUTION\n    return 1\n    ### END SOLUTION"
        cells += [
            _known(new_code_cell(answer), step.name, solution=True),
            _known(new_code_cell("assert True"), step.test_cell, grade=True, locked=True, points=step.points),
        ]
    cells.append(_known(new_markdown_cell("Why?"), "essay", solution=True, grade=True, points=5.0))
    made: NotebookNode = new_notebook(cells=cells, metadata={"kernelspec": KERNEL})
    return made


def cell_of(notebook: NotebookNode, name: str) -> NotebookNode:
    """Return the cell that nbgrader knows by a name."""
    return next(cell for cell in notebook.cells if cell.metadata.get("nbgrader", {}).get("grade_id") == name)


def answered(release: NotebookNode, **texts: str) -> NotebookNode:
    """Return a copy of a notebook with other texts in some cells."""
    made = copy.deepcopy(release)
    for name, text in texts.items():
        cell_of(made, name).source = text
    return made


def read(path: Path) -> NotebookNode:
    notebook: NotebookNode = nbformat.read(path, as_version=4)
    nbformat.validate(notebook)
    return notebook


def _locked(cell: NotebookNode, name: str) -> NotebookNode:
    return _known(cell, name, locked=True)


def _known(
    cell: NotebookNode,
    name: str,
    grade: bool = False,
    solution: bool = False,
    locked: bool = False,
    points: float | None = None,
) -> NotebookNode:
    flags = {"grade": grade, "solution": solution, "locked": locked, "task": False, "schema_version": 3}
    worth = {} if points is None else {"points": points}
    cell.metadata["nbgrader"] = {**flags, **worth, "grade_id": name}
    return cell
