"""Make a part's notebook for nbgrader. Each step has a text, a cell to write in and a marking cell.

Each part is an assignment with one notebook, and both have the part's name. In the instructor's
notebook, a marking cell also has hidden tests, which mark the step with the exam of the class.
"""

import ast
from collections.abc import Callable, Iterator

from nbformat import NotebookNode
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook

from autograder.course.course import Course
from autograder.exam.reference import BEGIN, ReferenceModule, first_line, stub_of_step
from autograder.exam.syllabus import SyllabusPart, SyllabusStep
from autograder.site.docstrings import prose
from autograder.site.links import open_in

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


def notebook_of(part: SyllabusPart, course: Course, module: ReferenceModule | None = None) -> NotebookNode:
    """Return a part's notebook for students or, with its reference module, for the instructor.

    If the course has no site, cards name the lecture's file.
    """
    text = module.text if module else part.stub
    sources = [step.text for step in module.steps] if module else [stub_of_step(part, step) for step in part.steps]
    cells = [
        _cell(new_markdown_cell, "about", _about(part, text, open_in(course, part.name)), locked=True),
        _cell(new_code_cell, "setup", setup(part, text, course.release.wheel), locked=True),
    ]
    for step, source in zip(part.steps, sources, strict=True):
        marked = {"locked": True, "grade": True, "points": step.points}
        check = f'check("{step.path}")'
        hidden = f'{BEGIN_HIDDEN}\ncheck("{step.path}", exam="{HIDDEN_EXAM}")\n{END_HIDDEN}'
        cells += [
            _cell(new_markdown_cell, f"about_{step.name}", _card(step, course.site), locked=True),
            _cell(new_code_cell, step.name, code(source), solution=True),
            _cell(new_code_cell, step.test_cell, f"{check}\n{hidden}" if module else check, **marked),
        ]
    for cell in () if module else cells:  # as nbgrader protects the cells that it releases
        cell.metadata |= {"deletable": False} | ({"editable": False} if cell.metadata.nbgrader["locked"] else {})
    notebook: NotebookNode = new_notebook(cells=cells, metadata={"kernelspec": KERNEL})
    return notebook


def setup(part: SyllabusPart, module: str, wheel: str = "") -> str:
    """Return the lines that load the grader, and the imports and helpers of a module.

    wheel: the course's name in pip; with it, the lines install the grader if it is missing.
    """
    lines, tree = module.splitlines(), ast.parse(module)
    body = tree.body[1:] if ast.get_docstring(tree) else tree.body
    kept = [node for node in body if getattr(node, "name", None) not in {step.name for step in part.steps}]
    given = "\n".join("\n".join(lines[_start(node) - 1 : node.end_lineno]) for node in kept)
    return f"{INSTALL.format(wheel) if wheel else '%load_ext autograder'}\n\n{given}"


def code(source: str) -> str:
    """Return a step's source without its docstring, with each TODO moved before its solution region.

    The docstring is in the card. nbgrader deletes the regions, and the TODOs have to stay.
    """
    (node,) = ast.parse(source).body
    lines = source.splitlines()
    assert isinstance(node, ast.FunctionDef | ast.ClassDef)
    if ast.get_docstring(node):
        documentation = node.body[0]
        last = documentation.end_lineno or documentation.lineno
        lines[documentation.lineno - 1 : last + (not lines[last].strip())] = []
    return "\n".join(_todo_first(lines))


def _about(part: SyllabusPart, module: str, links: str) -> str:
    heading, _, rest = (ast.get_docstring(ast.parse(module)) or part.title).partition("\n\n")
    return "\n\n".join(filter(None, [f"# {heading.rstrip('.')}", links, prose(rest), HOW_TO]))


def _card(step: SyllabusStep, site: str) -> str:
    page, _, anchor = step.lecture.partition("#")
    lecture = f"Lecture: `{page}`, section `{anchor}`."
    if site:
        address = page.removeprefix("docs/").removesuffix(".md")
        lecture = f"[The lecture]({site.rstrip('/')}/{address}/#{anchor})."
    points = f"{step.points:g} point{'' if step.points == 1 else 's'}"
    return (
        f"## Step {step.number}: `{step.name}`\n\n{points}, {step.effort}. {lecture}\n\n"
        f"`{step.signature}`\n\n{prose(step.docstring, step.signature)}"
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


def _cell(make: Callable[..., NotebookNode], name: str, text: str, **metadata: object) -> NotebookNode:
    """Return a cell with metadata for nbgrader. metadata: the entries that differ from the defaults."""
    given = {"schema_version": 3, "grade_id": name, "grade": False, "solution": False, "locked": False, "task": False}
    return make(text, id=name, metadata={"nbgrader": given | metadata})
