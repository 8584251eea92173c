"""The state of the watch, and a function for each event: it returns the next state and its effects."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

from rich.text import Text

from autograder.course.verdicts import Verdict
from autograder.exam.syllabus import Syllabus, SyllabusStep
from autograder.grading.match_known import is_searched
from autograder.grading.results import Marks, StepMarks
from autograder.render.results import count_points
from autograder.render.screen import Signs
from autograder.student.progress import hints_of, nothing_to_tell, way_to_solutions
from autograder.workspace import Workspace

UNTRIED = (Verdict.NOT_ATTEMPTED, Verdict.MISSING)
LOADING, CHECKING = "loading torch and your file …", "checking … another save ends it"
MOVES = {"up": -1, "k": -1, "down": 1, "j": 1}
"""By key, how many steps it moves the selection in the list."""


View = Literal["verdict", "card", "list"]
"""The screens of the watch. The meaning of a key depends on the screen."""

Effect = Literal["mark", "remember", "explain", "note hint", "restore", "debug", "quit"]
"""The actions that an event causes. The state has their details, such as the parts to mark."""


@dataclass(frozen=True, eq=False)
class State:
    """The state of the watch. steps: the watched steps. step: the current step.

    marks: by step, its last marks. hints: by step, how many hints are shown. told: how many of `rungs`
    are shown. owed: the parts still to be marked. errors: by marked part, why it could not be loaded,
    or None. news: lines above the verdict. under_way: what the watch is waiting for; else empty.
    """

    workspace: Workspace
    syllabus: Syllabus
    steps: Sequence[SyllabusStep]
    signs: Signs
    step: SyllabusStep
    marks: Mapping[str, StepMarks]
    hints: Mapping[str, int]
    owed: frozenset[str] = frozenset()
    latest: Marks | None = None
    errors: Mapping[str, str | None] = field(default_factory=dict)
    news: tuple[Text, ...] = ()
    view: View = "verdict"
    under_way: str = LOADING
    searching: bool = False
    told: int = 0

    def marks_of(self, step: SyllabusStep) -> StepMarks:
        """Return the last marks of a step. Without any, the step is not attempted."""
        return self.marks.get(step.path, StepMarks(step.name, Verdict.NOT_ATTEMPTED, 0.0, step.points))

    @property
    def all_hints(self) -> tuple[str, ...]:
        """The hints of the current step. The hint for its error, if any, comes first."""
        return hints_of(self.step, self.marks_of(self.step))

    @property
    def rungs(self) -> list[str]:
        """The texts on the cause of the current step's error that the key w shows one by one."""
        cause, last = self.marks_of(self.step).diagnosis, self.workspace.course.causes.rungs
        return [rung for rung in cause.rungs(last) if rung != cause.says] if cause else []


Reaction = tuple[State, Sequence[Effect]]


def saved(state: State, modules: Collection[str]) -> Reaction:
    """Mark the saved parts. If only other files were saved, mark the current part: it may import them."""
    parts = {step.part for step in state.steps}.intersection(modules)
    view = "verdict" if state.view == "card" else state.view
    return order(replace(state, view=view), parts or {state.step.part})


def order(state: State, parts: Collection[str], under_way: str = CHECKING) -> Reaction:
    """Mark these parts, and any parts whose marking has not finished."""
    return replace(state, owed=state.owed | set(parts), under_way=under_way, searching=False), ["mark"]


def marked(before: State, made: Marks) -> Reaction:
    """Report what new marks change, choose the current step and, if that is wrong, search for its cause."""
    loaded = (part for part in made.parts if not part.error)
    state = replace(
        before,
        marks={**before.marks, **{f"{part.part}.{step.step}": step for part in loaded for step in part.steps}},
        errors={**before.errors, **{part.part: part.error for part in made.parts}},
        latest=made,
        owed=frozenset(),
        under_way="",
        told=0,
    )
    if state.view == "verdict":
        state = replace(state, step=_go_on(before, state, {part.part for part in made.parts}))
    news_before = () if before.step.part in before.errors else before.news  # news stay when a part gets its first marks
    state = replace(state, news=(*news_before, *_news(before, state)))
    part = state.step.part
    if part not in state.errors:
        state, effects = order(state, [part])
        return state, ["remember", *effects]
    searching = not state.errors[part] and is_searched(state.marks_of(state.step))
    return replace(state, searching=searching), ["remember", "explain"] if searching else ["remember"]


