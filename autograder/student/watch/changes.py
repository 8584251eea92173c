"""What a save has changed: where it takes the student, and what there is to say about it."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass

from rich.text import Text

from autograder.course.verdicts import Verdict
from autograder.exam.syllabus import SyllabusStep
from autograder.grading.results import Marks, StepMarks
from autograder.render.results import count_points
from autograder.student.after_marking import way_to_solutions
from autograder.student.watch.state import State

NOTHING_TO_CORRECT = (Verdict.PASSED, Verdict.NOT_ATTEMPTED, Verdict.MISSING)


@dataclass(frozen=True)
class Change:
    """What new marks change, in paths of steps.

    marks: the last ones of each step. passed: what passes, of it `newly` what did not before; fallen: what passes no longer.
    tried: what is written and wrong, and fares otherwise than it last did.
    """

    marks: Mapping[str, StepMarks]
    passed: set[str]
    newly: set[str]
    fallen: set[str]
    tried: set[str]


def change_by(made: Marks, before: Mapping[str, StepMarks]) -> Change:
    """Return what marks change. A part that cannot be loaded changes nothing."""
    loaded = (part for part in made.parts if not part.error)
    now = {**before, **{f"{part.part}.{step.step}": step for part in loaded for step in part.steps}}
    passed, passed_before = passed_in(now), passed_in(before)
    wrong = {path: step for path, step in now.items() if step.verdict not in NOTHING_TO_CORRECT}
    tried = {path for path, step in wrong.items() if path not in before or _differ(before[path], step)}
    return Change(now, passed, passed - passed_before, passed_before - passed, tried)


def passed_in(marks: Mapping[str, StepMarks]) -> set[str]:
    """Return the steps that pass."""
    return {path for path, step in marks.items() if step.passed}


def _differ(before: StepMarks, now: StepMarks) -> bool:
    """Compare verdicts and messages; of a step that was marked before the watch began, only the verdict is known."""
    said, says = before.first_failure, now.first_failure
    return before.verdict != now.verdict or bool(said and says and said.message != says.message)


def first_open(steps: Sequence[SyllabusStep], passed: Collection[str], after: int = 0) -> SyllabusStep:
    """Return the first step that has not passed, looking from one place on and then from the beginning; else the last."""
    order = (*steps[after:], *steps[:after])
    return next((step for step in order if step.path not in passed), steps[-1])


def go_on(state: State, change: Change, parts: Collection[str]) -> SyllabusStep:
    """Return the step to show after some parts were marked.

    One that passes no longer comes first, since others depend on it; then the part that was saved; then the step that was worked on;
    then, after one that passes now, the next one that is open.
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
    """Yield what has changed beside the step that is shown now. errors: by part, why it cannot be loaded."""
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
