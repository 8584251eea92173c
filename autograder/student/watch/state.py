"""The state of the watch, and the reactions to events: each returns the next state and its effects."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import Enum, auto

from rich.text import Text

from autograder.course.course import RUNGS
from autograder.course.errors import ExplainedError
from autograder.course.verdicts import Verdict
from autograder.exam.syllabus import Syllabus, SyllabusStep
from autograder.grading.match_known import is_searched
from autograder.grading.results import Marks, StepMarks
from autograder.render.results import count_points
from autograder.render.screen import Signs
from autograder.student.progress import hints_led_by, nothing_to_tell, way_to_solutions
from autograder.workspace import Workspace

LOADING, CHECKING = "loading torch and your file …", "checking … another save ends it"
MOVES = {"up": -1, "k": -1, "down": 1, "j": 1}
"""By key, how many steps the choice in the list moves."""


class View(Enum):
    """The screens. The screen decides what a key means. QUESTION: asks whether to put a stub back."""

    VERDICT = auto()
    CARD = auto()
    LIST = auto()
    QUESTION = auto()


class Effect(Enum):
    """Actions that an event asks for; the state holds the details."""

    MARK = auto()
    REMEMBER = auto()
    EXPLAIN = auto()
    NOTE_HINT = auto()
    RESTORE = auto()
    DEBUG = auto()
    QUIT = auto()


@dataclass(frozen=True, eq=False)
class State:
    """The state of the watch. steps: the watched steps. step: the current step.

    marks, hints, told: by step, its last marks and how many hints and hint levels of its cause are shown.
    owed: the parts that wait for marks. errors: by marked part, why it could not be loaded. news: lines
    above the verdict. under_way: what the watch waits for. causes: whether causes are searched for.
    """

    workspace: Workspace
    syllabus: Syllabus
    steps: Sequence[SyllabusStep]
    signs: Signs
    step: SyllabusStep
    marks: Mapping[str, StepMarks]
    hints: Mapping[str, int]
    owed: frozenset[str]
    latest: Marks | None = None
    errors: Mapping[str, str | None] = field(default_factory=dict)
    news: tuple[Text, ...] = ()
    view: View = View.VERDICT
    under_way: str = LOADING
    causes: bool = False
    last_rung: str = RUNGS[-1]
    searching: bool = False
    told: Mapping[str, int] = field(default_factory=dict)

    def hints_of(self, step: SyllabusStep) -> tuple[str, ...]:
        """Return the hints of a step. A hint for its error comes first."""
        return hints_led_by(self.marks_of(step).hint, step)

    def marks_of(self, step: SyllabusStep) -> StepMarks:
        """Return the last marks of a step."""
        return self.marks.get(step.path, StepMarks(step.name, Verdict.NOT_ATTEMPTED, 0.0, step.points))

    @property
    def rungs(self) -> list[str]:
        """The hint levels of the current step's cause that are shown on request."""
        cause = None if self.errors.get(self.step.part) else self.marks_of(self.step).diagnosis
        return [rung for rung in cause.rungs(self.last_rung) if rung != cause.says] if cause else []


@dataclass(frozen=True)
class Explained:
    """The result of a search for a cause. step: its path. marks: the step's, with the cause if found."""

    step: str
    marks: StepMarks


Reaction = tuple[State, Sequence[Effect]]


def saved(state: State, modules: Collection[str]) -> Reaction:
    """Mark the saved parts. If a module of no part was saved, mark the current part, which may use it."""
    parts = {step.part for step in state.steps}.intersection(modules)
    view = View.VERDICT if state.view == View.CARD else state.view
    return order(replace(state, view=view), parts or {state.step.part})


def order(state: State, parts: Collection[str], under_way: str = CHECKING) -> Reaction:
    """Mark parts, together with those that are still waiting for marks."""
    return replace(state, owed=state.owed | set(parts), under_way=under_way, searching=False), [Effect.MARK]


def marked(state: State, made: Marks | ExplainedError) -> Reaction:
    """Take marks, report changes, and choose the step to show. If it is wrong, search for its cause."""
    state = replace(state, under_way="", searching=False)
    if isinstance(made, ExplainedError):
        return noticed(state, f"{made} Save again to try again."), ()
    before, errors = state, {part.part: part.error for part in made.parts}
    loaded = (part for part in made.parts if not part.error)
    marks = {**before.marks, **{f"{part.part}.{step.step}": step for part in loaded for step in part.steps}}
    state = replace(
        before,
        marks=marks,
        errors={**before.errors, **errors},
        latest=made,
        owed=frozenset(),
        told={path: count for path, count in before.told.items() if path.partition(".")[0] not in errors},
    )
    if state.view == View.VERDICT:
        state = replace(state, step=_go_on(before, state, errors))
    news_before = () if before.step.part in before.errors else before.news  # kept while a part got its first marks
    state = replace(state, news=(*news_before, *_news(before, state)))
    if state.step.part not in state.errors:
        state, effects = order(state, [state.step.part])
        return state, [Effect.REMEMBER, *effects]
    searching = state.causes and not state.errors[state.step.part] and is_searched(state.marks_of(state.step))
    return replace(state, searching=searching), [Effect.REMEMBER, *([Effect.EXPLAIN] if searching else [])]