def explained(state: State, step: SyllabusStep, marks: StepMarks) -> Reaction:
    """Take the marks of a step after the search for its cause."""
    return replace(state, marks={**state.marks, step.path: marks}, searching=False), ()


def noticed(state: State, text: str) -> State:
    """Show a sentence above the verdict, until the next marks."""
    return replace(state, news=(*state.news, Text(text, style="yellow")))


def failed(state: State, error: str) -> Reaction:
    """Show the error that ended a marking or a search."""
    return noticed(replace(state, under_way="", searching=False), f"{error} Save again to try again."), ()


def pressed(state: State, key: str) -> Reaction:
    """React to a key. What it does depends on the screen."""
    step, steps = state.step, state.steps
    match state.view, key:
        case "list", _ if key in MOVES:
            place = steps.index(step) + MOVES[key]
            return replace(state, step=steps[max(0, min(place, len(steps) - 1))]), ()
        case "list", _:
            return order(replace(state, view="verdict", news=()), [step.part])
        case _, "h":
            shown = min(state.hints.get(step.path, 0) + 1, len(state.all_hints))
            return replace(state, hints={**state.hints, step.path: shown}), ["note hint"]
        case _, "w" if not state.under_way and not state.searching:
            if state.told == len(state.rungs):
                return noticed(state, nothing_to_tell(step, state.marks_of(step))), ()
            return replace(state, view="verdict", told=state.told + 1), ()
        case _, "s":
            return replace(state, view="verdict" if state.view == "card" else "card"), ()
        case _, "l":
            return replace(state, view="list"), ()
        case _, "r":
            return state, ["restore"]
        case _, "d":
            return state, ["debug"]
        case _, "q":
            return state, ["quit"]
    return state, ()


def _go_on(before: State, now: State, parts: Collection[str]) -> SyllabusStep:
    """Return the step to show after parts were marked: the first of these that does not pass.

    A step that passed before comes first, because others may need it. Then follow the edited steps, the
    steps of the marked parts if the current step is in another part and, if any step was edited, the
    current step and those after it. If all of these pass, the current step stays.
    """

    def was_edited(step: SyllabusStep) -> bool:
        then, made = before.marks_of(step), now.marks_of(step)
        said, says = then.first_failure, made.first_failure  # marks of earlier sessions have no messages
        is_other = then.verdict != made.verdict or bool(said and says and said.message != says.message)
        return is_other and made.verdict not in UNTRIED

    here, open_now = before.step, [step for step in now.steps if not now.marks_of(step).passed]
    edited = [step for step in now.steps if was_edited(step)]
    fallen = [step for step in edited if step in open_now and before.marks_of(step).passed]
    tried = [here, *edited] if here in edited else edited
    place = now.steps.index(here)
    following = (*now.steps[place:], *now.steps[:place]) if edited else ()
    of_parts = [step for step in now.steps if step.part in parts and here.part not in parts]
    return next((step for step in (*fallen, *tried, *of_parts, *following) if step in open_now), here)


def _news(before: State, now: State) -> Iterator[Text]:
    """Yield a line for each step that now passes or no longer passes, and for each part now complete."""
    was, passes = ({step.path for step in state.steps if state.marks_of(step).passed} for state in (before, now))
    for step in now.steps:
        if step.path in passes - was:
            yield Text.assemble((f"{now.signs.passed} ", "green"), f"{step.name}  {count_points(step.points)}")
        was_tried = before.marks_of(step).verdict not in UNTRIED
        if was_tried and now.marks_of(step).verdict == Verdict.NOT_ATTEMPTED:
            yield Text(f"{step.name} is a stub again. To have your text back: attn reset {step.path} --undo")
        elif step.path in was - passes:
            yield Text(f"{step.name} had passed and does not pass any more. Later steps may depend on it.")
    if way := way_to_solutions(now.workspace, sorted(passes - was)):
        yield Text(way, style="dim")
    for part in now.syllabus.parts:
        paths = {step.path for step in part.steps}
        if paths <= passes and not paths <= was:
            yield Text(f"{part.name} is complete: {count_points(part.points)}.", style="bold green")
