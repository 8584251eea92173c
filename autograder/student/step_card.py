"""The card of one step: its points, shapes, lecture, place in the file, and stub."""

from collections.abc import Iterator

from rich.console import RenderableType
from rich.text import Text

from autograder.exam.reference import stub_of_step
from autograder.exam.syllabus import SyllabusPart, SyllabusStep
from autograder.grading.points import explained, not_allowed, shared_out
from autograder.render.results import count_points
from autograder.student.editing import locate
from autograder.workspace import Workspace


def draw_step_card(workspace: Workspace, part: SyllabusPart, step: SyllabusStep) -> Iterator[RenderableType]:
    """Yield the card line by line."""
    counts = workspace.course.counting.weight(step.path).words
    told = [f"step {step.number} of {len(part.steps)}", count_points(step.points), counts, step.effort]
    yield Text.assemble((step.path, "bold"), f"  {', '.join(filter(None, told))}")
    yield Text(f"points    {shared_out(step)}", style="dim")
    if given_for := explained(step, workspace.course.criteria):
        yield Text(given_for, style="dim")
    if forbidden := not_allowed(step, workspace.course):
        yield Text(f"not allowed: {forbidden}", style="dim")
    yield Text(step.signature, style="cyan")
    yield Text.assemble("lecture   ", (f"attn lecture {step.path}", "cyan"))
    yield Text.assemble("write it  ", (locate(workspace, step).shown(workspace.root), "cyan"))
    yield Text("")
    yield Text(stub_of_step(part, step).rstrip())
