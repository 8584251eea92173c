"""The messages between the host and a child process, and the answers that the host collects."""

import signal
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from types import MappingProxyType

import msgspec

from autograder.course import codec
from autograder.course.answer import Answer, Failure, Judge, judged
from autograder.course.trace import Trace
from autograder.exam.model import PaperCase
from autograder.runner.wire import Garbled
from autograder.submission.model import Source

HANG_SIGNAL = getattr(signal, "SIGUSR1", None)
"""The signal by which the host asks a child that is late where it runs; None on Windows."""

MOST_PRINTED, MOST_NOTES = 4_000, 5
"""Maximum characters of printed text kept per step, and maximum number of notes on loading a part."""


class Job(msgspec.Struct):
    """A message to a child: the cases of a part to run.

    course: the course's folder. modules: sources of the part and its helpers. cases: an encoded
    `Paper`. traced: whether cases are traced. texts: sources of definitions. The cases are run once
    for each text, with the text's definitions in place of the submission's; without texts, once.
    """

    course: str
    part: str
    modules: dict[str, Source]
    cases: bytes
    traced: bool = False
    texts: tuple[str, ...] = ()


class Loaded(msgspec.Struct, tag=True):
    """A reply: loading has ended, with a failure or None. notes: messages on failed statements."""

    failure: Failure | None
    notes: list[str]


class Begun(msgspec.Struct, tag=True):
    """A reply: the run of a step begins."""

    step: str


class Printed(msgspec.Struct, tag=True):
    """A reply: text that the submission has printed."""

    text: str


class Traced(msgspec.Struct, tag=True):
    """A reply: the trace of a case."""

    case: str
    trace: Trace


class Answered(msgspec.Struct, tag=True):
    """A reply: the answers of a step, by case path."""

    answers: dict[str, Answer]


class Hung(msgspec.Struct, tag=True):
    """A reply to HANG_SIGNAL: the traceback of the submission's code that runs."""

    traceback: str


class Done(msgspec.Struct, tag=True):
    """A reply: the job is done."""


Reply = Loaded | Begun | Printed | Traced | Answered | Hung | Done


def decode_reply(body: bytes) -> Reply:
    """Return a child's reply. The student's code may have forged it. Raises Garbled."""
    try:
        reply: Reply = codec.decode(body, Reply)  # type: ignore[arg-type]  # a union of types
    except ValueError as error:
        raise Garbled(str(error)) from error
    return reply


@dataclass
class PartAnswers:
    """The answers of one part, added as they arrive.

    asked: the names of the steps to run. error: the reason if the part cannot be read or loaded.
    notes: messages on failed statements. answers, traces: the answers and traces, by case path;
    `traces` is empty if no traces were requested. printed: the printed text, by step name.
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


def answers_to(
    cases: Iterable[PaperCase], found: Mapping[str, Answer], judges: Mapping[str, Judge] = MappingProxyType({})
) -> dict[str, Answer]:
    """Return the answers to some cases, by case path. found: all answers in a child's reply.

    judges: functions that compute the outputs to compare from received outputs, by step path.
    The result lists only inputs of the case in `changed_inputs`.
    """
    answers = {}
    for case in (one for one in cases if one.path in found):
        answer = judged(judges.get(f"{case.part}.{case.step}"), case.inputs, found[case.path])
        changed = tuple(name for name in case.inputs if name in answer.changed_inputs)
        answers[case.path] = replace(answer, changed_inputs=changed)
    return answers
