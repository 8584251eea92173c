"""What a student's marks are to nbgrader: an id, a score and a comment, in which its pages find no HTML."""

import hashlib
import re

from autograder.exam.syllabus import SyllabusStep
from autograder.grading.points import told
from autograder.grading.results import StepMarks

LONGEST = 128
"""Characters of a student's id, and of each of their names, in nbgrader's tables."""

UNSAFE = re.compile(r"[<>&\"\\]")
"""What nbgrader's pages would take for HTML, or for the end of a text of JavaScript."""

DIGEST = re.compile(r"~[0-9a-f]{8}$")


def student_id(name: str) -> str:
    """Return a student's name as nbgrader's tables and pages take it.

    They write it into HTML and JavaScript as it is, so signs that mean something there become `_`. Where one did, or the name
    was cut, or ends as if it had, a digest of the name keeps it apart from others.
    """
    safe = UNSAFE.sub("_", name)
    if safe == name and len(name) <= LONGEST and not DIGEST.search(name):
        return name
    digest = f"~{hashlib.sha256(name.encode()).hexdigest()[:8]}"
    return safe[: LONGEST - len(digest)] + digest


def first_and_last(name: str) -> tuple[str, str]:
    """Return a name as nbgrader's tables and pages take it. What stands behind a comma is the first name, else all words but the last."""
    safe = UNSAFE.sub("_", name)
    last, comma, first = safe.partition(",")
    if not comma:
        first, _, last = safe.rpartition(" ")
    return first.strip()[:LONGEST], last.strip()[:LONGEST]


def worth(score: float, step: SyllabusStep, points: float) -> float:
    """Return a step's score if an instructor has given its cell other points than the course has: nothing if it has none there."""
    return round(score * points / step.points, 2) if step.points else 0.0


def says(step: StepMarks, error: str | None) -> str | None:
    """Return the comment on a step's marks: its diagnosis, else what failed, and by which criteria it lost points; None if it passed."""
    if step.passed:
        return None
    diagnosis, failure = step.diagnosis, step.first_failure
    wrong = error or (diagnosis and diagnosis.says) or (failure and failure.message) or step.verdict.words
    return "\n".join(filter(None, (wrong, told(step))))


def literally(text: str) -> str:
    """Return a text as Markdown that shows it as it is: indented, as code, in which no HTML, link or formula is one."""
    return "\n".join(f"    {line}" for line in text.splitlines())
