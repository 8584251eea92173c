"""The cause by repair: the one edit of a student's own code that makes every case right."""

from collections.abc import Callable

import pytest
from warm import lend

from autograder.check import check
from autograder.exam.model import Exam
from autograder.grading.results import Diagnosis, StepMarks
from autograder.runner.processes import Runner
from autograder.submission.model import Source, Submission
from autograder.workspace import Workspace

PART = "part1_convolution"

MarkStep = Callable[..., StepMarks]


@pytest.fixture
def mark_step(convolution: Workspace, convolution_exam: Exam) -> MarkStep:
    """Mark a step, and look for its cause."""

    def run(step: str, text: str, seconds: float = 60.0) -> StepMarks:
        runner: Runner = lend(convolution.root)
        submission = Submission("text", {PART: Source.module(f"{PART}.py", f"import torch\n\n{text}")})
        steps = [convolution_exam.syllabus.part(PART).step(step)]
        return check(convolution_exam, submission, steps, runner, seconds=seconds).parts[0].steps[0]

    return run


def cure_of(marks: StepMarks) -> Diagnosis:
    assert marks.diagnosis
    assert marks.diagnosis.kind == "cure"
    return marks.diagnosis


CORRELATE = """
def cross_correlate(image, kernel):
    kh, kw = kernel.shape
    patches = image.unfold(0, kh, 1).unfold(1, kw, 1)
    return (patches {} kernel).sum({})
"""
RIGHT, WRONG = CORRELATE.format("*", "(-2, -1)"), CORRELATE.format("+", "(-2, -1)")


def test_an_edit_that_makes_every_case_right_is_told_in_three_rungs(mark_step: MarkStep) -> None:
    cause = cure_of(mark_step("cross_correlate", WRONG))

    assert cause.id == "operator"
    assert cause.where == cause.says
    assert cause.where.startswith("Look at line 7: `")
    assert cause.what
    assert cause.how.endswith(". (Tested: all 8 cases pass.)")
    assert not cause.more


def test_it_shows_the_place_in_the_student_s_own_line(mark_step: MarkStep) -> None:
    spot = cure_of(mark_step("cross_correlate", WRONG)).spot

    assert spot
    assert (spot.file, spot.line) == (f"{PART}.py", 7)
    assert spot.text == "    return (patches + kernel).sum((-2, -1))"
    assert spot.text[spot.first : spot.last] == "patches + kernel"


def test_a_helper_of_the_student_s_own_is_looked_at(mark_step: MarkStep) -> None:
    text = """
def framed(image, padding):
    return torch.nn.functional.pad(image, (padding,) * 4, value=2.0)

def pad(image, padding):
    return framed(image, padding)
"""
    spot = cure_of(mark_step("pad", text)).spot

    assert spot
    assert spot.line == 5


def test_the_verdict_and_the_points_stay(mark_step: MarkStep) -> None:
    without, found = mark_step("cross_correlate", WRONG, seconds=0.0), mark_step("cross_correlate", WRONG)

    assert without.diagnosis is None
    assert (found.verdict, found.score, found.words) == (without.verdict, without.score, without.words)


def test_a_right_step_is_told_nothing(mark_step: MarkStep) -> None:
    assert mark_step("cross_correlate", RIGHT).diagnosis is None


def test_a_known_mistake_keeps_its_own_sentence(mark_step: MarkStep) -> None:
    cause = mark_step("cross_correlate", RIGHT.replace("sum", "mean")).diagnosis

    assert cause
    assert cause.kind == "mistake"


def test_nothing_is_told_when_the_time_is_over_before_a_cure_is_found(mark_step: MarkStep) -> None:
    found = mark_step("cross_correlate", WRONG, seconds=1e-6).diagnosis

    assert found is None or found.kind != "cure"


def test_what_is_too_much_is_told_to_be_left_out_though_other_edits_undo_it(mark_step: MarkStep) -> None:
    text = """
def cross_correlate(image, kernel):
    kh, kw = kernel.shape
    if kh > 0:
        image = image.flip(0)
    patches = image.unfold(0, kh, 1).unfold(1, kw, 1)
    return (patches * kernel).sum((-2, -1))
"""
    cause = cure_of(mark_step("cross_correlate", text))

    assert cause.how.startswith("Without `")


def test_what_a_missing_import_raises_is_told_and_not_searched_for(mark_step: MarkStep) -> None:
    cause = mark_step("cross_correlate", RIGHT.replace("image.unfold(0, kh, 1)", "F.pad(image, (0,) * 4)")).diagnosis

    assert cause
    assert (cause.kind, cause.id) == ("exception", "not_imported")


NO_REPAIR = {
    "two edits": "patches = image.unfold(0, kw, 1).unfold(1, kw, 1)\n    return (patches + kernel).sum((-2, -1))",
    "an edit of some cases": "if kh == kw:\n        return -image\n    return -(image @ kernel)",
    "one of two like places": "scaled = kernel * 3\n    patches = image.unfold(0, kh, 1).unfold(1, kw, 1) * 3\n"
    "    return (patches * scaled).sum((-2, -1)) / 3",
}


@pytest.mark.parametrize("body", NO_REPAIR.values(), ids=NO_REPAIR)
def test_what_no_single_edit_at_one_place_repairs_is_told_no_repair(mark_step: MarkStep, body: str) -> None:
    cause = mark_step(
        "cross_correlate", f"def cross_correlate(image, kernel):\n    kh, kw = kernel.shape\n    {body}\n"
    )

    assert cause.diagnosis is None or cause.diagnosis.kind != "cure"
