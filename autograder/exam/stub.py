"""A stub: a reference module whose solution regions have become TODOs."""

import ast

from autograder.exam.reference import BEGIN, END, ReferenceModule, StepSource, definitions, first_line
from autograder.exam.syllabus import SyllabusPart, SyllabusStep


def stub_of(module: ReferenceModule) -> str:
    """Return the text of the stub module: each solution region keeps its TODO and raises NotImplementedError."""
    number = {step.name: position for position, step in enumerate(module.steps, start=1)}
    lines: list[str] = []
    region: list[str] | None = None
    for line_number, line in enumerate(module.text.splitlines(), start=1):
        if line.strip() == BEGIN:
            region = []
        elif line.strip() == END:
            step = _step_at(module, line_number)
            lines += _todo(region or [], f"step {number[step.name]}: {step.name}")
            region = None
        elif region is not None:
            region.append(line)
        else:
            lines.append(line)
    return "\n".join(lines) + "\n"


def _step_at(module: ReferenceModule, line: int) -> StepSource:
    return next(step for step in module.steps if step.first_line <= line <= step.last_line)


def _todo(region: list[str], message: str) -> list[str]:
    """Return the comment that opens a solution region, and the line that raises in place of the rest."""
    comment: list[str] = []
    for line in region:
        if not line.strip().startswith("#"):
            break
        comment.append(line)
    indent = comment[0][: len(comment[0]) - len(comment[0].lstrip())]
    return [*comment, f'{indent}raise NotImplementedError("{message}")']


def stub_of_step(part: SyllabusPart, step: SyllabusStep) -> str:
    """Return the text of a step's stub."""
    found = next(node for node in definitions(ast.parse(part.stub)) if node.name == step.name)
    return "\n".join(part.stub.splitlines()[first_line(found) - 1 : found.end_lineno]) + "\n"
