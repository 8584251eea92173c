"""Marks: what everything that shows or stores results reads, and their JSON, `attn-marks/2`."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from math import isfinite
from typing import Any, Literal

import msgspec
import numpy as np

from autograder.course.answer import Array
from autograder.course.verdicts import Verdict
from autograder.exam.syllabus import VALUES
from autograder.grading.pictures import Boxes, View
from autograder.submission.model import Look

SCHEMA = "attn-marks/2"

CENT = 0.01
"""Points are rounded to it."""

DIGITS = 6
"""Significant digits of a number in the JSON."""

FEW_HAVE = ("picture", "boxes", "headline", "where", "what", "how", "spot", "more", "proved", "hidden")
"""The fields of a check, a diagnosis or a criterion that are left out of the JSON if it has none."""

CHECKS = {
    "runs": Verdict.RAISED,
    "shape": Verdict.WRONG_SHAPE,
    "dtype": Verdict.WRONG_DTYPE,
    "values": Verdict.WRONG_VALUES,
    "inputs_untouched": Verdict.CHANGED_INPUTS,
    "gradients": Verdict.WRONG_GRADIENT,
}
"""The checks in the order in which they are made, and the verdict that follows when one fails."""


class NotMarks(Exception):
    """What was read holds no marks. The message says why, without naming the file."""


@dataclass(frozen=True)
class Check:
    """One check of one case.

    picture: the numbers to be drawn. boxes: the shapes, if these differ. Only the check that decided the verdict is drawn.
    headline: the verdict in words, if they say more than the verdict's own: `nothing returned`.
    criterion: what it counts for.
    """

    case: str
    check: str
    passed: bool
    message: str = ""
    picture: View | None = None
    boxes: Boxes | None = None
    headline: str = ""
    criterion: str = VALUES


@dataclass(frozen=True)
class CriterionMarks:
    """What was earned by one criterion of a step. hidden: whether it cannot be seen while something else is wrong."""

    name: str
    score: float
    max_score: float
    hidden: bool = False


@dataclass(frozen=True)
class Spot:
    """A place in a student's code: a line, and the columns of what is meant in it. text: the line as the student wrote it.

    first, last: columns as Python counts them, from 0, without the last.
    """

    file: str
    line: int
    first: int
    last: int
    text: str


Kind = Literal["mistake", "slip", "cure", "place", "influence", "relation", "exception"]
"""How a cause was found: a known mistake, a slip of the reference that answers alike, an edit that makes the code right, the place
where its values depart from the reference's, what its inputs change, a relation of its numbers, an exception that is explained."""


@dataclass(frozen=True)
class Diagnosis:
    """The likely cause of a wrong answer. says: the sentence that is shown with the verdict.

    where, what, how: the rungs by which a student who asks is told more, as far as there are any. more: whether something else is wrong after this.
    proved: whether every case is right with what `how` says.
    picture: what shows the cause better than the wrong numbers do.
    """

    kind: Kind
    id: str
    says: str
    where: str = ""
    what: str = ""
    how: str = ""
    spot: Spot | None = None
    more: bool = False
    proved: bool = False
    picture: View | None = field(default=None, compare=False)

    def rungs(self, last: str = "how") -> tuple[str, ...]:
        """Return what is told of it one after the other, each text once. last: `where`, `what` or `how`."""
        texts = {"where": self.where or self.says, "what": self.what, "how": self.how}
        upto = list(texts).index(last) + 1
        return tuple(dict.fromkeys(text for text in list(texts.values())[:upto] if text))


@dataclass(frozen=True)
class StepMarks:
    """The marks of one step. criteria: what the score was given for; empty if nothing was looked at."""

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
        """Whether the step has full marks."""
        return self.verdict == Verdict.PASSED

    @property
    def first_failure(self) -> Check | None:
        """The check that decided the verdict."""
        return next((check for check in self.checks if not check.passed), None)

    @property
    def picture(self) -> View | None:
        """What is drawn of it: its cause, if that can be drawn, else the numbers of the check that decided the verdict."""
        drawn = self.diagnosis.picture if self.diagnosis else None
        return drawn or (self.first_failure.picture if self.first_failure else None)

    @property
    def words(self) -> str:
        """The verdict in words."""
        failure = self.first_failure
        return (failure.headline if failure else "") or self.verdict.words


