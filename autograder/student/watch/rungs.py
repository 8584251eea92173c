"""How far the cause of the step at hand is told."""

from autograder.student.watch.state import State


def rungs_of(state: State) -> tuple[str, ...]:
    """Return all that may be told of the cause, one thing after the other; nothing where none is known of what was saved last."""
    marks = None if state.errors.get(state.step.part) else state.marks.get(state.step.path)
    return marks.diagnosis.rungs(state.rungs) if marks and marks.diagnosis else ()


def told_of(state: State) -> int:
    """Return how many of these are told: those that were asked for, and what the verdict says anyway."""
    rungs, told = rungs_of(state), state.told.get(state.step.path, 0)
    diagnosis = state.marks[state.step.path].diagnosis if rungs else None
    while diagnosis and rungs[told : told + 1] == (diagnosis.says,):
        told += 1
    return min(told, len(rungs))
