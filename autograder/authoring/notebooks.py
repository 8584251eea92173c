"""Make a part's notebook for nbgrader: for each step its text, a cell to write it in, and a cell that marks it.

A part is an assignment of one notebook; both have the part's name. In the instructor's notebook the
cell that marks a step has hidden tests: the same check with the exam of the class.
"""

from nbformat import NotebookNode
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook

from autograder.exam.reference import ReferenceModule, stub_of_step
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


def notebook_of(part: SyllabusPart, site: str = "", module: ReferenceModule | None = None) -> NotebookNode:
    """Return a part as a notebook for students or, with its reference module, as nbgrader's source notebook.

    site: the address of the published lectures; without it, cards name the lecture's file.
    """
    text = module.text if module else part.stub
    sources = [step.text for step in module.steps] if module else [stub_of_step(part, step) for step in part.steps]
    cells = [_text("about", about(part, text, HOW_TO)), _code("setup", setup(part, text), locked=True)]
    for step, source in zip(part.steps, sources, strict=True):
        marked = {"locked": True, "grade": True, "points": step.points}
        cells += [
            _text(f"about_{step.name}", card(step, site)),
            _code(step.name, code(source), solution=True),
            _code(step.test_cell, _tests(step) if module else check(step), **marked),
        ]
    notebook: NotebookNode = new_notebook(cells=cells, metadata={"kernelspec": KERNEL})
    return notebook


def _tests(step: SyllabusStep) -> str:
    hidden = f'check("{step.path}", exam="{HIDDEN_EXAM}")'
    return f"{check(step)}\n{BEGIN_HIDDEN}\n{hidden}\n{END_HIDDEN}"


def _text(name: str, text: str) -> NotebookNode:
    cell: NotebookNode = new_markdown_cell(text, id=name, metadata=_nbgrader(name, locked=True))
    return cell


def _code(name: str, text: str, **metadata: object) -> NotebookNode:
    cell: NotebookNode = new_code_cell(text, id=name, metadata=_nbgrader(name, **metadata))
    return cell


def _nbgrader(name: str, **metadata: object) -> dict[str, object]:
    """Return the metadata of a cell. metadata: what differs from a cell that students may change."""
    given = {"schema_version": 3, "grade_id": name, "grade": False, "solution": False, "locked": False, "task": False}
    return {"nbgrader": given | metadata}
