"""Decode and check the messages of a child process: failures of loading, traces and answers."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import TypeVar

from autograder.course import codec
from autograder.course.answer import Answer, Failure, Judge, cut, judged
from autograder.course.trace import Trace
from autograder.exam.model import PaperCase
from autograder.runner.wire import Garbled

T = TypeVar("T")

MOST_NOTES = 5
"""Maximum number of notes shown on loading a part."""


@dataclass
class PartAnswers:
    """The answers of one part, added as they arrive.

    asked: the names of the steps to run. error: why the part could not be read or loaded.
    notes: messages on missing libraries and failed statements. answers: by case path.
    traces: by case path; empty if not requested. printed: printed text by step name.
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
    """The answers of one submission, by part. seconds: the wall-clock time of the run."""

    submission: str
    parts: dict[str, PartAnswers] = field(default_factory=dict)
    seconds: float = 0.0

    @property
    def by_case(self) -> dict[str, Answer]:
        """The answers to all cases, by case path."""
        return {path: answer for part in self.parts.values() for path, answer in part.answers.items()}


def decode_loaded(body: bytes) -> tuple[Failure | None, tuple[str, ...]]:
    """Return the failure of loading, or None, and the notes of a LOADED message. Raises Garbled."""
    failure, notes = _read(body, tuple[Failure | None, tuple[str, ...]])
    return failure, tuple(cut(note) for note in notes[:MOST_NOTES] if note.strip())


def decode_trace(body: bytes, asked: Iterable[PaperCase]) -> dict[str, Trace]:
    """Return the trace in a TRACED message, by case path. Raises Garbled if its case is not asked."""
    case, trace = _read(body, tuple[str, Trace])
    if case not in (one.path for one in asked):
        raise Garbled("a trace of a case that is not asked for")
    return {case: trace}


def decode_answers(body: bytes) -> dict[str, Answer]:
    """Return the answers in an ANSWERS message, by case path. Raises Garbled."""
    return _read(body, dict[str, Answer])


def _read(body: bytes, kind: type[T]) -> T:
    try:
        return codec.decode(body, kind)
    except ValueError as error:
        raise Garbled(str(error)) from error


def answers_to(
    cases: Iterable[PaperCase], body: bytes, judges: Mapping[str, Judge] = MappingProxyType({})
) -> dict[str, Answer]:
    """Return the answers to some cases in an ANSWERS message, by case path. Ignores other cases.

    judges: by step path, functions that compute the outputs to compare from those received.
    Raises Garbled.
    """
    asked = {case.path: case for case in cases}
    return {path: _of(asked[path], answer, judges) for path, answer in decode_answers(body).items() if path in asked}


def _of(case: PaperCase, came: Answer, judges: Mapping[str, Judge]) -> Answer:
    """Apply the judge of a step to an answer, and remove changed inputs that the case lacks."""
    answer = judged(judges.get(f"{case.part}.{case.step}"), case.inputs, came)
    return replace(answer, changed_inputs=tuple(name for name in case.inputs if name in answer.changed_inputs))
