"""Gradescope's results.json, one a student: https://gradescope-autograders.readthedocs.io/en/latest/specs/."""

from typing import Any

from autograder.classroom.exports.feedback import feedback, said_of
from autograder.classroom.grades import PartGrade, State, StudentGrade

Json = dict[str, Any]


def results(student: StudentGrade) -> Json:
    """Return one student's results: a test a step, all of them visible, because a hidden test hides the total too.

    Gradescope takes no results without a score: what could not be read is 0 there, until somebody has decided, and says so. All texts
    are declared as plain text: Gradescope shows the output at the top as HTML otherwise.
    """
    errors = [f"{part.part.name}: {part.error}" for part in student.parts if part.error]
    return {
        "score": round(sum(part.points or 0.0 for part in student.parts), 2),
        "execution_time": student.marks.seconds,
        "output": "\n".join([*student.marks.notes, *errors, *student.done]),
        "output_format": "text",
        "test_output_format": "text",
        "test_name_format": "text",
        "visibility": "visible",
        "tests": [test for number, part in enumerate(student.parts, start=1) for test in _tests(part, number)],
    }


def _tests(part: PartGrade, number: int) -> list[Json]:
    name = part.part.name
    if part.state in (State.NOT_HANDED_IN, State.EXCUSED):
        points = part.points or 0.0
        return [_test(name, f"{number}", points, part.max_points, said_of(part), [name])]
    tests = [
        _test(
            f"{name}.{step.step.name}",
            f"{number}.{position}",
            step.points,
            step.max_points,
            part.error or feedback(step.marks),
            [name, step.marks.verdict],
            step.marks.passed,
        )
        for position, step in enumerate(part.steps, start=1)
        if step.marks
    ]
    if part.done or not tests:
        tests.append(_test(name, f"{number}", part.beyond_steps, 0.0, said_of(part), [name]))
    return tests


def _test(
    name: str, number: str, score: float, max_score: float, output: str, tags: list[str], passed: bool = False
) -> Json:
    return {
        "name": name,
        "number": number,
        "score": score,
        "max_score": max_score,
        "status": "passed" if passed else "failed",
        "output": output,
        "tags": tags,
        "visibility": "visible",
    }
