"""Marks, the result of grading a submission, and their JSON format, `attn-marks/2`."""

from dataclasses import dataclass, field
from math import isfinite
from typing import Any, Literal

import msgspec
import numpy as np

from autograder.course.answer import Array
from autograder.course.verdicts import Verdict
from autograder.exam.syllabus import VALUES
from autograder.grading.pictures import View
from autograder.submission.model import Look

SCHEMA = "attn-marks/2"
CENT = 0.01

DIGITS = 6
"""The significant digits of a number in the JSON."""

CHECKS = {
    "runs": Verdict.RAISED,
    "shape": Verdict.WRONG_SHAPE,
    "dtype": Verdict.WRONG_DTYPE,
    "values": Verdict.WRONG_VALUES,
    "inputs_untouched": Verdict.CHANGED_INPUTS,
    "gradients": Verdict.WRONG_GRADIENT,
}
"""The checks in the order in which they run, each with the verdict for its failure."""


class NotMarks(Exception):
    """The bytes are not valid marks. The message has the reason, without the file name."""


@dataclass(frozen=True)
class Check:
    """The result of one check of one case. criterion: the criterion that the check decides.

    picture: values to draw. Only the first failed check of a step may have a picture.
    headline: words in place of the verdict's words, such as `nothing returned`; empty for none.
    """

    case: str
    check: str
    passed: bool
    message: str = ""
    picture: View | None = None
    headline: str = ""
    criterion: str = VALUES


@dataclass(frozen=True)
class CriterionMarks:
    """The points of one criterion. hidden: True if other errors prevent checking the criterion."""

    name: str
    score: float
    max_score: float
    hidden: bool = False


@dataclass(frozen=True)
class Spot:
    """A range of columns in a line of a student's code.

    first, last: the columns, from 0; `last` is exclusive. text: the whole line.
    """

    file: str
    line: int
    first: int
    last: int
    text: str


Kind = Literal["mistake", "cure", "place", "influence", "relation", "exception"]
"""The evidence for a cause, in this order: a known mistake, a repair, a divergence from the
reference, dependencies on inputs, a relation of values, an exception."""


CALLS_OPEN = "calls_an_open_step"
"""The id of the diagnosis that a step calls a wrong step. No further cause is searched then."""


@dataclass(frozen=True)
class Diagnosis:
    """The likely cause of a wrong answer. says: the text shown first. spot: the code at fault.

    where, what, how: texts that reveal more and more: the place, the fault, the repair; or "".
    more: True if the cause does not explain all errors. picture: a picture of the cause, or None.
    """

    kind: Kind
    id: str
    says: str
    where: str = ""
    what: str = ""
    how: str = ""
    spot: Spot | None = None
    more: bool = False
    picture: View | None = field(default=None, compare=False)

    def rungs(self, last: str = "how") -> tuple[str, ...]:
        """Return the texts `where` up to `last`, each once. `says` takes the place of an empty `where`."""
        names = ("where", "what", "how")
        texts = (self.where or self.says, self.what, self.how)[: names.index(last) + 1]
        return tuple(dict.fromkeys(filter(None, texts)))


@dataclass(frozen=True)
class StepMarks:
    """The marks of one step. criteria: the points by criterion; empty if the part cannot be loaded."""

    step: str
    verdict: Verdict
    score: float
    max_score: float
    checks: tuple[Check, ...] = ()
    diagnosis: Diagnosis | None = None
    hint: str | None = None
    printed: str = ""
    traceback: str | None = None
    criteria: tuple[CriterionMarks, ...] = ()

    @property
    def passed(self) -> bool:
        """True if the step has full marks."""
        return self.verdict == Verdict.PASSED

    @property
    def first_failure(self) -> Check | None:
        """The first failed check, which decides the verdict; None if all checks passed."""
        return next((check for check in self.checks if not check.passed), None)

    @property
    def picture(self) -> View | None:
        """The picture of the diagnosis, else of the first failed check, else None."""
        drawn = self.diagnosis.picture if self.diagnosis else None
        return drawn or (self.first_failure.picture if self.first_failure else None)

    @property
    def words(self) -> str:
        """The headline of the first failed check, else the verdict in words."""
        failure = self.first_failure
        return (failure.headline if failure else "") or self.verdict.words


