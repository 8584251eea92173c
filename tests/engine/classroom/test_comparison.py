"""Two markings of a class: who moved, by which steps, and why."""

import csv
from pathlib import Path

import pytest

from autograder.classroom.class_marks import ClassMarks
from autograder.classroom.comparison import Comparison, Mover, compare, write_moves
from autograder.course.verdicts import Verdict
from autograder.grading.results import Marks, PartMarks, StepMarks

RIGHT, WRONG = (Verdict.PASSED, 8.0), (Verdict.WRONG_VALUES, 1.5)


def marks(softmax: tuple[Verdict, float], digest: str = "d", exam: str = "e", sandbox: str = "full") -> Marks:
    part = PartMarks("part1_simplified", None, (StepMarks("softmax", *softmax, 8.0),))
    return Marks("ada", digest, exam, "", 0.0, sandbox, (part,))


def of(**students: Marks) -> ClassMarks:
    return ClassMarks((), students)


def only_mover(comparison: Comparison) -> Mover:
    (mover,) = comparison.movers
    return mover


def test_a_student_who_moved_has_the_steps_that_did() -> None:
    mover = only_mover(compare(of(ada=marks(WRONG)), of(ada=marks(RIGHT, exam="other"))))
    (move,) = mover.moves

    assert (mover.student, mover.score_before, mover.score) == ("ada", 1.5, 8.0)
    assert (move.step, move.verdict_before, move.verdict) == ("part1_simplified.softmax", "wrong values", "passed")


@pytest.mark.parametrize(
    ("after", "reason"),
    [
        (marks(RIGHT, exam="other"), "marked with another exam"),
        (marks(RIGHT, digest="other"), "submitted something else"),
        (marks(RIGHT, digest="other", exam="other"), "submitted something else; marked with another exam"),
        (marks(RIGHT), "the same work and exam: the grader, its time-out or the machine differed"),
        (
            marks(RIGHT, exam="other", sandbox="kernel"),
            "marked with another exam; marked in the sandbox kernel, before in full",
        ),
    ],
)
def test_why_a_student_moved_is_told(after: Marks, reason: str) -> None:
    assert "; ".join(only_mover(compare(of(ada=marks(WRONG)), of(ada=after))).reasons) == reason


def test_every_step_that_moved_is_a_line_of_the_file(tmp_path: Path) -> None:
    name = 'Müller, "Ada"\n'
    write_moves(compare(of(**{name: marks(WRONG)}), of(**{name: marks(RIGHT, exam="x")})), tmp_path / "moves.csv")

    with (tmp_path / "moves.csv").open(encoding="utf-8", newline="") as file:
        (line,) = csv.DictReader(file)
    assert line == {
        "student": name,
        "step": "part1_simplified.softmax",
        "score_before": "1.5",
        "score": "8.0",
        "verdict_before": "wrong values",
        "verdict": "passed",
        "criteria": "",
        "why": "marked with another exam",
    }
