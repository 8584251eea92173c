"""What happens to a grader's forker, or to the judge itself, is no student's fault."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from small_class import MODULE
from warm import lend

from autograder.classroom import grader as grading
from autograder.classroom.grader import Conditions, Grader, Unmarked, close_graders, grade
from autograder.grading.results import marks_from_json
from autograder.submission.model import Source, Submission
from autograder.workspace import COURSE, Workspace

PART = "part1_simplified"
KILLS_THE_FORKER = "import os, signal, time\nos.kill(os.getppid(), signal.SIGKILL)\ntime.sleep(60)\n"


@pytest.fixture
def conditions(class_exam: Path) -> Conditions:
    return Conditions(COURSE.root, class_exam.read_bytes(), (PART,), "none", 60.0)


@pytest.fixture
def warm(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let graders have the warm process of the session."""
    monkeypatch.setattr(grading, "open_runner", lend)


@pytest.fixture
def right(course: Workspace) -> Submission:
    return Submission("ada", {PART: Source.module(MODULE, (course.solutions / MODULE).read_text(encoding="utf-8"))})


@pytest.mark.world
@pytest.mark.slow
def test_a_submission_whose_forker_dies_again_has_no_marks_and_the_next_one_gets_its_own(
    conditions: Conditions, right: Submission
) -> None:
    bad = Submission("eve", {PART: Source.module(MODULE, KILLS_THE_FORKER)})
    grader = Grader(conditions)

    with pytest.raises(Unmarked, match="the process that runs submissions died 2 times while it ran this one"):
        grader.grade(bad)
    kept = grader.grade(right)
    grader.close()

    assert kept.score == 25.0


def test_the_seconds_of_the_first_submission_leave_out_the_start_of_the_forker(
    conditions: Conditions, right: Submission, monkeypatch: pytest.MonkeyPatch
) -> None:
    events: list[str] = []

    def lend_noted(*words: Any, **options: Any) -> Any:
        runner = lend(*words, **options)

        def child() -> Any:
            events.append("child")
            return lend(*words, **options).child()

        runner.child = child
        return runner

    monkeypatch.setattr(grading, "open_runner", lend_noted)
    Grader(conditions)

    assert events == ["child"]


@pytest.mark.slow
@pytest.mark.usefixtures("warm")
def test_a_fault_of_the_judge_costs_one_submission_its_marks_and_is_told(
    conditions: Conditions, right: Submission, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object, **__: object) -> None:
        raise ZeroDivisionError("no\x1b[2J")

    with monkeypatch.context() as broken:
        broken.setattr("autograder.check.run", fail)
        with pytest.raises(Unmarked) as failed:
            grade(conditions, right)

    assert str(failed.value) == (
        "the grader failed on this submission (ZeroDivisionError: no\\x1b[2J). Please report it."
    )
    assert marks_from_json(grade(conditions, right)).score == 25.0
    close_graders()


@pytest.mark.slow
@pytest.mark.usefixtures("warm")
def test_parts_that_are_not_marked_and_not_handed_in_are_left_out(conditions: Conditions, right: Submission) -> None:
    both = Submission("ada", {**right.modules, "part3_causal": Source.module("part3_causal.py", "")})
    two = Grader(replace(conditions, parts=(PART, "part2_trainable")))

    assert [part.part for part in two.grade(both).parts] == [PART]
