"""Draw the end of a lecture's section: the step to write, its common mistakes, its solution."""

import posixpath
import textwrap
from difflib import get_close_matches

from autograder.exam.reference import read
from autograder.exam.syllabus import SyllabusStep, load
from autograder.site.figure import Edition, Figure
from autograder.workspace import here

CARDS = "docs/reference/steps.md"
"""The page with the cards of all steps."""
WHEN_TO_READ = "For after a try of your own: this is what the grader says to wrong answers."
"""The sentence above the list of common mistakes."""


def exercise(path: str, order: str = "", *, edition: Edition) -> Figure:
    """Return the task of a step. path: `part.step`. Raises ValueError for a step that does not exist.

    order: a sentence about earlier steps, if the lectures have another order of steps than the file.
    """
    syllabus = load(here().syllabus)
    steps = {step.path: step for step in syllabus.steps}
    if path not in steps:
        nearest = "".join(get_close_matches(path, steps, n=1, cutoff=0.0))
        raise ValueError(f"there is no step {path!r}; did you mean {nearest!r}?")
    step, command = steps[path], f"attn check {path}"
    part = syllabus.part(step.part)
    place = f"step {step.number} of {len(part.steps)}, part {syllabus.parts.index(part) + 1}"
    task = _box("!!! exercise", f"Now in your file: {place}, `{step.name}`", _task(step, order, command))
    reveals = []
    if known := _mistakes(step):
        reveals.append(_box("??? mistakes warning", "Common mistakes", f"{WHEN_TO_READ}\n\n{known}"))
    if edition is Edition.OPEN:
        reveals.append(_box("??? solution", "Solution", f"```python\n{solution_of(step)}\n```"))
    page = _grouped('class="task"', task, *(_grouped("data-search-exclude", reveal) for reveal in reveals))
    return Figure(page, f"{order} Now in your file, {place}, `{step.name}`: `{command}`.\n".lstrip())


def _task(step: SyllabusStep, order: str, command: str) -> str:
    points = f"{step.points:g} point{'' if step.points == 1 else 's'}"
    card = f"{posixpath.relpath(CARDS, posixpath.dirname(step.lecture))}#{card_anchor(step)}"
    told = f"{step.summary} {points}, {step.effort}. {order}".rstrip()
    return f"{told} [The stub]({card}) is in `exercises/{step.part}.py`; when it is written:\n\n```sh\n{command}\n```"


def card_anchor(step: SyllabusStep) -> str:
    """Return the anchor of a step's card on the page of all cards."""
    return f"{step.part.partition('_')[0]}-{step.name.lower()}"


def _mistakes(step: SyllabusStep) -> str:
    known = [mistake.says for mistake in here().course.mistakes(step.part) if mistake.step == step.name]
    return "\n".join(f"- {says}" for says in dict.fromkeys(known))


def solution_of(step: SyllabusStep) -> str:
    """Return the code of a step's solution, without the lines that mark the solution region."""
    sources = {source.name: source.text for source in read(here().course.solution(step.part)).steps}
    lines = sources[step.name].splitlines()
    return "\n".join(line for line in lines if not line.strip().startswith("### "))


def _grouped(attribute: str, *boxes: str) -> str:
    """Return boxes inside one `div`. attribute: an attribute of the `div`."""
    return "\n".join([f"<div {attribute} markdown>\n", *boxes, "</div>\n"])


def _box(kind: str, title: str, text: str) -> str:
    return f'{kind} "{title}"\n\n{textwrap.indent(text, "    ")}\n'
