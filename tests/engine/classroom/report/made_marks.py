"""Marks of made-up students: everything passed but what a test says."""

from typing import Any

from autograder.classroom.class_marks import ClassMarks
from autograder.exam.syllabus import Syllabus, SyllabusPart

Json = dict[str, Any]


def step(verdict: str, score: float = 0.0, says: str = "", **rest: Any) -> Json:
    """The marks of a step, but for its name and its points. says: the diagnosis."""
    told = {"kind": "mistake", "id": "some", "says": says} if says else None
    failed = {"case": "journey", "check": "values", "passed": False, "message": f"it {verdict}"}
    nothing = {"hint": None, "printed": "", "traceback": None}
    return {"verdict": verdict, "score": score, "checks": [failed], "diagnosis": told} | nothing | rest


def handed_in(part: SyllabusPart, error: str | None = None, **steps: Json) -> Json:
    """The marks of a part, with all steps passed but those that are given; with an error, all are missing."""
    passed = [step("missing") if error else step("passed", one.points, checks=[]) for one in part.steps]
    marked = [
        steps.get(one.name, marks) | {"step": one.name, "max_score": one.points}
        for one, marks in zip(part.steps, passed, strict=True)
    ]
    score = round(sum(one["score"] for one in marked), 2)
    return {"part": part.name, "score": score, "max_score": part.points, "error": error, "steps": marked}


def class_of(syllabus: Syllabus, **students: list[Json]) -> ClassMarks:
    """The marks of a class: by student, the parts that were handed in."""
    return ClassMarks(syllabus.parts, {name: student(parts) for name, parts in students.items()})


def student(parts: list[Json], *notes: str) -> Json:
    """The marks of a student."""
    score = round(sum(part["score"] for part in parts), 2)
    return {"graded_at": "2026-11-20T12:00:00Z", "score": score, "notes": list(notes), "parts": parts}
