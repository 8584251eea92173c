"""A grader gives every submission marks, whatever happens to its forker or to the judge itself."""

from dataclasses import replace
from pathlib import Path

import pytest
from small_class import MODULE
from warm import lend

from autograder.classroom import grader as grading
from autograder.classroom.grader import Conditions, Grader
from autograder.sitting.host import sit
from autograder.sitting.submission import Source, Submission
from autograder.workspace import COURSE, Workspace

PART = "part1_simplified"
KILLS_THE_FORKER = "import os, signal, time\nos.kill(os.getppid(), signal.SIGKILL)\ntime.sleep(60)\n"


@pytest.fixture
def conditions(class_exam: Path) -> Conditions:
    return Conditions(COURSE.root, class_exam.read_bytes(), (PART,), "none", 60.0)


@pytest.fixture
def grader(conditions: Conditions, monkeypatch: pytest.MonkeyPatch) -> Grader:
    """A grader with the warm process of the session."""
    monkeypatch.setattr(grading, "open_sitter", lend)
    return Grader(conditions, slot=0)


@pytest.fixture
def right(course: Workspace) -> Submission:
    return Submission("ada", {PART: Source.module(MODULE, (course.solutions / MODULE).read_text(encoding="utf-8"))})


@pytest.mark.slow
def test_a_submission_that_kills_its_forker_gets_marks_that_say_so_and_the_next_one_gets_its_own(
    conditions: Conditions, right: Submission
) -> None:
    bad = Submission("eve", {PART: Source.module(MODULE, KILLS_THE_FORKER)})
    grader = Grader(conditions, slot=0)

    lost, kept = grader.grade(bad), grader.grade(right)
    grader.close()

    assert lost.score == 0.0
    assert lost.parts[0].error == "the process that runs submissions died 2 times while it ran this one"
    assert {step.verdict for step in lost.parts[0].steps} == {"crashed"}
    assert kept.score == 25.0


@pytest.mark.slow
def test_a_fault_of_the_judge_costs_one_submission_and_is_told(
    grader: Grader, right: Submission, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> None:
        raise ZeroDivisionError("no")

    monkeypatch.setattr("autograder.check.sit", fail)
    marks = grader.grade(right)
    monkeypatch.setattr("autograder.check.sit", sit)

    assert marks.parts[0].error == ("the grader failed on this submission (ZeroDivisionError: no). Please report it.")
    assert grader.grade(right).score == 25.0


@pytest.mark.slow
def test_parts_that_are_not_marked_and_not_handed_in_are_left_out(
    conditions: Conditions, right: Submission, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(grading, "open_sitter", lend)
    both = Submission("ada", {**right.modules, "part3_causal": Source.module("part3_causal.py", "")})
    two = Grader(replace(conditions, parts=(PART, "part2_trainable")), slot=0)

    assert [part.part for part in two.grade(both).parts] == [PART]
