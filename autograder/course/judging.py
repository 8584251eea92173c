"""What whoever marks finds in the numbers that a probe hands back: no verdict of the process that has run a student's code."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from autograder.course.answer import Answer, Value

Judge = Callable[[Mapping[str, Any], Mapping[str, Value]], Mapping[str, Value]]
"""Returns the outputs that are compared, from the inputs of a case that are no tensors and what a probe has handed back, whatever that is."""


def judged(judge: Judge | None, inputs: Mapping[str, Any], answer: Answer) -> Answer:
    """Return an answer with what a judge, if there is one, has found in its outputs."""
    if judge is None or answer.failure:
        return answer
    return replace(answer, outputs=judge(_plain(inputs), answer.outputs))


def found_by(judge: Judge | None, inputs: Mapping[str, Any]) -> frozenset[str]:
    """Return the names of the outputs of a case that a judge finds, whatever it is given."""
    return frozenset(judge(_plain(inputs), {}) if judge else ())


def _plain(inputs: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in inputs.items() if isinstance(value, bool | int | float | None)}
