"""What each event makes of what the watch knows, and what is to be done about it."""

from collections.abc import Collection
from dataclasses import replace

from rich.text import Text

from autograder.course.errors import ExplainedError
from autograder.grading.match_known import is_searched
from autograder.grading.results import Marks
from autograder.student.after_marking import nothing_to_tell
from autograder.student.watch.changes import change_by, go_on, news_of
from autograder.student.watch.state import Effect, Explained, Reaction, State, View

LOADING, CHECKING = "loading torch and your file …", "checking …"

MOVES = {"up": -1, "k": -1, "down": 1, "j": 1, "page up": -10, "page down": 10}
"""By key, how many steps further it chooses in the list."""


def saved(state: State, modules: Collection[str]) -> Reaction:
    """Have the saved parts marked; a module that is no part may be used by the one at hand."""
    parts = {step.part for step in state.steps}.intersection(modules)
    view = View.VERDICT if state.view == View.CARD else state.view
    return order(replace(state, view=view), parts or {state.step.part})


def order(state: State, parts: Collection[str], under_way: str = CHECKING) -> Reaction:
    """Have parts marked, together with those that are still waiting for marks."""
    owed = state.owed | frozenset(parts)
    return replace(state, owed=owed, under_way=under_way, searching=False), [Effect.MARK]


def waited(state: State, slow: str | None) -> State:
    """Say what takes long, and give up its part if there is another save. slow: a step, or empty before the first one."""
    if slow is None or not state.under_way:
        return state
    part, _, step = slow.partition(".")
    under_way = f"checking {step} … another save ends it" if step else LOADING
    return state if under_way == state.under_way else replace(state, under_way=under_way, owed=state.owed - {part})


def marked(state: State, made: Marks | Exception) -> Reaction:
    """Take marks, say what they change, and go on to the next step if there is reason to. If that is wrong, look for the cause."""
    state = replace(state, under_way="", searching=False)
    if isinstance(made, ExplainedError):
        return noticed(state, f"{made} Save again to try again."), ()
    if isinstance(made, Exception):
        raise made
    change, errors = change_by(made, state.marks), {part.part: part.error for part in made.parts}
    here, known = go_on(state, change, errors), {**state.errors, **errors}
    said_before = () if state.step.part in state.errors else state.news  # about the way to a part that had no marks yet
    news = (*said_before, *news_of(state, here, change, errors))
    state = replace(
        state, step=here, marks=change.marks, errors=known, latest=made, news=news, owed=frozenset(), told={}
    )
    if here.part not in known:
        state, effects = order(state, [here.part])
        return state, [*effects, Effect.REMEMBER]
    marks = state.marks.get(here.path)
    searching = state.causes and not known[here.part] and marks is not None and is_searched(marks)
    return replace(state, searching=searching), [Effect.REMEMBER, *([Effect.EXPLAIN] if searching else [])]


def explained(state: State, found: Explained) -> Reaction:
    """Take the marks of a step whose cause was searched for."""
    return replace(state, marks={**state.marks, found.step: found.marks}, searching=False), ()


def noticed(state: State, text: str) -> State:
    """Say something until the next verdict."""
    line = Text(text, style="yellow")
    return state if line in state.news else replace(state, news=(*state.news, line))


def pressed(state: State, key: str) -> Reaction:
    """Do what a key stands for."""
    step, steps = state.step, state.steps
    match state.view, key:
        case View.QUESTION, "y":
            return replace(state, view=View.VERDICT), [Effect.RESTORE]
        case View.QUESTION, _:
            return noticed(replace(state, view=View.VERDICT), "Nothing has been changed."), ()
        case View.LIST, "enter":
            return order(replace(state, view=View.VERDICT, step=state.chosen, news=()), [state.chosen.part])
        case View.LIST, "escape" | "l" | "q":
            return replace(state, view=View.VERDICT), ()
        case View.LIST, _:
            place = steps.index(state.chosen) + MOVES.get(key, 0)
            return replace(state, chosen=steps[max(0, min(place, len(steps) - 1))]), ()
        case _, "h":
            shown = min(state.hints.get(step.path, 0) + 1, len(state.hints_of(step)))
            return replace(state, hints={**state.hints, step.path: shown}), [Effect.NOTE_HINT]
        case _, "w":
            return _asked(state)
        case _, "s":
            return replace(state, view=View.VERDICT if state.view == View.CARD else View.CARD), ()
        case _, "l":
            return replace(state, view=View.LIST, chosen=step), ()
        case _, "r":
            return replace(state, view=View.QUESTION, chosen=step), ()
        case _, "d":
            return state, [Effect.DEBUG]
        case _, "q":
            return replace(state, under_way=""), [Effect.QUIT]
    return state, ()


def _asked(state: State) -> Reaction:
    """Tell one thing more of the cause of the step at hand, or why there is nothing to tell."""
    if state.under_way or state.searching:
        return state, ()
    told, step, marks = state.told_here, state.step, state.marks.get(state.step.path)
    if told < len(state.all_rungs):
        return replace(state, view=View.VERDICT, told={**state.told, step.path: told + 1}), [Effect.NOTE_RUNG]
    if state.errors.get(step.part):
        return noticed(state, f"First {step.part} must load: what is in the way stands below."), ()
    if not state.causes and marks and is_searched(marks):
        return noticed(state, f"Nothing more is known; `attn why {step.path}` searches for the cause."), ()
    return noticed(state, nothing_to_tell(step, marks)), ()
