"""What goes into the gradebook, taken from marks: for each part that a student handed in, a score and a comment a step."""

import hashlib
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from autograder.exam.syllabus import SyllabusPart, SyllabusStep

LONGEST_ID = 128
"""Characters of a student's id in nbgrader's tables."""

UNSAFE = re.compile(r"[<>&\"\\]")
"""What nbgrader's pages would take for HTML, or for the end of a text of JavaScript."""

DIGEST = re.compile(r"~[0-9a-f]{8}$")


@dataclass(frozen=True)
class StepGrade:
    """The score of one step, and what its student is told; None where it passed."""

    step: SyllabusStep
    score: float
    comment: str | None


@dataclass(frozen=True)
class PartGrades:
    """The grades of one part that a student handed in. student: the id in the gradebook. name: as everywhere else."""

    student: str
    name: str
    part: SyllabusPart
    submitted_at: str | None
    steps: tuple[StepGrade, ...]


def grades_of(marks: Iterable[dict[str, Any]], parts: Iterable[SyllabusPart]) -> Iterator[PartGrades]:
    """Yield the grades of each of these parts in marks, which come as their JSON."""
    by_name = {part.name: part for part in parts}
    for one in marks:
        for found in one["parts"]:
            if found["part"] not in by_name:
                continue
            part = by_name[found["part"]]
            steps = tuple(_grade(part.step(step["step"]), step, found["error"]) for step in found["steps"])
            name = one["submission"]
            yield PartGrades(student_id(name), name, part, found.get("submitted_at"), steps)


def student_id(name: str) -> str:
    """Return a student's name as nbgrader's tables and pages take it.

    They write it into HTML and JavaScript as it is, so signs that mean something there become `_`. Where one did, or the name
    was cut, or ends as if it had, a digest of the name keeps it apart from others.
    """
    safe = UNSAFE.sub("_", name)
    if safe == name and len(name) <= LONGEST_ID and not DIGEST.search(name):
        return name
    digest = f"~{hashlib.sha256(name.encode()).hexdigest()[:8]}"
    return safe[: LONGEST_ID - len(digest)] + digest


def says(step: dict[str, Any], error: str | None) -> str | None:
    """Return what a student is told of a step's marks: its diagnosis, else what failed; None where it passed."""
    if step["verdict"] == "passed":
        return None
    if error or step["diagnosis"]:
        return str(error or step["diagnosis"]["says"])
    messages = (check["message"] for check in step["checks"] if not check["passed"])
    return next(messages, "") or str(step["verdict"]).replace("_", " ")


def worth(score: float, step: SyllabusStep, points: float) -> float:
    """Return a step's score where an instructor has given its cell other points than the course has."""
    return round(score * points / step.points, 2)


def literally(text: str) -> str:
    """Return a text as Markdown that shows it as it is: indented, as code, in which no HTML, link or formula is one."""
    return "\n".join(f"    {line}" for line in text.splitlines())


def _grade(step: SyllabusStep, found: dict[str, Any], error: str | None) -> StepGrade:
    told = says(found, error)
    return StepGrade(step, found["score"], literally(told) if told else None)
