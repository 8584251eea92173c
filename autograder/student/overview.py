"""Draw the progress of each part, the next step with its file and line, and the description of a step."""

from collections.abc import Iterator
from pathlib import Path

from rich.console import RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from autograder.exam.reference import stub_of_step
from autograder.exam.syllabus import Syllabus, SyllabusPart, SyllabusStep
from autograder.grading.points import explained, not_allowed, points_of, shared_out
from autograder.render.results import count_points
from autograder.render.screen import Signs
from autograder.student.editing import locate
from autograder.student.progress import Progress
from autograder.workspace import Workspace

BAR = 12
ROOM_FOR_BARS = 70
"""The fewest columns of a terminal in which bars are drawn."""

INDENT = len("Next: ")


def draw_overview(
    workspace: Workspace, syllabus: Syllabus, progress: Progress, signs: Signs, columns: int
) -> Iterator[RenderableType]:
    """Yield a table with a row for each part, then the next step."""
    table = Table.grid(padding=(0, 2, 0, 0))
    for number, part in enumerate(syllabus.parts, start=1):
        done = sum(progress.passed(step.path) for step in part.steps)
        score = sum(progress.steps[step.path].score for step in part.steps if step.path in progress.steps)
        bar = draw_bar(score / part.points if part.points else done / len(part.steps), BAR, signs)
        steps = f"{done} of {len(part.steps)} {'step' if len(part.steps) == 1 else 'steps'}"
        table.add_row(
            str(number),
            Text(part.title, no_wrap=True, overflow="ellipsis"),
            *([bar] if columns >= ROOM_FOR_BARS and not signs.plain else ()),
            f"{score:>5g} / {part.points:g}",
            f"{steps}  {workspace.course.counting.due_words(part.name)}".rstrip(),
        )
    for column in (table.columns[0], *table.columns[2:]):
        column.no_wrap = True  # titles are cut instead
    yield table
    yield Text("")
    following = progress.next_step(syllabus)
    yield draw_next(workspace, following)
    if following:
        commands = f"\nattn show {following.path}\nattn check {following.path}"
        yield Padding.indent(Text.assemble(following.summary, (commands, "dim")), INDENT)


def draw_bar(share: float, columns: int, signs: Signs) -> Text:
    """Draw a bar that is filled up to a share from 0 to 1."""
    filled = int(columns * share)
    return Text.assemble((signs.bar * filled, "green"), (signs.rest * (columns - filled), "dim"))


def draw_next(workspace: Workspace, step: SyllabusStep | None) -> Text:
    """Draw a line that names the next step, its file and its line there."""
    if not step:
        return Text("Every step has passed.", style="bold green")
    where = locate(workspace, step).shown(Path.cwd())
    return Text.assemble(("Next: ", "bold"), f"{step.path} in ", (where, "cyan"))


def draw_step_card(
    workspace: Workspace, part: SyllabusPart, step: SyllabusStep, with_points: bool = False
) -> Iterator[RenderableType]:
    """Yield the lines that describe a step: criteria, signature, lecture, line in the file, and stub.

    with_points: whether to write the points of each criterion.
    """
    counts = workspace.course.counting.weight(step.path).words
    told = [f"step {step.number} of {len(part.steps)}", count_points(step.points), counts, step.effort]
    yield Text.assemble((step.path, "bold"), f"  {', '.join(filter(None, told))}")
    yield Text(f"criteria  {shared_out(step) if with_points else ', '.join(points_of(step))}", style="dim")
    if given_for := explained(step, workspace.course.criteria):
        yield Text(given_for, style="dim")
    if forbidden := not_allowed(step, workspace.course):
        yield Text(f"not allowed: {forbidden}", style="dim")
    yield Text(step.signature, style="cyan")
    yield Text.assemble("lecture   ", (f"attn show --lecture {step.path}", "cyan"))
    yield Text.assemble("write it  ", (locate(workspace, step).shown(workspace.root), "cyan"))
    yield Text("")
    yield Text(stub_of_step(part, step).rstrip())
