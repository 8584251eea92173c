"""The card of one step: what it asks, with shapes, points, lecture and stub."""

from collections.abc import Iterator

from rich.console import RenderableType
from rich.padding import Padding
from rich.text import Text

from autograder.cli.editing import locate, stub_of_step
from autograder.exam.syllabus import SyllabusPart, SyllabusStep
from autograder.workspace import Workspace


def draw_step_card(workspace: Workspace, part: SyllabusPart, step: SyllabusStep) -> Iterator[RenderableType]:
    """Yield the card line by line."""
    yield Text.assemble(
        (step.path, "bold"), f"  step {step.number} of {len(part.steps)}, {step.points:g} points, {step.effort}"
    )
    yield Text(step.signature, style="cyan")
    yield Text("")
    yield Text(step.docstring)
    yield Text("")
    for name, dims in step.arguments.items():
        yield Text(f"  {name:<16} ({dims})")
    for name, dims in step.returns.items():
        yield Text(f"  {name:<16} ({dims})", style="green")
    yield Text("")
    yield Text.assemble("Lecture  ", (step.lecture, "cyan"))
    yield Text.assemble("Write it ", (locate(workspace, step).shown(workspace.root), "cyan"))
    yield Text("")
    yield Padding(Text(stub_of_step(part, step)), (0, 0, 0, 2))
