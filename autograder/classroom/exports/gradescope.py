"""Gradescope's results.json of a student: https://gradescope-autograders.readthedocs.io/en/latest/specs/."""

from collections.abc import Iterator
from typing import Any

from autograder.classroom.grades import PartGrade, State, StudentGrade
from autograder.grading.points import told
from autograder.grading.results import StepMarks

NOT_HANDED_IN = "This part was not handed in."


def results(student: StudentGrade) -> dict[str, Any]:
    """Return one student's results. All tests are visible, because a hidden test would hide the total.

    The format has no empty score, so unreadable work gets 0 points, and its error as a text. All
    formats are set to `text`, because Gradescope reads the first output as HTML by default.
    """
    errors = [f"{part.part.name}: {part.error}" for part in student.parts if part.error]
    return {
        "score": round(sum(part.points or 0.0 for part in student.parts), 2),
        "execution_time": student.marks.seconds,
        "output": "\n".join([*student.marks.notes, *errors, *student.done]),
        **dict.fromkeys(("output_format", "test_output_format", "test_name_format"), "text"),
        "visibility": "visible",
        "tests": [test for number, part in enumerate(student.parts, start=1) for test in _tests(f"{number}", part)],
    }


def headline(step: StepMarks) -> str:
    """Return the verdict on a step and the first check that failed, in one line."""
    failed = step.first_failure
    case = f": case {failed.case}: {' '.join(failed.message.split())}" if failed and failed.message else ""
    return f"{step.verdict.words}{case}"


def _tests(number: str, part: PartGrade) -> Iterator[dict[str, Any]]:
    """Yield a test for each marked step of a part; if no step is marked, one test for the part."""
    name, missing = part.part.name, part.state == State.NOT_HANDED_IN
    marked = [(place, step, step.marks) for place, step in enumerate(part.steps, start=1) if step.marks]
    for place, step, marks in marked:
        output = part.error or _feedback(marks)
        test = _test(f"{name}.{step.step.name}", f"{number}.{place}", step.points, step.max_points, output)
        yield test | {"status": "passed" if marks.passed else "failed", "tags": [name, marks.verdict]}
    if not marked:
        output = "\n".join(filter(None, [NOT_HANDED_IN if missing else "", part.error, *part.done]))
        yield _test(name, number, part.points or 0.0, part.max_points, output) | {"status": "failed", "tags": [name]}


def _test(name: str, number: str, score: float, max_score: float, output: str) -> dict[str, Any]:
    about = {"name": name, "number": number, "score": score, "max_score": max_score, "output": output}
    return about | {"visibility": "visible"}


def _feedback(step: StepMarks) -> str:
    if step.passed:
        return ""
    cause, hint = step.diagnosis.says if step.diagnosis else "", f"Hint: {step.hint}" if step.hint else ""
    return "\n\n".join(filter(None, [headline(step), step.traceback, cause, told(step), hint]))
