"""The marks of a class, read from a folder of results: what reports, exports and comparisons are made from."""

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from autograder.exam.syllabus import Syllabus, SyllabusPart
from autograder.marking.marks import SCHEMA

Json = dict[str, Any]


class NoMarks(Exception):
    """A folder holds no readable marks. The message says why and what to do."""


@dataclass(frozen=True)
class ClassMarks:
    """The marks of a class.

    parts: of the course, those that anybody has handed in, in order. students: by student's name, one object of the schema
    `attn-marks/1` each, in the order of the names; it holds the parts that this student handed in.
    """

    parts: tuple[SyllabusPart, ...]
    students: dict[str, Json]

    @cached_property
    def max_score(self) -> float:
        """The points of all parts together."""
        return round(sum(part.points for part in self.parts), 2)


def read_class(folder: Path, syllabus: Syllabus) -> ClassMarks:
    """Read the marks in a folder of results, of `attn grade --out`. Raises NoMarks."""
    marks = folder / "marks" if (folder / "marks").is_dir() else folder
    if not marks.is_dir():
        raise NoMarks(f"There is no folder {folder}. Give the one that `attn grade --out` has written.")
    by_student: dict[str, list[Json]] = {}
    for found in _read_all(marks):
        by_student.setdefault(found["submission"], []).append(found)
    if not by_student:
        raise NoMarks(f"{folder} holds no marks. Give the folder that `attn grade --out` has written.")
    students = {name: _merged(files, syllabus) for name, files in sorted(by_student.items())}
    there = {part["part"] for one in students.values() for part in one["parts"]}
    if unknown := sorted(there - {part.name for part in syllabus.parts}):
        raise NoMarks(f"{folder} has marks for {unknown[0]}, which this course does not have.")
    counted = handed_in(students.values())
    parts = tuple(part for part in syllabus.parts if part.name in counted)
    return ClassMarks(parts, {name: _of_parts(one, counted) for name, one in students.items()})


def handed_in(marks: Iterable[Json]) -> set[str]:
    """Return the names of the parts that at least one student has submitted.

    A submission that cannot be read at all has an error in every part of the course; it counts only if nobody has submitted
    anything else.
    """
    readable: set[str] = set()
    all_parts: set[str] = set()
    for one in marks:
        names = {part["part"] for part in one["parts"]}
        all_parts |= names
        errors = {part["error"] for part in one["parts"]}
        if len(names) < 2 or len(errors) > 1 or None in errors:
            readable |= names
    return readable or all_parts


def step_marks(marks: Json, part: str, step: str) -> Json | None:
    """Return what one student's marks say of a step; None if the part was not submitted."""
    steps = (one for found in marks["parts"] if found["part"] == part for one in found["steps"])
    return next((one for one in steps if one["step"] == step), None)


def _read_all(folder: Path) -> Iterator[Json]:
    for path in sorted(folder.glob("*.json")):
        try:
            found = json.loads(path.read_bytes())
        except (OSError, ValueError) as error:
            raise NoMarks(f"{path} cannot be read: {error}. `attn grade` makes it again.") from None
        if not isinstance(found, dict) or found.get("schema") != SCHEMA:
            raise NoMarks(f"{path} holds no marks of the schema {SCHEMA}. Give a folder of `attn grade --out`.")
        yield found


def _of_parts(marks: Json, names: set[str]) -> Json:
    parts = [part for part in marks["parts"] if part["part"] in names]
    return marks | {"parts": parts, "max_score": round(sum(part["max_score"] for part in parts), 2)}


def _merged(files: Iterable[Json], syllabus: Syllabus) -> Json:
    """Join one student's files: each part as it was marked last."""
    in_order = sorted(files, key=lambda marks: str(marks["graded_at"]))
    latest: dict[str, Json] = {part["part"]: part for marks in in_order for part in marks["parts"]}
    order = [part.name for part in syllabus.parts]
    parts = sorted(latest.values(), key=lambda part: order.index(part["part"]) if part["part"] in order else len(order))
    return in_order[-1] | {
        "score": round(sum(part["score"] for part in parts), 2),
        "max_score": round(sum(part["max_score"] for part in parts), 2),
        "notes": list(dict.fromkeys(note for marks in in_order for note in marks["notes"])),
        "parts": parts,
    }
