"""The state of a step as a word, a sign and a shade."""

from dataclasses import dataclass

from autograder.course.verdicts import Verdict
from autograder.grading.results import StepMarks

UNTRIED = (Verdict.NOT_ATTEMPTED, Verdict.MISSING)
"""Verdicts of a step without code."""


@dataclass(frozen=True)
class State:
    """The state of a step. name: `right`, `half`, `little`, `wrong` or `open`. sign: a character, or the points."""

    name: str
    sign: str
    words: str


def state_of(step: StepMarks | None) -> State:
    """Return the state of a step; None is a step without marks."""
    if step is None:
        return State("open", "·", "not marked")
    if step.passed:
        return State("right", "✓", step.words)
    if step.verdict in UNTRIED:
        return State("open", "·", step.words)
    if step.score > 0:
        name = "half" if step.score >= step.max_score / 4 else "little"
        return State(name, f"{step.score:g}", step.words)
    return State("wrong", "✗", step.words)


def tried(step: StepMarks) -> bool:
    """Return whether the student has written code for a step."""
    return step.verdict not in UNTRIED
