"""Marks: what everything that shows or stores results reads. One JSON schema, `attn-marks/1`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any

from autograder.course.model import NO_WORDS, Words

if TYPE_CHECKING:
    from autograder.course.answer import Array
    from autograder.marking.boxes import Boxes

SCHEMA = "attn-marks/1"

PASSED = "passed"
NOT_ATTEMPTED = "not_attempted"

VERDICTS = (
    PASSED,
    NOT_ATTEMPTED,
    "missing",
    "forbidden",
    "raised",
    "timed_out",
    "out_of_memory",
    "crashed",
    "wrong_shape",
    "wrong_dtype",
    "wrong_values",
    "wrong_gradient",
    "changed_inputs",
)

CHECKS = {
    "runs": "raised",
    "shape": "wrong_shape",
    "dtype": "wrong_dtype",
    "values": "wrong_values",
    "inputs_untouched": "changed_inputs",
    "gradients": "wrong_gradient",
}
"""The checks in the order in which they are made, and the verdict that follows when one fails."""


COMPARED = ("expected", "yours", "difference")
"""What the two tensors of a picture and their difference are called."""

CHANGED = ("before", "after", "change")
"""What they are called if a tensor is compared with what it was."""


@dataclass(frozen=True)
class Picture:
    """Two tensors of one shape to be drawn side by side, with the names of their dimensions.

    tokens: the labels of the slices that words calls labelled.
    titles: of both and their difference; CHANGED if they are an argument before and after the run.
    """

    name: str
    expected: Array
    yours: Array
    dims: tuple[str, ...]
    tokens: tuple[str, ...] = ()
    words: Words = NO_WORDS
    titles: tuple[str, str, str] = COMPARED


@dataclass(frozen=True)
class Check:
    """One check of one case.

    picture: the numbers to be drawn. boxes: the shapes, if these differ. headline: the verdict in words, if it says more
    than the verdict's own: `nothing returned`.
    """

    case: str
    check: str
    passed: bool
    message: str = ""
    picture: Picture | None = None
    boxes: Boxes | None = None
    headline: str = ""


@dataclass(frozen=True)
class Diagnosis:
    """The likely cause of a wrong answer. kind: `mistake` (a known one) or `relation` (a general one)."""

    kind: str
    id: str
    says: str


@dataclass(frozen=True)
class StepMarks:
    """The marks of one step."""

    step: str
    verdict: str
    score: float
    max_score: float
    checks: tuple[Check, ...] = ()
    diagnosis: Diagnosis | None = None
    hint: str | None = None
    printed: str = ""
    traceback: str | None = None

    @property
    def passed(self) -> bool:
        """Whether the step has full marks."""
        return self.verdict == PASSED

    @property
    def first_failure(self) -> Check | None:
        """The check that decided the verdict."""
        return next((check for check in self.checks if not check.passed), None)

    @property
    def words(self) -> str:
        """The verdict in words."""
        failure = self.first_failure
        return (failure.headline if failure else "") or self.verdict.replace("_", " ")


@dataclass(frozen=True)
class PartMarks:
    """The marks of one part.

    error: why the whole part could not be loaded. submitted_at: when it was handed in, in the words of its `timestamp.txt`.
    """

    part: str
    error: str | None
    steps: tuple[StepMarks, ...]
    submitted_at: str | None = None

    @property
    def score(self) -> float:
        """The points earned."""
        return round(sum(step.score for step in self.steps), 2)

    @property
    def max_score(self) -> float:
        """The points that could be earned."""
        return round(sum(step.max_score for step in self.steps), 2)


@dataclass(frozen=True)
class Marks:
    """The marks of one submission. notes: for the reader, such as which of two files was marked."""

    submission: str
    digest: str
    exam: str
    graded_at: str
    seconds: float
    sandbox: str
    parts: tuple[PartMarks, ...]
    notes: tuple[str, ...] = ()

    @property
    def score(self) -> float:
        """The points earned."""
        return round(sum(part.score for part in self.parts), 2)

    @property
    def max_score(self) -> float:
        """The points that could be earned."""
        return round(sum(part.max_score for part in self.parts), 2)

    @property
    def passed(self) -> bool:
        """Whether every step has full marks."""
        return all(step.passed for part in self.parts for step in part.steps)


def to_json(marks: Marks) -> dict[str, Any]:
    """Return marks as the JSON object of the schema."""
    return {
        "schema": SCHEMA,
        "submission": marks.submission,
        "digest": marks.digest,
        "exam": marks.exam,
        "graded_at": marks.graded_at,
        "score": marks.score,
        "max_score": marks.max_score,
        "seconds": marks.seconds,
        "sandbox": marks.sandbox,
        "notes": list(marks.notes),
        "parts": [_part(part) for part in marks.parts],
    }


def _part(part: PartMarks) -> dict[str, Any]:
    return {
        "part": part.part,
        "score": part.score,
        "max_score": part.max_score,
        "error": part.error,
        "submitted_at": part.submitted_at,
        "steps": [_step(step) for step in part.steps],
    }


def _step(step: StepMarks) -> dict[str, Any]:
    plain: Mapping[str, Any] = {field.name: getattr(step, field.name) for field in fields(step)}
    return {
        **plain,
        "checks": [_check(check) | _drawn(check, step) for check in step.checks],
        "diagnosis": vars(step.diagnosis) if step.diagnosis else None,
    }


def _check(check: Check) -> dict[str, Any]:
    told = {"case": check.case, "check": check.check, "passed": check.passed, "message": check.message}
    return told | ({"headline": check.headline} if check.headline else {})


def _drawn(check: Check, step: StepMarks) -> dict[str, Any]:
    """Return what is drawn of a check, as fields of its own; none but that of the check that decided the verdict."""
    if check is not step.first_failure or not (check.picture or check.boxes):
        return {}
    from autograder.marking import boxes, pictures  # NumPy, which commands that draw nothing do without

    picture = {"picture": pictures.to_json(pictures.view_of(check.picture))} if check.picture else {}
    return picture | ({"boxes": boxes.to_json(check.boxes)} if check.boxes else {})
