"""A part as a notebook for nbgrader: for each step its text, a cell to write it in, and a cell that marks it.

Each part is an assignment of one notebook; both have the part's name. The cell that marks a step has hidden tests: the same
check with another exam, named and not held by the notebook.
"""

import ast
import copy
from collections.abc import Iterator

from nbformat import NotebookNode
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook

from autograder.exam.reference import BEGIN, END, ReferenceModule, StepSource, first_line
from autograder.exam.syllabus import SyllabusPart, SyllabusStep
from autograder.lecturing.docstrings import arguments_of, prose

HIDDEN_EXAM = "class"
"""The name of the exam of the hidden tests: `class.exam`, in the course directory of nbgrader's."""

BEGIN_HIDDEN, END_HIDDEN = "### BEGIN HIDDEN TESTS", "### END HIDDEN TESTS"
STUB = "raise NotImplementedError"
KERNEL = {"name": "python3", "display_name": "Python 3", "language": "python"}
HOW_TO = (
    "Write each step in its cell and run it. The cell below it marks the step as `attn check` does: what was expected beside what "
    "you returned, and what probably went wrong. The number under it is your points.\n\n"
    "Before you hand in: restart the kernel and run all cells. What counts is the notebook from top to bottom."
)


def notebook_of(part: SyllabusPart, module: ReferenceModule, site: str = "") -> NotebookNode:
    """Return a part as a source notebook of nbgrader's, with the solutions in it.

    site: the address of the published lectures, to which links lead; without one, the lecture's file is named.
    """
    heading, _, rest = (ast.get_docstring(ast.parse(module.text)) or part.title).partition("\n\n")
    cells = [
        _text("about", f"# {heading.rstrip('.')}\n\n{prose(rest)}\n\n{HOW_TO}"),
        _code("setup", f"{_given(module)}\n\n%load_ext autograder.jupyter", locked=True),
    ]
    for step, source in zip(part.steps, module.steps, strict=True):
        cells += [
            _text(f"about_{step.name}", _card(step, site)),
            _code(step.answer_cell, _answer(source), solution=True),
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


def _given(module: ReferenceModule) -> str:
    """Return what the module holds besides its steps: imports, and helpers that students are given."""
    lines = module.text.splitlines()
    steps = {step.name for step in module.steps}
    kept = [
        node
        for node in ast.parse(module.text).body
        if not _is_docstring(node) and getattr(node, "name", None) not in steps
    ]
    return "\n".join("\n".join(lines[_start(node) - 1 : node.end_lineno]) for node in kept)


def _start(node: ast.stmt) -> int:
    return first_line(node) if isinstance(node, ast.FunctionDef | ast.ClassDef) else node.lineno


def _card(step: SyllabusStep, site: str) -> str:
    points = f"{step.points:g} point{'' if step.points == 1 else 's'}"
    return (
        f"## Step {step.number}: `{step.name}`\n\n{points}, {step.effort}. {_lecture(step, site)}\n\n"
        f"`{step.signature}`\n\n{prose(step.docstring, arguments_of(step.signature))}"
    )


def _lecture(step: SyllabusStep, site: str) -> str:
    page, _, anchor = step.lecture.partition("#")
    if not site:
        return f"Lecture: `{page}`, section `{anchor}`."
    address = page.removeprefix("docs/").removesuffix(".md")
    return f"[The lecture]({site.rstrip('/')}/{address}/#{anchor})."


def _answer(source: StepSource) -> str:
    """Return a step without its docstring, which stands above the cell, and with its TODOs outside the solution regions.

    What lies outside stays where nbgrader clears the solutions.
    """
    (node,) = ast.parse(source.text).body
    lines = source.text.splitlines()
    assert isinstance(node, ast.FunctionDef | ast.ClassDef)
    documentation = node.body[0]
    if _is_docstring(documentation):
        last = documentation.end_lineno or documentation.lineno
        lines[documentation.lineno - 1 : last + (not lines[last].strip())] = []
    return "\n".join(_todo_first(lines))


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
    assert not waiting, f"a solution region without {END}"


def _tests(step: SyllabusStep) -> str:
    hidden = f'check("{step.path}", exam="{HIDDEN_EXAM}")'
    return f'check("{step.path}")\n{BEGIN_HIDDEN}\n{hidden}\n{END_HIDDEN}'


def _is_docstring(node: ast.stmt) -> bool:
    match node:
        case ast.Expr(value=ast.Constant(value=str())):
            return True
    return False


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
