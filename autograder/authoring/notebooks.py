"""A part as a notebook for nbgrader: for each step its text, a cell to write it in, and a cell that marks it.

Each part is an assignment of one notebook; both have the part's name. The cell that marks a step has hidden tests: the same
check with another exam, named and not held by the notebook.
"""

import copy

from nbformat import NotebookNode
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook

from autograder.exam.reference import ReferenceModule
from autograder.exam.syllabus import SyllabusPart, SyllabusStep
from autograder.site.cells import about, card, check, code, setup

HIDDEN_EXAM = "class"
"""The name of the exam of the hidden tests: `class.exam`, in the nbgrader course directory."""

BEGIN_HIDDEN, END_HIDDEN = "### BEGIN HIDDEN TESTS", "### END HIDDEN TESTS"
STUB = "raise NotImplementedError"
KERNEL = {"name": "python3", "display_name": "Python 3", "language": "python"}
HOW_TO = (
    "Write each step in its cell and run it. It is marked at once, as `attn check` does: what was expected beside what you "
    "returned, and what probably went wrong. The cell below it marks the step for nbgrader; the number under that is your points."
    "\n\nBefore you hand in: restart the kernel and run all cells. What counts is the notebook from top to bottom."
)


def notebook_of(part: SyllabusPart, module: ReferenceModule, site: str = "") -> NotebookNode:
    """Return a part as a source notebook of nbgrader's, with the solutions in it.

    site: the address of the published lectures, to which links lead; without one, the lecture's file is named.
    """
    cells = [
        _text("about", about(part, module.text, HOW_TO)),
        _code("setup", setup(part, module.text), locked=True),
    ]
    for step, source in zip(part.steps, module.steps, strict=True):
        cells += [
            _text(f"about_{step.name}", card(step, site)),
            _code(step.name, code(source.text), solution=True),
            _code(step.test_cell, _tests(step), locked=True, grade=True, points=step.points),
        ]
    return _with_checksums(new_notebook(cells=cells, metadata={"kernelspec": KERNEL}))


def released(notebook: NotebookNode) -> NotebookNode:
    """Return a source notebook as students get it: what `nbgrader generate_assignment` makes of it."""
    from nbgrader import preprocessors
    from traitlets.config import Config

    config = Config({"ClearSolutions": {"code_stub": {"python": STUB}}})
    made = copy.deepcopy(notebook)
    for name in (
        "LockCells",
        "ClearSolutions",
        "ClearOutput",
        "ClearHiddenTests",
        "ComputeChecksums",
        "CheckCellMetadata",
    ):
        made, _ = getattr(preprocessors, name)(config=config).preprocess(made, {})
    return made


def _with_checksums(notebook: NotebookNode) -> NotebookNode:
    from nbgrader.preprocessors import ComputeChecksums

    notebook, _ = ComputeChecksums().preprocess(notebook, {})
    return notebook


def _tests(step: SyllabusStep) -> str:
    hidden = f'check("{step.path}", exam="{HIDDEN_EXAM}")'
    return f"{check(step)}\n{BEGIN_HIDDEN}\n{hidden}\n{END_HIDDEN}"


def _text(name: str, text: str) -> NotebookNode:
    cell: NotebookNode = new_markdown_cell(text, id=name, metadata={"nbgrader": _nbgrader(name, locked=True)})
    return cell


def _code(
    name: str,
    text: str,
    *,
    locked: bool = False,
    solution: bool = False,
    grade: bool = False,
    points: float | None = None,
) -> NotebookNode:
    metadata = _nbgrader(name, locked=locked, solution=solution, grade=grade)
    worth = {} if points is None else {"points": points}
    cell: NotebookNode = new_code_cell(text, id=name, metadata={"nbgrader": metadata | worth})
    return cell


def _nbgrader(name: str, *, locked: bool, solution: bool = False, grade: bool = False) -> dict[str, object]:
    return {
        "schema_version": 3,
        "grade_id": name,
        "grade": grade,
        "solution": solution,
        "locked": locked,
        "task": False,
    }
