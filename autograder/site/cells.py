"""Texts for cells of a part's notebook: subject, given code, and a card and code for each step."""

import ast
from collections.abc import Iterator

from autograder.exam.reference import BEGIN, END, first_line
from autograder.exam.syllabus import SyllabusPart, SyllabusStep
from autograder.site.docstrings import arguments_of, prose


def about(part: SyllabusPart, module: str, how_to: str) -> str:
    """Return the subject of a part, and the instructions for its notebook."""
    heading, _, rest = (ast.get_docstring(ast.parse(module)) or part.title).partition("\n\n")
    return f"# {heading.rstrip('.')}\n\n{prose(rest)}\n\n{how_to}"


INSTALL = """\
try:
    %load_ext autograder
except ModuleNotFoundError:  # as on Colab and Kaggle; this needs the network
    %pip install --quiet {}
    %load_ext autograder"""


def setup(part: SyllabusPart, module: str, wheel: str = "") -> str:
    """Return the lines that load the grader, and the imports and helpers of a module.

    wheel: the name under which pip finds the course, if the cell should install a missing grader.
    """
    lines = module.splitlines()
    steps = {step.name for step in part.steps}
    kept = [
        node for node in ast.parse(module).body if not _is_docstring(node) and getattr(node, "name", None) not in steps
    ]
    given = "\n".join("\n".join(lines[_start(node) - 1 : node.end_lineno]) for node in kept)
    return f"{INSTALL.format(wheel) if wheel else '%load_ext autograder'}\n\n{given}"


def card(step: SyllabusStep, site: str = "") -> str:
    """Return the card of a step. site: the address of the lectures; without it, the lecture's file is named."""
    points = f"{step.points:g} point{'' if step.points == 1 else 's'}"
    return (
        f"## Step {step.number}: `{step.name}`\n\n{points}, {step.effort}. {_lecture(step, site)}\n\n"
        f"`{step.signature}`\n\n{prose(step.docstring, arguments_of(step.signature))}"
    )


def code(source: str) -> str:
    """Return the text of a step without its docstring, and with its TODOs before the solution regions.

    The docstring is in the card, and nbgrader clears the regions.
    """
    (node,) = ast.parse(source).body
    lines = source.splitlines()
    assert isinstance(node, ast.FunctionDef | ast.ClassDef)
    documentation = node.body[0]
    if _is_docstring(documentation):
        last = documentation.end_lineno or documentation.lineno
        lines[documentation.lineno - 1 : last + (not lines[last].strip())] = []
    return "\n".join(_todo_first(lines))


def check(step: SyllabusStep) -> str:
    """Return the call that marks a step."""
    return f'check("{step.path}")'


def _start(node: ast.stmt) -> int:
    return first_line(node) if isinstance(node, ast.FunctionDef | ast.ClassDef) else node.lineno


def _lecture(step: SyllabusStep, site: str) -> str:
    page, _, anchor = step.lecture.partition("#")
    if not site:
        return f"Lecture: `{page}`, section `{anchor}`."
    address = page.removeprefix("docs/").removesuffix(".md")
    return f"[The lecture]({site.rstrip('/')}/{address}/#{anchor})."


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


def _is_docstring(node: ast.stmt) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str)
