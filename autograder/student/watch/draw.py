"""The screen, from top to bottom: steps that have just passed, the current step, its hints, and a bar."""

import os
from collections.abc import Iterator

from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.text import Text

from autograder.course.verdicts import Verdict
from autograder.exam.syllabus import SyllabusStep
from autograder.grading.results import Diagnosis, StepMarks
from autograder.render.results import INDENT, count_points, draw_failure, draw_heading
from autograder.render.screen import UNICODE, sign_of
from autograder.student.editing import line_to_look_at, look_at
from autograder.student.step_card import draw_step_card
from autograder.student.watch.react import passed_in
from autograder.student.watch.state import State, View

KEYS = "h hint  w why  s show  l list  r reset  d debug  q quit"
SEARCHING = "looking for the cause …"
LIST_KEYS = "up, down, page up, page down or j, k   enter goes there   escape goes back"
BAR = 40
AROUND_LIST = 6
"""Lines of the screen that a list of steps leaves free."""

MOST_PRINTED = 4
"""The most lines of a student's output. More would push the verdict out of a small window."""


def draw(state: State, height: int, with_picture: bool = True) -> Iterator[RenderableType]:
    """Yield the whole screen, for a terminal of that height. with_picture: whether there is room for a picture."""
    if state.view == View.LIST:
        yield from _draw_list(state, max(height - AROUND_LIST, 5))
        yield Text("")
        yield _draw_progress(state)
        yield Text(LIST_KEYS, style="dim")
    else:
        yield from _draw_step(state, with_picture)
        yield _draw_place(state)
        yield _draw_progress(state)
        yield Text(KEYS if state.keys else "Ctrl-C ends", style="dim")
    marked = f"marked in {1000 * state.latest.seconds:.0f} ms" if state.latest else ""
    under_way = _typed(state.under_way, state)
    yield Text(under_way or marked, style="yellow" if under_way else "dim", no_wrap=True, overflow="crop")


def _typed(text: str, state: State) -> str:
    return text if state.signs is UNICODE else text.replace("…", "...")


def _draw_step(state: State, with_picture: bool) -> Iterator[RenderableType]:
    step, part = state.step, state.syllabus.part(state.step.part)
    if state.news:
        yield from (*state.news, Text(""))
    if state.view == View.CARD:
        yield from draw_step_card(state.workspace, part, step)
    else:
        yield Text.assemble((part.name, "bold"), f"  {part.title}, step {step.number} of {len(part.steps)}")
        yield Text("")
        yield from _draw_verdict(state, with_picture)
    hints = state.hints_of(step)[: state.hints.get(step.path, 0)]
    if hints == state.hints_of(step):
        yield _indented(Text(f"All hints. The lecture: attn lecture {step.path}", style="dim"))
    for number, hint in enumerate(hints, start=1):
        yield _indented(Text.assemble((f"hint {number}: ", "yellow"), hint))
    if state.view == View.QUESTION:
        backups = state.workspace.memory.relative_to(state.workspace.root) / "backups"
        question = f"Put back the stub of {state.chosen.path}? Your text goes to {backups}. y or n"
        yield from (Text(""), Text(question, style="yellow"))
    yield Text("")


def _draw_verdict(state: State, with_picture: bool) -> Iterator[RenderableType]:
    step, marks = state.step, _marks_of(state, state.step)
    if error := state.errors.get(step.part):
        yield _indented(Text(error, style="red"), 2)
        return
    yield draw_heading(marks, state.signs)
    if marks.verdict == Verdict.NOT_ATTEMPTED:
        yield _indented(Group(Text(step.summary), Text(step.signature, style="cyan")))
    elif not marks.passed:
        yield from draw_failure(marks, state.signs, MOST_PRINTED, with_picture, [*_draw_rungs(state, marks.diagnosis)])


def _draw_rungs(state: State, cause: Diagnosis | None) -> Iterator[Text]:
    """Yield a note that the search goes on, or the hint levels asked for and how many are left."""
    if state.searching:
        yield Text(_typed(SEARCHING, state), style="dim")
    elif cause:
        rungs, told = state.all_rungs, state.told_here
        yield from (Text(rung) for rung in rungs[:told] if rung != cause.says)
        if told < len(rungs) and state.keys:
            yield Text(f"{len(rungs) - told} more: press w.", style="dim")


def _draw_place(state: State) -> Text:
    """Draw the location of the line that is wrong or unreadable, else of the step's TODO.

    In VS Code it gets no link: VS Code links such paths itself and ignores lines in other links.
    """
    step, marks = state.step, _marks_of(state, state.step)
    file, error = state.workspace.exercise(step.part), state.errors.get(step.part) or ""
    where = look_at(state.workspace, step, line_to_look_at(file, marks, error) if marks else 0)
    link = "" if os.environ.get("TERM_PROGRAM") == "vscode" else f" link {where.path.resolve().as_uri()}"
    return Text(where.shown(state.workspace.root), style=f"cyan{link}")


def _draw_progress(state: State) -> Text:
    """Draw how many of the steps that are watched have passed, as a bar and in numbers."""
    signs, total = state.signs, len(state.steps)
    done = len(passed_in(state.marks) & {step.path for step in state.steps})
    if signs.plain:
        return Text(f"{done} of {total} steps have passed.")
    filled = BAR * done // total
    return Text.assemble(
        (signs.bar * filled, "green"),
        (signs.rest * (BAR - filled), "dim"),
        f"  {done} of {total} {'step' if total == 1 else 'steps'}",
    )


def _draw_list(state: State, height: int) -> Iterator[Text]:
    """Yield as many steps around the chosen one as fit. In plain mode, yield only the chosen one."""
    steps, chosen = state.steps, state.steps.index(state.chosen)
    top = max(0, min(chosen - height // 2, len(steps) - height))
    for step in [state.chosen] if state.signs.plain else steps[top : top + height]:
        yield _draw_listed(state, step)


def _draw_listed(state: State, step: SyllabusStep) -> Text:
    sign, style = sign_of(_marks_of(state, step).verdict, state.signs)
    pointer = f"{state.signs.arrow} ".lstrip()
    return Text.assemble(
        pointer if step == state.chosen else " " * len(pointer),
        (f"{sign} ", style),
        f"{step.path}  {count_points(step.points)}",
        style="reverse" if step == state.chosen else "",
        no_wrap=True,
        overflow="ellipsis",
    )


def _marks_of(state: State, step: SyllabusStep) -> StepMarks:
    return state.marks.get(step.path, StepMarks(step.name, Verdict.NOT_ATTEMPTED, 0.0, step.points))


def _indented(drawn: RenderableType, columns: int = INDENT) -> Padding:
    return Padding(drawn, (0, 0, 0, columns), expand=False)
