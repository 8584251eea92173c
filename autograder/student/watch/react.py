"""React to events: each function returns the new state of the watch, or its state and effects."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from rich.text import Text

from autograder.course.errors import ExplainedError
from autograder.course.verdicts import Verdict
from autograder.exam.syllabus import SyllabusStep
from autograder.grading.match_known import is_searched
from autograder.grading.results import Marks, StepMarks
from autograder.render.results import count_points
from autograder.student.after_marking import nothing_to_tell, way_to_solutions
from autograder.student.watch.state import Effect, Explained, Reaction, State, View

LOADING, CHECKING = "loading torch and your file …", "checking …"

NOTHING_TO_CORRECT = (Verdict.PASSED, Verdict.NOT_ATTEMPTED, Verdict.MISSING)

MOVES = {"up": -1, "k": -1, "down": 1, "j": 1, "page up": -10, "page down": 10}
"""By key, how many steps the choice in the list moves."""


def saved(state: State, modules: Collection[str]) -> Reaction:
    """Mark the saved parts. If a module of no part was saved, mark the current part, which may use it."""
    parts = {step.part for step in state.steps}.intersection(modules)
    view = View.VERDICT if state.view == View.CARD else state.view
    return order(replace(state, view=view), parts or {state.step.part})


def order(state: State, parts: Collection[str], under_way: str = CHECKING) -> Reaction:
    """Mark parts, together with those that are still waiting for marks."""
    owed = state.owed | frozenset(parts)
    return replace(state, owed=owed, under_way=under_way, searching=False), [Effect.MARK]


def waited(state: State, slow: str | None) -> State:
    """Show the step that takes long, and do not mark its part again after the next save.

    slow: the step, or empty before the first one.
    """
    if slow is None or not state.under_way:
        return state
    part, _, step = slow.partition(".")
    under_way = f"checking {step} … another save ends it" if step else LOADING
    return state if under_way == state.under_way else replace(state, under_way=under_way, owed=state.owed - {part})


def marked(state: State, made: Marks | Exception) -> Reaction:
    """Take marks, report changes, and choose the step to show. If it is wrong, search for its cause."""
    state = replace(state, under_way="", searching=False)
    if isinstance(made, ExplainedError):
        return noticed(state, f"{made} Save again to try again."), ()
    if isinstance(made, Exception):
        raise made
    change, errors = change_by(made, state.marks), {part.part: part.error for part in made.parts}
    here, known = go_on(state, change, errors), {**state.errors, **errors}
    said_before = () if state.step.part in state.errors else state.news  # kept while a part without marks was marked
    news = (*said_before, *news_of(state, here, change, errors))
    told = {path: count for path, count in state.told.items() if path.partition(".")[0] not in errors}
    state = replace(
        state, step=here, marks=change.marks, errors=known, latest=made, news=news, owed=frozenset(), told=told
    )
    if here.part not in known:
        state, effects = order(state, [here.part])
        return state, [*effects, Effect.REMEMBER]
    marks = state.marks.get(here.path)
    searching = state.causes and not known[here.part] and marks is not None and is_searched(marks)
    return replace(state, searching=searching), [Effect.REMEMBER, *([Effect.EXPLAIN] if searching else [])]


def explained(state: State, found: Explained) -> Reaction:
    """Take the result of a search for a step's cause."""
    return replace(state, marks={**state.marks, found.step: found.marks}, searching=False), ()


def noticed(state: State, text: str) -> State:
    """Show a sentence until the next verdict."""
    line = Text(text, style="yellow")
    return state if line in state.news else replace(state, news=(*state.news, line))


def pressed(state: State, key: str) -> Reaction:
    """React to a key."""
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
    """Show one more hint level of the current step's cause, or say why there is none."""
    if state.under_way or state.searching:
        return state, ()
    told, step, marks = state.told_here, state.step, state.marks.get(state.step.path)
    if told < len(state.all_rungs):
        return replace(state, view=View.VERDICT, told={**state.told, step.path: told + 1}), ()
    if state.errors.get(step.part):
        return noticed(state, f"First {step.part} must load: what is in the way stands below."), ()
    if not state.causes and marks and is_searched(marks):
        return noticed(state, f"Nothing more is known; `attn why {step.path}` searches for the cause."), ()
    return noticed(state, nothing_to_tell(step, marks)), ()