def explained(state: State, found: Explained) -> Reaction:
    """Take the marks of a step with its cause."""
    return replace(state, marks={**state.marks, found.step: found.marks}, searching=False), ()


def noticed(state: State, text: str) -> State:
    """Show a sentence until the next verdict."""
    return replace(state, news=(*state.news, Text(text, style="yellow")))


def pressed(state: State, key: str) -> Reaction:
    """React to a key."""
    step, steps = state.step, state.steps
    match state.view, key:
        case View.QUESTION, _:
            state = replace(state, view=View.VERDICT)
            return (state, [Effect.RESTORE]) if key == "y" else (noticed(state, "Nothing has been changed."), ())
        case View.LIST, "enter" | "escape" | "l" | "q":
            return order(replace(state, view=View.VERDICT, news=()), [step.part])
        case View.LIST, _:
            place = steps.index(step) + MOVES.get(key, 0)
            return replace(state, step=steps[max(0, min(place, len(steps) - 1))]), ()
        case _, "h":
            shown = min(state.hints.get(step.path, 0) + 1, len(state.hints_of(step)))
            return replace(state, hints={**state.hints, step.path: shown}), [Effect.NOTE_HINT]
        case _, "w" if not state.under_way and not state.searching:
            return _say_why(state), ()
        case _, "s":
            return replace(state, view=View.VERDICT if state.view == View.CARD else View.CARD), ()
        case _, "l":
            return replace(state, view=View.LIST), ()
        case _, "r":
            return replace(state, view=View.QUESTION), ()
        case _, "d":
            return state, [Effect.DEBUG]
        case _, "q":
            return state, [Effect.QUIT]
    return state, ()


def _say_why(state: State) -> State:
    """Show one more hint level of the current step's cause, or say why there is none."""
    step, marks, told = state.step, state.marks_of(state.step), state.told.get(state.step.path, 0)
    if told < len(state.rungs):
        return replace(state, view=View.VERDICT, told={**state.told, step.path: told + 1})
    if state.errors.get(step.part):
        return noticed(state, f"First {step.part} must load: the reason that it does not is below.")
    if not state.causes and is_searched(marks):
        return noticed(state, f"Nothing more is known; `attn why {step.path}` searches for the cause.")
    return noticed(state, nothing_to_tell(step, marks))


def _go_on(before: State, now: State, parts: Collection[str]) -> SyllabusStep:
    """Return the step to show after some parts were marked.

    A step that no longer passes comes first, because others depend on it. Then follow the step that was
    edited, an open step of the saved part, and the next open one if the current step now passes.
    """
    here, changed = before.step, _changed(before, now)
    marked = [step for step in now.steps if step.part in parts]
    if fallen := [step for step in changed if before.marks_of(step).passed]:
        return fallen[0]
    if tried := [step for step in changed if not now.marks_of(step).passed]:
        return here if here in tried else tried[0]
    place = now.steps.index(here)
    following = (*now.steps[place:], *now.steps[:place]) if changed else ()
    candidates = (*(marked if here not in marked else ()), *following)
    return next((step for step in candidates if not now.marks_of(step).passed), here)


def _changed(before: State, now: State) -> list[SyllabusStep]:
    """Return the attempted steps whose verdict or message has changed. Earlier sessions leave no messages."""

    def differ(then: StepMarks, made: StepMarks) -> bool:
        said, says = then.first_failure, made.first_failure
        return then.verdict != made.verdict or bool(said and says and said.message != says.message)

    attempted = [
        step for step in now.steps if now.marks_of(step).verdict not in (Verdict.NOT_ATTEMPTED, Verdict.MISSING)
    ]
    return [step for step in attempted if differ(before.marks_of(step), now.marks_of(step))]


def _news(before: State, now: State) -> Iterator[Text]:
    """Yield lines about the steps that pass now, or do not pass any more, and about parts that are complete."""
    was, passes = ({step.path for step in state.steps if state.marks_of(step).passed} for state in (before, now))
    for step in now.steps:
        if step.path in passes - was:
            yield Text.assemble((f"{now.signs.passed} ", "green"), f"{step.name}  {count_points(step.points)}")
    if way := way_to_solutions(now.workspace, sorted(passes - was)):
        yield Text(way, style="dim")
    for step in now.steps:
        if step.path in was - passes:
            yield Text(f"{step.name} had passed and does not pass any more. Later steps may depend on it.")
    for whole in now.syllabus.parts:
        paths = {step.path for step in whole.steps}
        if paths <= passes and not paths <= was:
            said = f"{whole.name} is complete: {count_points(whole.points)}. {whole.title}: you have written all of it."
            yield Text(said, style="bold green")
