"""Where the student is: the step that the screen shows, and where it goes from there."""

from collections.abc import Collection, Mapping, Sequence

from autograder.exam.syllabus import SyllabusStep
from autograder.marking.marks import NOT_ATTEMPTED, PASSED, Marks

Fared = tuple[str, str]
"""How a step fared: its verdict, and what was told of its first failure."""

SETTLED = (PASSED, NOT_ATTEMPTED)


def first_open(steps: Sequence[SyllabusStep], passed: Collection[str], after: int = 0) -> SyllabusStep:
    """Return the first step that has not passed, looking from one place on and then from the beginning; else the last."""
    order = (*steps[after:], *steps[:after])
    return next((step for step in order if step.path not in passed), steps[-1])


def passed_with(passed: Collection[str], marks: Marks) -> set[str]:
    """Return which steps pass now. A part that cannot be loaded takes nothing back."""
    marked = {f"{part.part}.{step.step}": step.passed for part in marks.parts if not part.error for step in part.steps}
    return {path for path in passed if marked.get(path, True)} | {path for path, good in marked.items() if good}


def fared_in(marks: Marks) -> dict[str, Fared]:
    """Return how the steps of the parts fared that could be loaded."""
    return {
        f"{part.part}.{step.step}": (step.verdict, step.first_failure.message if step.first_failure else "")
        for part in marks.parts
        if not part.error
        for step in part.steps
    }


def changed_in(marks: Marks, known: Mapping[str, Fared]) -> set[str]:
    """Return the steps that fare otherwise than they last did."""
    return {path for path, fared in fared_in(marks).items() if known.get(path, fared) != fared}


def go_on(
    here: SyllabusStep,
    steps: Sequence[SyllabusStep],
    before: Collection[str],
    now: Collection[str],
    marks: Marks,
    known: Mapping[str, Fared],
) -> SyllabusStep:
    """Return the step to show after a save.

    before, now: the steps that passed before the save and pass with it. known: how steps fared before. One that passes no longer
    comes first, since others rest on it; then the part that was saved; then the step that was worked on; then the next one that
    is open.
    """
    if fallen := [step for step in steps if step.path in before and step.path not in now]:
        return fallen[0]
    saved = [step for step in steps if step.part in {part.part for part in marks.parts}]
    if here not in saved and any(step.path not in now for step in saved):
        return first_open(saved, now)
    changed = changed_in(marks, known)
    tried = (step for step in saved if step.path in changed and fared_in(marks)[step.path][0] not in SETTLED)
    if here.path not in changed and (worked_on := next(tried, None)):
        return worked_on
    return first_open(steps, now, steps.index(here)) if here.path in now else here
