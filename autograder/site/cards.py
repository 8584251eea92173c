"""Make a card for each step of the syllabus, with the task, the points and the stub."""

import re
import textwrap
from collections.abc import Iterator
from html import escape

from autograder.course.course import Course
from autograder.exam.reference import stub_of_step
from autograder.exam.syllabus import SyllabusPart, SyllabusStep, load
from autograder.grading.points import not_allowed, points_of
from autograder.site.docstrings import prose
from autograder.site.exercise import card_anchor
from autograder.site.links import open_in
from autograder.workspace import here

ANY_SHAPE = {"Float": "(any shape)", "Bool": "(any shape, True or False)"}
"""The words on a card for a tensor of any shape, by the type in its annotation."""


def cards() -> str:
    """Return the Markdown of all cards, one chapter for each part."""
    workspace = here()
    course = workspace.course
    return "\n\n".join(block for part in load(workspace.syllabus).parts for block in _chapter(course, part))


def _chapter(course: Course, part: SyllabusPart) -> Iterator[str]:
    number = part.name.removeprefix("part").partition("_")[0]
    yield '<section class="part" markdown>'
    yield f"## Part {number}: {part.title} {{#part{number}}}"
    due = course.counting.due_words(part.name)
    told = [f"{len(part.steps)} steps", f"{part.points:g} points", f"in `exercises/{part.name}.py`", due]
    yield f"{', '.join(filter(None, told))}."
    yield open_in(course, part.name)
    for step in part.steps:
        yield from _card(course, part, f"{number}.{step.number}", step)
    yield "</section>"


def _card(course: Course, part: SyllabusPart, number: str, step: SyllabusStep) -> Iterator[str]:
    yield '<section class="card" markdown>'
    label = f"{number} {step.name}"
    yield f"### {number} `{step.name}` {{#{card_anchor(step)} data-toc-label='{label}' .step}}"
    counts = course.counting.weight(step.path).words
    lecture = f"[read the lecture](../{step.lecture.removeprefix('docs/')})"
    points = f"**{step.points:g} point{'' if step.points == 1 else 's'}**"
    yield " · ".join(filter(None, [points, counts, step.effort, lecture]))
    yield f'<p class="step-signature"><code>{escape(readable(step.signature))}</code></p>'
    yield prose(step.docstring, step.signature)
    yield from _checked(step)
    yield "Points:"
    yield "\n".join(_points_of_criteria(course, step))
    if forbidden := not_allowed(step, course):
        yield f"Not allowed: {forbidden}."
    stub = f"```python\n{stub_of_step(part, step).rstrip()}\n```"
    yield f'??? stub "The stub of {step.name}"\n\n{textwrap.indent(stub, "    ")}'
    yield "</section>"


def _points_of_criteria(course: Course, step: SyllabusStep) -> Iterator[str]:
    """Yield a list item for each criterion, with its points, name and description."""
    shares = {name: points for name, points in points_of(step).items() if points}
    digits = max(len(f"{points:g}".partition(".")[2]) for points in shares.values())
    for name, points in shares.items():
        told = f": {course.criteria[name]}" if name in course.criteria else ""
        yield f"- {points:.{digits}f} for {name}{told}"


def readable(signature: str) -> str:
    """Return a signature with words for `Float[Tensor, ...]`, and with each method on its own line."""
    words = re.sub(r"\b(\w+)\[Tensor, \.\.\.\]", lambda of: ANY_SHAPE[of[1]], signature)
    return words.replace("; ", "\n")


def _checked(step: SyllabusStep) -> Iterator[str]:
    """Yield a sentence that lists the outputs which the grader compares, if there are several."""
    if len(step.returns) > 1:
        yield f"Checked: {'; '.join(_named(name, dims) for name, dims in step.returns.items())}."


def _named(name: str, dims: str) -> str:
    written = name if " " in name else f"`{name}`"
    return f"{written} ({', '.join(dims.split())})" if dims else written
