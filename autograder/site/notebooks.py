"""Make a part's notebook for nbgrader. Each step has a text, a cell to write in and a marking cell.

Each part is an assignment with one notebook, and both have the part's name. In the instructor's
notebook, a marking cell also has hidden tests, which mark the step with the exam of the class.
"""

from nbformat import NotebookNode
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook

from autograder.exam.reference import ReferenceModule, stub_of_step
from autograder.exam.syllabus import SyllabusPart, SyllabusStep
from autograder.site.cells import about, card, check, code, setup

HIDDEN_EXAM = "class"
"""The exam of the hidden tests is the file `class.exam` in the nbgrader course directory."""

BEGIN_HIDDEN, END_HIDDEN = "### BEGIN HIDDEN TESTS", "### END HIDDEN TESTS"
STUB = "raise NotImplementedError"
KERNEL = {"name": "python3", "display_name": "Python 3", "language": "python"}
HOW_TO = (
    "Write each step in its cell and run it. It is marked at once, as `attn check` does: what was expected beside what you "
    "returned, and what probably went wrong. The cell below it marks the step; the number under that is your points."
    "\n\nBefore you hand in: restart the kernel and run all cells. What counts is the notebook from top to bottom."
)


def notebook_of(
    part: SyllabusPart, site: str = "", module: ReferenceModule | None = None, wheel: str = ""
) -> NotebookNode:
    """Return a part's notebook for students or, with its reference module, for the instructor.

    site: the address of the published lectures. Without it, notebooks name the lecture's file.
    wheel: the name under which pip finds the course; the first cell installs a missing grader.
    """
    text = module.text if module else part.stub
    sources = [step.text for step in module.steps] if module else [stub_of_step(part, step) for step in part.steps]
    cells = [_text("about", about(part, text, HOW_TO)), _code("setup", setup(part, text, wheel), locked=True)]
    for step, source in zip(part.steps, sources, strict=True):
        marked = {"locked": True, "grade": True, "points": step.points}
        cells += [
            _text(f"about_{step.name}", card(step, site)),
            _code(step.name, code(source), solution=True),
            _code(step.test_cell, _tests(step) if module else check(step), **marked),
        ]
    for cell in () if module else cells:  # as nbgrader protects the cells that it releases
        cell.metadata |= {"deletable": False} | ({"editable": False} if cell.metadata.nbgrader["locked"] else {})
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
    """Return a cell's metadata. metadata: entries that differ from those of a cell students may edit."""
    given = {"schema_version": 3, "grade_id": name, "grade": False, "solution": False, "locked": False, "task": False}
    return {"nbgrader": given | metadata}