@dataclass(frozen=True)
class PartMarks:
    """The marks of one part.

    error: why the whole part could not be loaded. submitted_at: when it was handed in, in the words of its `timestamp.txt`. notes: which
    lines outside the steps raised while the rest was loaded, and what to do. digest: of its module or notebook and of
    all beside it that it names; empty if there is none that can be read.
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
        """Return the marks of a step; None where it was not marked."""
        return next((step for step in self.steps if step.step == name), None)


@dataclass(frozen=True)
class Marks:
    """The marks of one submission.

    notes: for readers, such as which of two files was marked. looks: what a person should look at, beside what the verdicts say: the
    notes that are more than told, and flags of the code.
    """

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
        """Whether every step has full marks."""
        return all(step.passed for part in self.parts for step in part.steps)

    def part(self, name: str) -> PartMarks | None:
        """Return the marks of a part; None where it was not handed in."""
        return next((part for part in self.parts if part.part == name), None)


def marks_to_json(marks: Marks) -> dict[str, Any]:
    """Return marks as the JSON object of the schema: their fields, and what these add up to."""
    data: dict[str, Any] = msgspec.json.decode(msgspec.json.encode(marks, enc_hook=_rows))
    parts = [
        {"part": part.part, "score": part.score, "max_score": part.max_score, **found, "steps": _lean(found["steps"])}
        for part, found in zip(marks.parts, data["parts"], strict=True)
    ]
    totals = {"score": marks.score, "max_score": marks.max_score}
    return {"schema": SCHEMA, "submission": marks.submission, **totals, **data, "parts": parts}


def marks_from_json(content: bytes) -> Marks:
    """Read marks from the bytes of their JSON. Raises NotMarks, also where somebody has changed points and they do not add up."""
    try:
        schema = msgspec.json.decode(content, type=_Named).schema
        if schema != SCHEMA:
            raise NotMarks(f"holds marks of the schema {schema[:40]!r}; this grader reads {SCHEMA}")
        marks = msgspec.json.decode(content, type=Marks, dec_hook=_array)
        if amiss := next(_amiss(marks, msgspec.json.decode(content, type=_Written)), ""):
            raise NotMarks(f"does not add up: {amiss} (points that a person gives stand in adjustments.csv)")
        return marks
    except msgspec.ValidationError as error:
        raise NotMarks(f"holds no marks of the schema {SCHEMA}: {error}") from None
    except (ValueError, RecursionError) as error:
        raise NotMarks(f"cannot be read: {error}") from None


@dataclass(frozen=True)
class _Named:
    """What every version of the schema has."""

    schema: str


@dataclass(frozen=True)
class _Sums:
    """What the JSON says of a part, or of all of them, that follows from the steps."""

    score: float
    max_score: float


@dataclass(frozen=True)
class _Written(_Sums):
    parts: tuple[_Sums, ...]


def _amiss(marks: Marks, written: _Written) -> Iterator[str]:
    """Yield what does not add up."""
    for part, sums in zip(marks.parts, written.parts, strict=True):
        for step in part.steps:
            path, earned = f"{part.part}.{step.step}", sum(one.score for one in step.criteria)
            if not 0 <= step.score <= step.max_score:
                yield f"{path} has {step.score:g} of {step.max_score:g} points"
            if step.criteria and not _same_points(step.score, earned):
                yield f"{path} has {step.score:g} points, its criteria together {earned:g}"
        yield from _amiss_in(sums, part, f"{part.part} has", "its steps")
    yield from _amiss_in(written, marks, "there are", "the parts")


def _amiss_in(written: _Sums, found: PartMarks | Marks, whose: str, of: str) -> Iterator[str]:
    for name, said, added in (
        ("points", written.score, found.score),
        ("points at most", written.max_score, found.max_score),
    ):
        if not _same_points(said, added):
            yield f"{whose} {said:g} {name}, {of} together {added:g}"


def _same_points(one: float, other: float) -> bool:
    return abs(one - other) < CENT


def _lean(steps: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return steps without the fields that few of their checks, diagnoses and criteria have."""
    for found in (one for step in steps for one in (*step["checks"], *step["criteria"], step["diagnosis"] or {})):
        for name in FEW_HAVE:
            if not found.get(name):
                found.pop(name, None)
    return steps


def _rows(array: Any) -> list[list[bool | int | float | str]]:
    """Return an array's rows. Numbers that JSON lacks are the strings `nan`, `inf` and `-inf`."""
    if not isinstance(array, np.ndarray):
        raise NotImplementedError(f"marks hold a {type(array).__name__}")
    if array.dtype.kind != "f":
        rows: list[list[bool | int | float | str]] = array.tolist()
        return rows
    return [
        [float(f"{value:.{DIGITS}g}") if isfinite(value) else str(value) for value in row] for row in array.tolist()
    ]


def _array(_: type, rows: Any) -> Array:
    """Return the array that `_rows` took apart. Raises ValueError for what is none."""
    array = np.array(rows)
    if array.ndim != 2 or array.dtype.kind not in "bifU":
        raise ValueError("expected rows of numbers")
    return array.astype(float) if array.dtype.kind == "U" else array
