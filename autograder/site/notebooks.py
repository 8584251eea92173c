"""Make a part's notebook for nbgrader. Each step has a text, a cell to write in and a marking cell.

Each part is an assignment with one notebook, and both have the part's name. In the instructor's
notebook, a marking cell also has hidden tests, which mark the step with the exam of the class.
"""

import ast
from collections.abc import Iterator

from nbformat import NotebookNode
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook

from autograder.exam.reference import BEGIN, ReferenceModule, first_line, stub_of_step
from autograder.exam.syllabus import SyllabusPart, SyllabusStep
from autograder.site.docstrings import arguments_of, prose

HIDDEN_EXAM = "class"
"""The name of the hidden tests' exam: the file `class.exam` in nbgrader's course directory."""

BEGIN_HIDDEN, END_HIDDEN = "### BEGIN HIDDEN TESTS", "### END HIDDEN TESTS"
STUB = "raise NotImplementedError"
KERNEL = {"name": "python3", "display_name": "Python 3", "language": "python"}
HOW_TO = (
    "Write each step in its cell and run it. It is marked at once, as `attn check` does: what was expected beside what you "
    "returned, and what probably went wrong. The cell below it marks the step; the number under that is your points."
    "\n\nBefore you hand in: restart the kernel and run all cells. What counts is the notebook from top to bottom."
)
INSTALL = """\
try:
    %load_ext autograder
except ModuleNotFoundError:  # as on Colab and Kaggle; this needs the network
    %pip install --quiet {}
    %load_ext autograder"""


def notebook_of(
    part: SyllabusPart, site: str = "", module: ReferenceModule | None = None, wheel: str = ""
) -> NotebookNode:
    """Return a part's notebook for students or, with its reference module, for the instructor.

    site: the address of the published lectures. Without an address, cards name the lecture's file.
    wheel: the course's name in pip; with it, the first cell installs the grader if it is missing.
    """
    text = module.text if module else part.stub
    sources = [step.text for step in module.steps] if module else [stub_of_step(part, step) for step in part.steps]
    cells = [_text("about", _about(part, text)), _code("setup", setup(part, text, wheel), locked=True)]
    for step, source in zip(part.steps, sources, strict=True):
        marked = {"locked": True, "grade": True, "points": step.points}
        check = f'check("{step.path}")'
        hidden = f'check("{step.path}", exam="{HIDDEN_EXAM}")'
        cells += [
            _text(f"about_{step.name}", _card(step, site)),
            _code(step.name, code(source), solution=True),
            _code(step.test_cell, f"{check}\n{BEGIN_HIDDEN}\n{hidden}\n{END_HIDDEN}" if module else check, **marked),
        ]
    for cell in () if module else cells:  # as nbgrader protects the cells that it releases
        cell.metadata |= {"deletable": False} | ({"editable": False} if cell.metadata.nbgrader["locked"] else {})
    notebook: NotebookNode = new_notebook(cells=cells, metadata={"kernelspec": KERNEL})
    return notebook


def setup(part: SyllabusPart, module: str, wheel: str = "") -> str:
    """Return the lines that load the grader, and the imports and helpers of a module.

    wheel: the course's name in pip; with it, the lines install the grader if it is missing.
    """
    lines = module.splitlines()
    steps = {step.name for step in part.steps}
    kept = [
        node for node in ast.parse(module).body if not _is_docstring(node) and getattr(node, "name", None) not in steps
    ]
    given = "\n".join("\n".join(lines[_start(node) - 1 : node.end_lineno]) for node in kept)
    return f"{INSTALL.format(wheel) if wheel else '%load_ext autograder'}\n\n{given}"


def code(source: str) -> str:
    """Return a step's source without its docstring, with each TODO moved before its solution region.

    The docstring is in the card. nbgrader deletes the regions, and the TODOs have to stay.
    """
    (node,) = ast.parse(source).body
    lines = source.splitlines()
    assert isinstance(node, ast.FunctionDef | ast.ClassDef)
    documentation = node.body[0]
    if _is_docstring(documentation):
        last = documentation.end_lineno or documentation.lineno
        lines[documentation.lineno - 1 : last + (not lines[last].strip())] = []
    return "\n".join(_todo_first(lines))


def _about(part: SyllabusPart, module: str) -> str:
    heading, _, rest = (ast.get_docstring(ast.parse(module)) or part.title).partition("\n\n")
    return f"# {heading.rstrip('.')}\n\n{prose(rest)}\n\n{HOW_TO}"


def _card(step: SyllabusStep, site: str) -> str:
    page, _, anchor = step.lecture.partition("#")
    lecture = f"Lecture: `{page}`, section `{anchor}`."
    if site:
        address = page.removeprefix("docs/").removesuffix(".md")
        lecture = f"[The lecture]({site.rstrip('/')}/{address}/#{anchor})."
    points = f"{step.points:g} point{'' if step.points == 1 else 's'}"
    return (
        f"## Step {step.number}: `{step.name}`\n\n{points}, {step.effort}. {lecture}\n\n"
        f"`{step.signature}`\n\n{prose(step.docstring, arguments_of(step.signature))}"
    )


def _start(node: ast.stmt) -> int:
    return first_line(node) if isinstance(node, ast.FunctionDef | ast.ClassDef) else node.lineno


def _todo_first(lines: list[str]) -> Iterator[str]:
    waiting = ""
    for line in lines:
        if line.strip() == BEGIN:
            waiting = line
        elif waiting and not line.strip().startswith("#"):
            yield from (waiting, line)
            waiting = ""
        else:
            yield line


def _is_docstring(node: ast.stmt) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str)


def _text(name: str, text: str) -> NotebookNode:
    cell: NotebookNode = new_markdown_cell(text, id=name, metadata=_nbgrader(name, locked=True))
    return cell


def _code(name: str, text: str, **metadata: object) -> NotebookNode:
    cell: NotebookNode = new_code_cell(text, id=name, metadata=_nbgrader(name, **metadata))
    return cell


def _nbgrader(name: str, **metadata: object) -> dict[str, object]:
    """Return a cell's metadata for nbgrader. metadata: the entries that differ from the defaults."""
    given = {"schema_version": 3, "grade_id": name, "grade": False, "solution": False, "locked": False, "task": False}
    return {"nbgrader": given | metadata}
