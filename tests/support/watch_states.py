"""States of the watch, and marks for them, without a file or a process."""

from collections.abc import Collection, Sequence
from dataclasses import replace

from autograder.course.verdicts import Verdict
from autograder.exam.syllabus import Syllabus
from autograder.grading.results import Check, Diagnosis, Marks, PartMarks, Spot, StepMarks
from autograder.render.screen import UNICODE
from autograder.student.watch.state import State
from autograder.workspace import Workspace

FIRST, SECOND = "part1_simplified", "part2_trainable"

LINE = "    return (a * b - a).sum()"
WHERE, WHAT, HOW = (
    "Look at line 31: `a * b - a`.",
    "It has one operation too many.",
    "With `a * b` in its place, all is right.",
)
CURE = Diagnosis("cure", "needless_operand", WHERE, WHERE, WHAT, HOW, Spot(f"exercises/{FIRST}.py", 31, 12, 21, LINE))
"""A cause that is told in three rungs, of which the verdict says the first."""


def state_of(workspace: Workspace, syllabus: Syllabus, part: str = "") -> State:
    """Return the state of a watch that begins, of one part or of all."""
    steps = [step for step in syllabus.steps if step.part == part or not part]
    return State(workspace, syllabus, steps, UNICODE, True, steps[0], steps[0], {}, {}, frozenset())


def marks_of(part: str, error: str | None = None, **verdicts: str | tuple[str, str]) -> Marks:
    """Return marks of a part: by step the verdict, or the verdict and its message."""
    both = {step: (told, "") if isinstance(told, str) else told for step, told in verdicts.items()}
    marked = tuple(
        StepMarks(step, Verdict(verdict), 0.0, 1.0, (Check("random", "values", False, message),) if message else ())
        for step, (verdict, message) in both.items()
    )
    return Marks("ada", "", "", "", 0.015, "none", (PartMarks(part, error, marked),))


def known(**verdicts: str) -> dict[str, StepMarks]:
    """Return what is known of steps of the first part: by step the verdict."""
    return {f"{FIRST}.{step}": StepMarks(step, Verdict(verdict), 0.0, 1.0) for step, verdict in verdicts.items()}


def at(state: State, step: str, passed: Collection[str] = ()) -> State:
    """Return the state at a step, with some steps of its part that pass."""
    here = next(one for one in state.steps if one.name == step)
    marks = {f"{here.part}.{name}": StepMarks(name, Verdict.PASSED, 1.0, 1.0) for name in passed}
    return replace(state, step=here, chosen=here, marks={**state.marks, **marks})


def wrong_with(state: State, cause: Diagnosis | None, checks: Sequence[Check] = ()) -> State:
    """Return the state at a step that was marked, is wrong, and has this cause, of a watch that searches for them."""
    marks = StepMarks(state.step.name, Verdict.WRONG_VALUES, 0.0, 2.0, tuple(checks), cause)
    return replace(state, marks={**state.marks, state.step.path: marks}, causes=True)
