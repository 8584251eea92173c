"""Where the student is: the step that the screen shows, and where it goes from there."""

from collections.abc import Collection, Sequence

from autograder.exam.syllabus import SyllabusStep
from autograder.marking.marks import Marks


def first_open(steps: Sequence[SyllabusStep], passed: Collection[str], after: int = 0) -> SyllabusStep:
    """Return the first step that has not passed, looking from one place on and then from the beginning; else the last."""
    order = (*steps[after:], *steps[:after])
    return next((step for step in order if step.path not in passed), steps[-1])


def passed_with(passed: Collection[str], marks: Marks) -> set[str]:
    """Return which steps pass now. A part that cannot be loaded takes nothing back."""
    marked = {f"{part.part}.{step.step}": step.passed for part in marks.parts if not part.error for step in part.steps}
    return {path for path in passed if marked.get(path, True)} | {path for path, good in marked.items() if good}


def go_on(
    here: SyllabusStep, steps: Sequence[SyllabusStep], before: Collection[str], now: Collection[str], marks: Marks
) -> SyllabusStep:
    """Return the step to show after a save.

    before, now: the steps that passed before the save and pass with it. One that passes no longer comes first, since others
    rest on it; then the part that was saved; then the next step that is open.
    """
    if fallen := [step for step in steps if step.path in before and step.path not in now]:
        return fallen[0]
    saved = [step for step in steps if step.part in {part.part for part in marks.parts}]
    if here not in saved and any(step.path not in now for step in saved):
        return first_open(saved, now)
    return first_open(steps, now, steps.index(here)) if here.path in now else here
