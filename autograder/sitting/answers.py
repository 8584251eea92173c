"""What a sitting brought back: for each part its answers by case, what was printed, or why it could not be loaded."""

from dataclasses import dataclass, field

from autograder.course.answer import Answer, Failure
from autograder.course.trace import Trace


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
