"""The progress of each part, the next step with its file and line, and the card of a step."""

from collections.abc import Iterator
from pathlib import Path

from rich.console import RenderableType
from rich.padding import Padding
from rich.text import Text

from autograder.exam.reference import stub_of_step
from autograder.exam.syllabus import Syllabus, SyllabusPart, SyllabusStep
from autograder.grading.points import explained, not_allowed, shared_out
from autograder.render.results import count_points
from autograder.render.screen import Signs
from autograder.student.editing import locate, look_at
from autograder.student.progress import Progress, file_digest
from autograder.workspace import Workspace

LONGEST_BAR, SHORTEST_BAR, SHORTEST_TITLE = 20, 4, 8
GAP = "  "
INDENT = len("Next: ")


def draw_overview(
    workspace: Workspace, syllabus: Syllabus, progress: Progress, signs: Signs, columns: int
) -> Iterator[RenderableType]:
    """Yield a line for each part, and the next step."""
    due = workspace.course.counting.due_words
    counts = {part.name: f"{_count(part, progress)}{GAP}{due(part.name)}".rstrip() for part in syllabus.parts}
    room = columns - max(map(len, counts.values())) - len(f"1{GAP} ")
    titles = min(max(len(part.title) for part in syllabus.parts), max(room, SHORTEST_TITLE))
    rest = room - titles - len(GAP)
    bar = min(rest, LONGEST_BAR) if rest >= SHORTEST_BAR and not signs.plain else 0
    for number, part in enumerate(syllabus.parts, start=1):
        drawn = (*_bar(_share(part, progress), bar, signs), GAP) if bar else ()
        title = Text(part.title)
        title.truncate(titles, overflow="ellipsis", pad=True)
        yield Text.assemble(f"{number}{GAP}", title, " ", *drawn, counts[part.name])
    yield Text("")
    following = progress.next_step(syllabus)
    yield draw_next(workspace, progress, following)
    if following:
        for line in (following.summary, *(f"attn {verb} {following.path}" for verb in ("show", "check"))):
            style = "dim" if line.startswith("attn ") else ""
            yield Padding(Text(line, style=style), (0, 0, 0, INDENT), expand=False)


def _count(part: SyllabusPart, progress: Progress) -> str:
    done = sum(progress.passed(step.path) for step in part.steps)
    return f"{_score(part, progress):>5g} / {part.points:g}{GAP}{done} of {len(part.steps)} {'step' if len(part.steps) == 1 else 'steps'}"


def _score(part: SyllabusPart, progress: Progress) -> float:
    return sum(progress.steps[step.path].score for step in part.steps if step.path in progress.steps)


def _share(part: SyllabusPart, progress: Progress) -> float:
    """Return the share of a part's points, or of its steps if it has no points, that has been reached."""
    if part.points:
        return _score(part, progress) / part.points
    return sum(progress.passed(step.path) for step in part.steps) / len(part.steps)


def _bar(share: float, columns: int, signs: Signs) -> tuple[tuple[str, str], tuple[str, str]]:
    filled = round(columns * share)
    return (signs.bar * filled, "green"), (signs.rest * (columns - filled), "dim")


def draw_next(workspace: Workspace, progress: Progress, step: SyllabusStep | None) -> Text:
    """Draw the next step, with its wrong line if its file is unchanged since the marking, else its TODO."""
    if not step:
        return Text("Every step has passed.", style="bold green")
    known = progress.steps.get(step.path)
    line = known.line if known and known.file == file_digest(workspace.exercise(step.part)) else 0
    where = look_at(workspace, step, line).shown(Path.cwd())
    return Text.assemble(("Next: ", "bold"), f"{step.path} in ", (where, "cyan"))


def draw_step_card(workspace: Workspace, part: SyllabusPart, step: SyllabusStep) -> Iterator[RenderableType]:
    """Yield the card of a step line by line: points, shapes, lecture, place in the file, and stub."""
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
