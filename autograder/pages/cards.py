"""The steps of the course as cards, made from the syllabus: what each one asks, what it is worth, and the stub to write in."""

import re
import textwrap
from collections.abc import Iterator

from autograder.course.course import Course
from autograder.course.model import SINGLE
from autograder.exam.stub import stub_of_step
from autograder.exam.syllabus import SyllabusPart, SyllabusStep, load
from autograder.marking.rubric import explained, shared_out
from autograder.pages.docstrings import arguments_of, prose
from autograder.pages.exercise import card_anchor
from autograder.workspace import here

ANY_SHAPE = {"Float": "(any shape)", "Bool": "(any shape, True or False)"}
"""How a card writes a tensor of these numbers whose shape is free."""


def cards() -> str:
    """Return the Markdown of all cards, one chapter for each part."""
    workspace = here()
    course = workspace.course
    return "\n\n".join(block for part in load(workspace.syllabus).parts for block in _chapter(course, part))


def _chapter(course: Course, part: SyllabusPart) -> Iterator[str]:
    number = part.name.removeprefix("part").partition("_")[0]
    yield f"## Part {number}: {part.title} {{#part{number}}}"
    due = course.counting.due_words(part.name)
    told = [f"{len(part.steps)} steps", f"{part.points:g} points", f"in `exercises/{part.name}.py`", due]
    yield f"{', '.join(filter(None, told))}."
    for step in part.steps:
        yield from _card(course, part, step)


def _card(course: Course, part: SyllabusPart, step: SyllabusStep) -> Iterator[str]:
    yield f"### Step {step.number}: `{step.name}` {{#{card_anchor(step)} data-toc-label='{step.name}' .step}}"
    counts = course.counting.weight(step.path).words
    lecture = f"[read the lecture](../{step.lecture.removeprefix('docs/')})"
    yield " · ".join(filter(None, [f"**{_points(step)}**", counts, step.effort, lecture]))
    yield f"Points: {shared_out(step)}. {explained(step, course.criteria)}".rstrip()
    yield f"```{{ .text .step-signature }}\n{readable(step.signature)}\n```"
    yield prose(step.docstring, arguments_of(step.signature))
    yield from _shapes(step)
    yield from _not_allowed(course, step)
    yield _stub_box(part, step)


def _points(step: SyllabusStep) -> str:
    return f"{step.points:g} point{'' if step.points == 1 else 's'}"


def readable(signature: str) -> str:
    """Return a signature without what only Python needs: `Float[Tensor, ...]` takes any shape."""
    return re.sub(r"\b(\w+)\[Tensor, \.\.\.\]", lambda of: ANY_SHAPE[of[1]], signature)


def _shapes(step: SyllabusStep) -> Iterator[str]:
    rows = [*_rows(step.arguments, "argument"), *_rows(step.returns, "checked")]
    if rows:
        table = "\n".join(["| tensor | shape | role |", "| --- | --- | --- |", *rows])
        yield f'<div class="step-shapes" markdown>\n\n{table}\n\n</div>'


def _rows(dims_of: dict[str, str], role: str) -> Iterator[str]:
    for name, dims in dims_of.items():
        written = name if name == SINGLE or " " in name else f"`{name}`"
        yield f"| {written} | ({', '.join(dims.split())}) | {role} |"


def _not_allowed(course: Course, step: SyllabusStep) -> Iterator[str]:
    own = [f"`{name}`" for name in step.forbids if name not in course.forbids]
    if listed := ", ".join([*filter(None, [course.forbidden_words]), *own]):
        yield f"Not allowed: {listed}."


def _stub_box(part: SyllabusPart, step: SyllabusStep) -> str:
    commands = "\n".join(f"attn {verb} {step.path}" for verb in ("check", "hint", "reset"))
    inside = f"```python\n{stub_of_step(part, step).rstrip()}\n```\n\nMark it, ask for a hint, put the stub back:\n\n```sh\n{commands}\n```"
    return f'??? stub "The stub of {step.name}"\n\n{textwrap.indent(inside, "    ")}'
