"""What a save has changed: where it takes the student, and what there is to say about it."""

from collections.abc import Collection, Iterator, Mapping, Sequence

from rich.text import Text

from autograder.cli.drawing import count_points
from autograder.cli.watching.state import State
from autograder.exam.syllabus import SyllabusStep
from autograder.marking.marks import NOT_ATTEMPTED, PASSED, Marks, StepMarks

Known = Mapping[str, StepMarks]
"""The last marks of steps, by their paths."""

NOTHING_TO_CORRECT = (PASSED, NOT_ATTEMPTED, "missing")


def update(known: Known, marks: Marks) -> Known:
    """Return what is known with some marks. A part that cannot be loaded takes nothing back."""
    loaded = (part for part in marks.parts if not part.error)
    return {**known, **{f"{part.part}.{step.step}": step for part in loaded for step in part.steps}}


def passed_in(known: Known) -> set[str]:
    """Return the steps that pass."""
    return {path for path, marks in known.items() if marks.passed}


def changed_in(before: Known, now: Known) -> set[str]:
    """Return the steps that fare otherwise than they last did."""
    return {path for path, marks in now.items() if path not in before or _differ(before[path], marks)}


def _differ(before: StepMarks, now: StepMarks) -> bool:
    """Compare verdicts and messages; of a step that was marked before the watch began, only the verdict is known."""
    said, says = before.first_failure, now.first_failure
    return before.verdict != now.verdict or bool(said and says and said.message != says.message)


def tried_in(before: Known, now: Known) -> set[str]:
    """Return the steps that were worked on and are wrong."""
    return {path for path in changed_in(before, now) if now[path].verdict not in NOTHING_TO_CORRECT}


def first_open(steps: Sequence[SyllabusStep], passed: Collection[str], after: int = 0) -> SyllabusStep:
    """Return the first step that has not passed, looking from one place on and then from the beginning; else the last."""
    order = (*steps[after:], *steps[:after])
    return next((step for step in order if step.path not in passed), steps[-1])


def go_on(state: State, now: Known, parts: Collection[str]) -> SyllabusStep:
    """Return the step to show after some parts were marked.

    One that passes no longer comes first, since others rest on it; then the part that was saved; then the step that was worked on;
    then, after one that passes now, the next one that is open.
    """
    here, steps, passed, passed_before = state.step, state.steps, passed_in(now), passed_in(state.marks)
    saved = [step for step in steps if step.part in parts]
    tried = [step for step in saved if step.path in tried_in(state.marks, now)]
    if fallen := [step for step in steps if step.path in passed_before - passed]:
        return fallen[0]
    if here not in saved and any(step.path not in passed for step in saved):
        return first_open(saved, passed)
    if tried and here.path not in changed_in(state.marks, now):
        return tried[0]
    if here.path in passed and passed - passed_before:
        return first_open(steps, passed, steps.index(here))
    return here


def news_of(state: State, here: SyllabusStep, now: Known, errors: Mapping[str, str | None]) -> Iterator[Text]:
    """Yield what has changed beside the step that is shown now. errors: by part, why it cannot be loaded."""
    passed, passed_before = passed_in(now), passed_in(state.marks)
    for step in state.steps:
        if step.path in passed - passed_before:
            yield Text.assemble((f"{state.signs.passed} ", "green"), f"{step.name}  {count_points(step.points)}")
        elif step.path in passed_before - passed:
            yield Text(f"{step.name} had passed and does not pass any more. What comes after it may rest on it.")
    for part, error in errors.items():
        if error and part != here.part:
            yield Text(error, style="red")
    for step in state.steps:
        if step != here and step.path in tried_in(state.marks, now):
            yield Text(f"You also changed {step.name}: {now[step.path].words}. Press l to go there.", style="dim")
    for one in state.syllabus.parts:
        if _pass_first(one.steps, passed, passed_before):
            said = f"{one.name} is complete: {count_points(one.points)}. {one.title}: you have written all of it."
            yield Text(said, style="bold green")
    if _pass_first(state.steps, passed, passed_before):
        yield Text("Every step that is watched has passed. q ends the watch.", style="green")


def _pass_first(steps: Sequence[SyllabusStep], passed: set[str], passed_before: set[str]) -> bool:
    paths = {step.path for step in steps}
    return paths <= passed and not paths <= passed_before
