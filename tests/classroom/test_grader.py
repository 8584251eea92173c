"""A grader gives every submission marks, whatever happens to its forker or to the judge itself."""

import os
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest
from processes import alive, children, eventually
from small_class import MODULE

from autograder.classroom import grader as grading
from autograder.classroom.grader import Conditions, Grader
from autograder.sitting.host import sit
from autograder.sitting.submission import Source, Submission
from autograder.workspace import Workspace

pytestmark = pytest.mark.slow

PART = "part1_simplified"
KILLS_THE_FORKER = "import os, signal, time\nos.kill(os.getppid(), signal.SIGKILL)\ntime.sleep(60)\n"


@pytest.fixture
def started_before() -> set[int]:
    return children(os.getpid())


@pytest.fixture
def grader(class_exam: Path, started_before: set[int]) -> Iterator[Grader]:
    made = Grader(Conditions(class_exam.read_bytes(), (PART,), "none", 5.0), slot=0)
    yield made
    made.close()


@pytest.fixture
def right(course: Workspace) -> Submission:
    return Submission("ada", {PART: Source.module(MODULE, (course.solutions / MODULE).read_text(encoding="utf-8"))})


def test_a_forker_that_has_died_is_replaced(started_before: set[int], grader: Grader, right: Submission) -> None:
    grader.grade(right)
    (forker,) = children(os.getpid()) - started_before
    os.kill(forker, signal.SIGKILL)
    assert eventually(lambda: not alive(forker))

    assert grader.grade(right).score == 25.0


def test_a_submission_that_kills_its_forker_gets_marks_that_say_so(grader: Grader, right: Submission) -> None:
    bad = Submission("eve", {PART: Source.module(MODULE, KILLS_THE_FORKER)})

    marks = grader.grade(bad)

    assert marks.score == 0.0
    assert marks.parts[0].error == "the process that runs submissions died 2 times while it ran this one"
    assert {step.verdict for step in marks.parts[0].steps} == {"crashed"}
    assert grader.grade(right).score == 25.0


def test_a_fault_of_the_judge_costs_one_submission_and_is_told(
    grader: Grader, right: Submission, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> None:
        raise ZeroDivisionError("no")

    monkeypatch.setattr(grading, "sit", fail)
    marks = grader.grade(right)
    monkeypatch.setattr(grading, "sit", sit)

    assert marks.parts[0].error == ("the grader failed on this submission (ZeroDivisionError: no). Please report it.")
    assert grader.grade(right).score == 25.0


def test_parts_that_are_not_marked_and_not_handed_in_are_left_out(class_exam: Path, right: Submission) -> None:
    conditions = Conditions(class_exam.read_bytes(), (PART, "part2_trainable"), "none", 5.0)
    both = Submission("ada", {**right.modules, "part3_causal": Source.module("part3_causal.py", "")})
    made = Grader(conditions, slot=0)

    marks = made.grade(both)
    made.close()

    assert [part.part for part in marks.parts] == [PART]
