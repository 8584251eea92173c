"""Answers of a run: for each part by case, with what was printed, or why it could not be loaded. Read from frames, and checked."""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field, replace
from types import MappingProxyType

import numpy as np
from msgspec import structs

from autograder.course import answer as answers_of
from autograder.course import codec
from autograder.course import trace as traces_of
from autograder.course.answer import LONGEST_TEXT, Answer, Failure, Judge, judged
from autograder.course.trace import Trace
from autograder.exam.model import PaperCase
from autograder.runner.wire import Garbled

MOST_NOTES = 5
"""Lines that raised while a part was loaded, and are shown."""


@dataclass
class PartAnswers:
    """The answers of one part, as they come in.

    asked: the names of the steps that were to be run. error: why the part could not be loaded; then there are no answers. notes: what
    lines of it raised while the rest was loaded. answers: by case path; traces too, where they were asked for. printed: by step name.
    """

    part: str
    asked: frozenset[str]
    error: Failure | None = None
    notes: tuple[str, ...] = ()
    answers: dict[str, Answer] = field(default_factory=dict)
    traces: dict[str, Trace] = field(default_factory=dict)
    printed: dict[str, str] = field(default_factory=dict)


@dataclass
class Answers:
    """The answers of one submission by part, and how long the run took."""

    submission: str
    parts: dict[str, PartAnswers] = field(default_factory=dict)
    seconds: float = 0.0

    @property
    def by_case(self) -> dict[str, Answer]:
        """The answers to all cases, by case path."""
        return {path: answer for part in self.parts.values() for path, answer in part.answers.items()}


def decode_answers(body: bytes, asked: Collection[str] | None = None) -> dict[str, Answer]:
    """Read answers by case; asked: the cases of which they are wanted. Raises Garbled."""
    try:
        every = codec.decode(body, dict[str, Answer])
        answers = {name: answer for name, answer in every.items() if asked is None or name in asked}
        for answer in answers.values():
            answers_of.check(answer)
    except ValueError as error:
        raise Garbled(f"no answers: {error}") from error
    return answers


def decode_loaded(body: bytes) -> tuple[Failure | None, tuple[str, ...]]:
    """Read how loading went: how it failed, if it did, and what lines raised that did not keep it from going on. Raises Garbled."""
    try:
        failure, notes = codec.decode(body, tuple[Failure | None, tuple[str, ...]])
    except ValueError as error:
        raise Garbled(f"no word on how loading went: {error}") from error
    return failure, tuple(note[:LONGEST_TEXT] for note in notes[:MOST_NOTES] if note.strip())


def decode_trace(body: bytes, asked: Iterable[PaperCase]) -> dict[str, Trace]:
    """Read the trace of one of some cases, by its path. Raises Garbled."""
    try:
        case, trace = codec.decode(body, tuple[str, Trace])
        traces_of.check(trace)
    except ValueError as error:
        raise Garbled(f"no trace: {error}") from error
    if case not in (one.path for one in asked):
        raise Garbled("a trace of a case that is not asked for")
    return {case: trace}


def answers_to(
    cases: Iterable[PaperCase],
    body: bytes,
    named: Mapping[str, frozenset[str]] | None = None,
    judges: Mapping[str, Judge] = MappingProxyType({}),
) -> dict[str, Answer]:
    """Return the answers to some cases that a frame holds; what it says of other cases and of inputs that there are not is left out.

    judges: by the paths of steps, what finds the outputs in those that came. named: by case path, the outputs and gradients whose
    numbers are kept; all by default. Raises Garbled.
    """
    asked = {case.path: case for case in cases}
    answers = {path: _of(asked[path], answer, judges) for path, answer in decode_answers(body, asked).items()}
    return answers if named is None else {path: _only(named[path], answer) for path, answer in answers.items()}


def _only(named: frozenset[str], answer: Answer) -> Answer:
    """Return an answer without the numbers of outputs and gradients that nothing is compared with."""
    if answer.outputs.keys() <= named and answer.gradients.keys() <= named:
        return answer
    outputs = {name: one if name in named else structs.replace(one, array=None) for name, one in answer.outputs.items()}
    gradients = {name: gradient for name, gradient in answer.gradients.items() if name in named}
    return replace(answer, outputs=outputs, gradients=gradients)


def _of(case: PaperCase, came: Answer, judges: Mapping[str, Judge]) -> Answer:
    """Return an answer that names as changed the inputs of its case alone, with numbers in the shape of the first of them."""
    answer = judged(judges.get(f"{case.part}.{case.step}"), case.inputs, came)
    if not answer.changed_inputs and answer.changed_to is None:
        return answer
    said = tuple(name for name in case.inputs if name in answer.changed_inputs)
    before, after = case.inputs[said[0]] if said else None, answer.changed_to
    same = isinstance(before, np.ndarray) and after is not None and after.shape == before.shape
    return replace(answer, changed_inputs=said, changed_to=after if same else None)
