"""Marks, which all that shows or stores results reads, and their JSON, `attn-marks/2`."""

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

FEW_HAVE = {"picture", "boxes", "headline", "where", "what", "how", "spot", "more", "proved", "hidden"}
"""The fields of a check, a diagnosis or a criterion that the JSON leaves out if they are empty."""

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
    """Bytes hold no marks. The message has the reason, without the name of the file."""


@dataclass(frozen=True)
class Check:
    """One check of one case.

    picture: the numbers to be drawn. boxes: the shapes, if these differ. Only the check that decided the verdict is drawn.
    headline: the verdict in words, if they are closer than the verdict's own: `nothing returned`. criterion: for which it counts.
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
    """The points of one criterion of a step. hidden: True if it cannot be seen while something else is wrong."""

    name: str
    score: float
    max_score: float
    hidden: bool = False


@dataclass(frozen=True)
class Spot:
    """A place in a student's code: a line and the columns that are meant, from 0, without the last.

    text: the line as the student wrote it.
    """

    file: str
    line: int
    first: int
    last: int
    text: str


Kind = Literal["mistake", "slip", "cure", "place", "influence", "relation", "exception"]
"""The way in which a cause was found: a known mistake, a slip of the reference that answers alike, an edit that makes the code right,
the place where its values depart from the reference's, the effect of its inputs, a relation of its numbers, an exception."""


@dataclass(frozen=True)
class Diagnosis:
    """The likely cause of a wrong answer. says: the sentence that is shown with the verdict.

    where, what, how: the further hints that a student may ask for, each of which may be empty. more: True if something else is wrong,
    too. proved: True if every case is right with the edit in `how`. picture: one that shows the cause better than the wrong numbers do.
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
        """Return the hints in order, each text once. last: `where`, `what` or `how`."""
        names = ("where", "what", "how")
        texts = (self.where or self.says, self.what, self.how)[: names.index(last) + 1]
        return tuple(dict.fromkeys(filter(None, texts)))


@dataclass(frozen=True)
class StepMarks:
    """The marks of one step. criteria: their points; none if nothing was compared."""

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
        """The picture of its cause, else that of the check that decided the verdict."""
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

    error: the reason for which the whole part could not be loaded. submitted_at: the time in the words of its `timestamp.txt`.
    notes: lines outside the steps that raised while the rest was loaded, and advice. digest: of its module or notebook and of all
    modules that this imports; empty if none can be read.
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

    notes: for readers, such as which of two files was marked. looks: flags for a person, of the files and of the code.
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
    for part, found in zip(marks.parts, data["parts"], strict=True):
        found |= {"score": part.score, "max_score": part.max_score}
        for step in found["steps"]:
            for one in (*step["checks"], *step["criteria"], step["diagnosis"] or {}):
                for name in FEW_HAVE & one.keys():
                    if not one[name]:
                        del one[name]
    return {
        "schema": SCHEMA,
        "submission": marks.submission,
        "score": marks.score,
        "max_score": marks.max_score,
        **data,
    }


def marks_from_json(content: bytes) -> Marks:
    """Read marks from the bytes of their JSON. Raises NotMarks, also if the points of the steps were changed and do not add up."""
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
        given = "points that a person gives stand in adjustments.csv"
        raise NotMarks(f"does not add up: there are {written.score:g} points, the steps have {marks.score:g} ({given})")
    return marks


@dataclass(frozen=True)
class _Written:
    """The part of the JSON that is looked at before the rest. score: the points of all steps."""

    schema: str
    score: float = 0.0


def _rows(array: Any) -> list[list[bool | int | float | str]]:
    """Return an array's rows. Numbers that JSON lacks are the strings `nan`, `inf` and `-inf`."""
    if not isinstance(array, np.ndarray):
        raise NotImplementedError(f"marks hold a {type(array).__name__}")
    rows: list[list[bool | int | float | str]] = array.tolist()
    if array.dtype.kind != "f":
        return rows
    return [[float(f"{one:.{DIGITS}g}") if isfinite(one) else str(one) for one in row] for row in array.tolist()]


def _array(_: type, rows: Any) -> Array:
    """Return the array whose rows are in the JSON. Raises ValueError for anything else."""
    array = np.array(rows)
    if array.ndim != 2 or array.dtype.kind not in "bifU":
        raise ValueError("expected rows of numbers")
    return array.astype(float) if array.dtype.kind == "U" else array