@dataclass(frozen=True)
class Change:
    """The changes that new marks bring, as paths of steps.

    marks: the last marks of each step. passed: passing steps. newly: those that did not pass before.
    fallen: steps that passed before only. tried: wrong steps whose verdict or message has changed.
    """

    marks: Mapping[str, StepMarks]
    passed: set[str]
    newly: set[str]
    fallen: set[str]
    tried: set[str]


def change_by(made: Marks, before: Mapping[str, StepMarks]) -> Change:
    """Compare new marks with the marks before. A part that cannot be loaded changes nothing."""
    loaded = (part for part in made.parts if not part.error)
    now = {**before, **{f"{part.part}.{step.step}": step for part in loaded for step in part.steps}}
    passed, passed_before = passed_in(now), passed_in(before)
    wrong = {path: step for path, step in now.items() if step.verdict not in NOTHING_TO_CORRECT}
    tried = {path for path, step in wrong.items() if path not in before or _differ(before[path], step)}
    return Change(now, passed, passed - passed_before, passed_before - passed, tried)


def passed_in(marks: Mapping[str, StepMarks]) -> set[str]:
    """Return the paths of the steps that pass."""
    return {path for path, step in marks.items() if step.passed}


def _differ(before: StepMarks, now: StepMarks) -> bool:
    """Compare verdicts and messages. Marks from before the watch have no messages."""
    said, says = before.first_failure, now.first_failure
    return before.verdict != now.verdict or bool(said and says and said.message != says.message)


def first_open(steps: Sequence[SyllabusStep], passed: Collection[str], after: int = 0) -> SyllabusStep:
    """Return the first open step, searching from one index and then from the start; else the last step."""
    order = (*steps[after:], *steps[:after])
    return next((step for step in order if step.path not in passed), steps[-1])


def go_on(state: State, change: Change, parts: Collection[str]) -> SyllabusStep:
    """Return the step to show after some parts were marked.

    A step that no longer passes comes first, because others depend on it. Then follow an open step of
    the saved part, the step that was edited, and the next open one if the current step now passes.
    """
    here, steps = state.step, state.steps
    saved = [step for step in steps if step.part in parts]
    if fallen := [step for step in steps if step.path in change.fallen]:
        return fallen[0]
    if here not in saved and any(step.path not in change.passed for step in saved):
        return first_open(saved, change.passed)
    if here.path not in change.tried and (tried := [step for step in saved if step.path in change.tried]):
        return tried[0]
    return first_open(steps, change.passed, steps.index(here)) if here.path in change.passed and change.newly else here


def news_of(state: State, here: SyllabusStep, change: Change, errors: Mapping[str, str | None]) -> Iterator[Text]:
    """Yield lines about what new marks change. errors: by part, why it cannot be loaded."""
    for step in state.steps:
        if step.path in change.newly:
            yield Text.assemble((f"{state.signs.passed} ", "green"), f"{step.name}  {count_points(step.points)}")
    if way := way_to_solutions(state.workspace, (step.path for step in state.steps if step.path in change.newly)):
        yield Text(way, style="dim")
    for step in state.steps:
        if step.path in change.fallen:
            yield Text(f"{step.name} had passed and does not pass any more. Later steps may depend on it.")
    for part, error in errors.items():
        if error and part != here.part:
            yield Text(error, style="red")
    for whole in state.syllabus.parts:
        if _is_newly_complete(whole.steps, change):
            said = f"{whole.name} is complete: {count_points(whole.points)}. {whole.title}: you have written all of it."
            yield Text(said, style="bold green")
    if _is_newly_complete(state.steps, change):
        yield Text("Every step that is watched has passed. q ends the watch.", style="green")


def _is_newly_complete(steps: Sequence[SyllabusStep], change: Change) -> bool:
    paths = {step.path for step in steps}
    return paths <= change.passed and not paths.isdisjoint(change.newly)
