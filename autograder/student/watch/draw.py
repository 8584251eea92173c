"""Draw the screen of the watch: changes, the current step, its hints, and a bar of passed steps."""

from collections.abc import Iterator

from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.text import Text

from autograder.course.verdicts import Verdict
from autograder.render.results import INDENT, count_points, draw_failure, draw_heading
from autograder.render.screen import sign_of
from autograder.student.editing import line_to_look_at
from autograder.student.overview import draw_bar, draw_step_card
from autograder.student.watch.state import State

KEYS = "h hint  w why  s show  l list  r reset  d debug  q quit"
LIST_KEYS = "up, down or k, j   enter goes there"
BAR = 40
AROUND_LIST = 6
"""Lines of the screen that the list of steps may not fill."""

MOST_PRINTED = 4
"""The most lines shown of a student's output. More would push the verdict out of a small window."""


def draw(state: State, height: int, with_picture: bool = True) -> Iterator[RenderableType]:
    """Yield the whole screen. height: lines of the terminal. with_picture: False to leave out a picture."""
    if state.view == "list":
        yield from _draw_list(state, max(height - AROUND_LIST, 5))
    else:
        yield from (*state.news, Text("")) if state.news else ()
        yield from _draw_step(state, with_picture)
        yield Text("")
        error = state.errors.get(state.step.part) or ""
        where = line_to_look_at(state.workspace, state.step, state.marks_of(state.step), error)
        yield Text(where.shown(state.workspace.root), style="cyan")
    yield _draw_progress(state)
    yield Text(LIST_KEYS if state.view == "list" else KEYS, style="dim")
    marked = f"marked in {1000 * state.latest.seconds:.0f} ms" if state.latest else ""
    yield Text(state.under_way or marked, style="yellow" if state.under_way else "dim", no_wrap=True, overflow="crop")


def _draw_step(state: State, with_picture: bool) -> Iterator[RenderableType]:
    step, part = state.step, state.syllabus.part(state.step.part)
    if state.view == "card":
        yield from draw_step_card(state.workspace, part, step)
    else:
        yield Text.assemble((part.name, "bold"), f"  {part.title}, step {step.number} of {len(part.steps)}")
        yield Text("")
        yield from _draw_verdict(state, with_picture)
    hints = state.all_hints[: state.hints.get(step.path, 0)]
    if hints == state.all_hints:
        yield Padding.indent(Text(f"All hints. The lecture: attn show --lecture {step.path}", style="dim"), INDENT)
    for number, hint in enumerate(hints, start=1):
        yield Padding.indent(Text.assemble((f"hint {number}: ", "yellow"), hint), INDENT)


def _draw_verdict(state: State, with_picture: bool) -> Iterator[RenderableType]:
    step, marks = state.step, state.marks_of(state.step)
    if error := state.errors.get(step.part):
        yield Padding.indent(Text(error, style="red"), 2)
        return
    yield draw_heading(marks, state.signs)
    if marks.verdict == Verdict.NOT_ATTEMPTED:
        yield Padding.indent(Group(Text(step.summary), Text(step.signature, style="cyan")), INDENT)
    elif not marks.passed:
        below = [Text(rung) for rung in state.rungs[: state.told]]
        if state.searching:
            below = [Text("looking for the cause …", style="dim")]
        elif (left := len(state.rungs) - state.told) > 0:
            below.append(Text(f"{left} more: press w.", style="dim"))
        yield from draw_failure(marks, state.signs, MOST_PRINTED, with_picture, below)


def _draw_progress(state: State) -> Text:
    signs, total = state.signs, len(state.steps)
    done = sum(state.marks_of(step).passed for step in state.steps)
    if signs.plain:
        return Text(f"{done} of {total} steps have passed.")
    return Text.assemble(draw_bar(done / total, BAR, signs), f"  {done} of {total} {'step' if total == 1 else 'steps'}")


def _draw_list(state: State, height: int) -> Iterator[Text]:
    """Yield at most `height` steps around the current step. In plain mode, yield only the current step."""
    signs, here = state.signs, state.steps.index(state.step)
    top = max(0, min(here - height // 2, len(state.steps) - height))
    pointer = f"{signs.arrow} ".lstrip()
    for step in [state.step] if signs.plain else state.steps[top : top + height]:
        sign, style = sign_of(state.marks_of(step).verdict, signs)
        is_here = step == state.step
        text = f"{step.path}  {count_points(step.points)}"
        yield Text.assemble(pointer if is_here else " " * len(pointer), (f"{sign} ", style), text, no_wrap=True)
    yield Text("")
