"""A slip of the reference that answers alike is told at once; a cure of the student's own code, when it is found, in its place."""

from collections.abc import Callable

import pytest
from warm import lend

from autograder.check import check
from autograder.diagnosis import find
from autograder.exam.model import Exam
from autograder.grading.results import Diagnosis
from autograder.submission.model import Source, Submission
from autograder.workspace import Workspace

PART = "part1_convolution"

CauseOf = Callable[..., Diagnosis | None]


@pytest.fixture
def cause_of(convolution: Workspace, convolution_exam: Exam) -> CauseOf:
    """Return what is told of some windows."""

    def run(row: str, seconds: float = 0.0) -> Diagnosis | None:
        text = f"import torch\n\n{WINDOWS.format(row)}"
        submission = Submission("text", {PART: Source.module(f"{PART}.py", text)})
        steps = [convolution_exam.syllabus.part(PART).step("windows")]
        marks = check(convolution_exam, submission, steps, lend(convolution.root), seconds=seconds)
        return marks.parts[0].steps[0].diagnosis

    return run


WINDOWS = """
def windows(image, kernel_size, stride):
    found = []
    for top in range(0, image.shape[1] - kernel_size + 1, stride):
        for left in range(0, image.shape[2] - kernel_size + 1, stride):
            covered = image[:, top : top + kernel_size, left : left + kernel_size]
            found.append({})
    return torch.stack(found)
"""
RIGHT = "covered.flatten()"
ROWS_FIRST = "torch.stack(covered.unbind(1)).flatten()"
NO_SMALL_EDIT = "torch.cat([covered[channel, row] for row in range(kernel_size) for channel in range(len(image))])"
SAYS = "Your numbers are what comes out when `permute` brings the dimensions into another order."


@pytest.mark.parametrize("row", [ROWS_FIRST, NO_SMALL_EDIT])
def test_an_answer_of_the_reference_with_a_slip_is_told_in_whatever_way_it_is_written(
    cause_of: CauseOf, row: str
) -> None:
    assert cause_of(row) == Diagnosis("slip", "permuted_dimensions", SAYS)


def test_a_right_answer_is_told_nothing(cause_of: CauseOf) -> None:
    assert cause_of(RIGHT) is None


def test_what_another_thing_is_wrong_with_is_not_told_so(cause_of: CauseOf) -> None:
    cause = cause_of(f"2 * {ROWS_FIRST}")

    assert cause is None or cause.kind != "slip"


def test_a_cure_of_one_s_own_code_says_more(cause_of: CauseOf) -> None:
    cause = cause_of(ROWS_FIRST, seconds=60.0)

    assert cause
    assert (cause.kind, cause.more) == ("cure", False)


def test_the_place_is_added_to_it_where_no_cure_is_found(cause_of: CauseOf) -> None:
    cause = cause_of(NO_SMALL_EDIT, seconds=2.0)

    assert cause
    assert (cause.kind, cause.says, cause.what) == ("slip", SAYS, SAYS)
    assert cause.spot


@pytest.mark.parametrize(
    ("kind", "more", "told"),
    [
        pytest.param("value_transposed", True, "slip", id="several edits of another kind are an accident"),
        pytest.param("permuted_dimensions", True, "cure", id="several edits, one of them of this kind"),
        pytest.param("value_transposed", False, "cure", id="one edit"),
    ],
)
def test_several_edits_count_less_than_one_slip(
    cause_of: CauseOf, monkeypatch: pytest.MonkeyPatch, kind: str, more: bool, told: str
) -> None:
    monkeypatch.setattr(find, "by_cure", lambda *_: Diagnosis("cure", kind, "Look at line 9.", more=more))
    cause = cause_of(ROWS_FIRST, seconds=60.0)

    assert cause
    assert cause.kind == told
