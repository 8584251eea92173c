"""What a sitting brought back: for each part its answers by case, what was printed, or why it could not be loaded."""

from collections.abc import Iterable
from dataclasses import dataclass, field, replace

import numpy as np

from autograder.course.answer import Answer, Failure
from autograder.course.trace import Trace
from autograder.exam.model import PaperCase
from autograder.sitting.wire import decode_answers


@dataclass
class PartAnswers:
    """The answers of one part, as they come in.

    asked: the names of the steps that were to be sat. error: why the part could not be loaded; then there are no answers. notes: what
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
    """The answers of one submission by part, and how long the sitting took."""

    submission: str
    parts: dict[str, PartAnswers] = field(default_factory=dict)
    seconds: float = 0.0

    @property
    def by_case(self) -> dict[str, Answer]:
        """The answers to all cases, by case path."""
        return {path: answer for part in self.parts.values() for path, answer in part.answers.items()}


def answers_to(cases: Iterable[PaperCase], body: bytes) -> dict[str, Answer]:
    """Return the answers to some cases that a frame holds; what it says of other cases and of inputs that there are not is left out.

    Raises Garbled.
    """
    asked = {case.path: case for case in cases}
    return {path: _of(asked[path], answer) for path, answer in decode_answers(body, asked).items()}


def _of(case: PaperCase, answer: Answer) -> Answer:
    """Return an answer that names as changed the inputs of its case alone, with numbers in the shape of the first of them."""
    said = tuple(name for name in case.inputs if name in answer.changed_inputs)
    before, after = case.inputs[said[0]] if said else None, answer.changed_to
    same = isinstance(before, np.ndarray) and after is not None and after.shape == before.shape
    return replace(answer, changed_inputs=said, changed_to=after if same else None)