@dataclass(frozen=True)
class PartMarks:
    """The marks of one part. error: the reason if the part could not be loaded, or None.

    submitted_at: the text of `timestamp.txt`. notes: messages on missing libraries and failed
    statements. digest: of the part and all modules that the part imports; empty if the part is unreadable.
    """

    part: str
    error: str | None
    steps: tuple[StepMarks, ...]
    submitted_at: str | None = None
    notes: tuple[str, ...] = ()
    digest: str = ""

    @property
    def score(self) -> float:
        """The points earned."""
        return round(sum((step.score for step in self.steps), 0.0), 2)

    @property
    def max_score(self) -> float:
        """The points that could be earned."""
        return round(sum((step.max_score for step in self.steps), 0.0), 2)

    def step(self, name: str) -> StepMarks | None:
        """Return the marks of a step; None if the step was not graded."""
        return next((step for step in self.steps if step.step == name), None)


@dataclass(frozen=True)
class Marks:
    """The marks of one submission. notes: messages on submitted files. looks: flags for a teacher."""

    submission: str
    digest: str
    exam: str
    graded_at: str
    seconds: float
    sandbox: str
    parts: tuple[PartMarks, ...]
    notes: tuple[str, ...] = ()
    looks: tuple[Look, ...] = ()

    @property
    def score(self) -> float:
        """The points earned."""
        return round(sum((part.score for part in self.parts), 0.0), 2)

    @property
    def max_score(self) -> float:
        """The points that could be earned."""
        return round(sum((part.max_score for part in self.parts), 0.0), 2)

    @property
    def passed(self) -> bool:
        """True if every step has full marks."""
        return all(step.passed for part in self.parts for step in part.steps)

    def part(self, name: str) -> PartMarks | None:
        """Return the marks of a part; None if the part was not submitted."""
        return next((part for part in self.parts if part.part == name), None)


def marks_to_json(marks: Marks) -> dict[str, Any]:
    """Return marks as a JSON object of SCHEMA: all fields, and the sums of points."""
    data: dict[str, Any] = msgspec.json.decode(msgspec.json.encode(marks, enc_hook=_rows))
    for part, found in zip(marks.parts, data["parts"], strict=True):
        found |= {"score": part.score, "max_score": part.max_score}
    return {
        "schema": SCHEMA,
        "submission": marks.submission,
        "score": marks.score,
        "max_score": marks.max_score,
        **data,
    }


def marks_from_json(content: bytes) -> Marks:
    """Read marks from JSON. Raises NotMarks if they are invalid or their points do not add up."""
    try:
        written = msgspec.json.decode(content, type=_Written)
        if written.schema != SCHEMA:
            raise NotMarks(f"holds marks of the schema {written.schema[:40]!r}; this grader reads {SCHEMA}")
        marks = msgspec.json.decode(content, type=Marks, dec_hook=_array)
    except msgspec.ValidationError as error:
        raise NotMarks(f"holds no marks of the schema {SCHEMA}: {error}") from None
    except (ValueError, RecursionError) as error:
        raise NotMarks(f"cannot be read: {error}") from None
    if abs(written.score - marks.score) >= CENT:
        given = "points given by a person belong into adjustments.csv"
        raise NotMarks(f"does not add up: there are {written.score:g} points, the steps have {marks.score:g} ({given})")
    return marks


@dataclass(frozen=True)
class _Written:
    schema: str
    score: float = 0.0


def _rows(array: Any) -> list[list[bool | int | float | str]]:
    if not isinstance(array, np.ndarray):
        raise NotImplementedError(f"marks hold a {type(array).__name__}")
    rows: list[list[bool | int | float | str]] = array.tolist()
    if array.dtype.kind != "f":
        return rows
    return [[float(f"{one:.{DIGITS}g}") if isfinite(one) else str(one) for one in row] for row in array.tolist()]


def _array(_: type, rows: Any) -> Array:
    array = np.array(rows)
    if array.ndim != 2 or array.dtype.kind not in "bifU":
        raise ValueError("expected rows of numbers")
    return array.astype(float) if array.dtype.kind == "U" else array
