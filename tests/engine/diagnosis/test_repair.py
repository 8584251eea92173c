"""The cause by cure: the small edit of a student's own code that makes it right, and was tried."""

from collections.abc import Callable
from dataclasses import replace

import pytest
from warm import lend

from autograder.check import check
from autograder.diagnosis.operators.edits import Edit, what
from autograder.diagnosis.operators.vocabulary import REMOVALS
from autograder.diagnosis.repair import _adds_as_much, _merged
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
    assert cause.how.endswith("right: it was tried.")
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


def test_of_two_mistakes_the_one_that_mends_what_is_seen_is_told_and_that_there_is_more(mark_step: MarkStep) -> None:
    text = """
def cross_correlate(image, kernel):
    kh, kw = kernel.shape
    patches = image.unfold(0, kh, 1).unfold(1, kw, 1)
    products = patches + kernel
    return products.flatten(-2).sum(-2)
"""
    cause = cure_of(mark_step("cross_correlate", text))

    assert cause.more
    assert cause.spot
    assert cause.spot.line == 8  # a wrong shape is seen, and this line makes it


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


def test_where_one_edit_makes_most_cases_right_the_search_goes_on_from_there(mark_step: MarkStep) -> None:
    text = """
def pad(image, padding):
    if image.dim() > 3:
        return image - 1
    return torch.nn.functional.pad(image, (padding,) * 4, value=2.0)
"""
    cause = cure_of(mark_step("pad", text))

    assert cause.more
    assert "without `if image.dim() > 3:` and what stands in it" in cause.how
    assert cause.how.endswith(", all 6 cases are right: it was tried.")


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

    assert cause.id in REMOVALS
    assert cause.how.endswith(", all 8 cases are right: it was tried.")


def test_a_cure_by_one_edit_is_told_rather_than_one_by_two(mark_step: MarkStep) -> None:
    cause = cure_of(mark_step("cross_correlate", WRONG))

    assert not cause.more
    assert ", and with" not in cause.how


def test_two_mistakes_that_raise_are_found_one_after_the_other(mark_step: MarkStep) -> None:
    text = """
def cross_correlate(image, kernel):
    kh, kw = kernal.shape
    patches = image.unfold(0, kh, 1).unfold(1, kw, 1)
    return (patches * kernels).sum((-2, -1))
"""
    cause = cure_of(mark_step("cross_correlate", text))

    assert cause.proved
    assert cause.how.startswith("With `kernel` in place of `kernal`, and with `kernel` in place of `kernels`, all ")


def test_the_second_mistake_is_looked_for_where_the_code_departs_without_the_first(mark_step: MarkStep) -> None:
    text = """
def cross_correlate(image, kernel):
    kh, kw = image.shape
    patches = image.unfold(0, kh, 1).unfold(1, kw, 1)
    return (patches - kernel).sum((-2, -1))
"""
    cause = cure_of(mark_step("cross_correlate", text))

    assert cause.proved
    assert cause.spot
    assert cause.spot.line == 5
    assert "`patches * kernel` in place of `patches - kernel`" in cause.how


def test_the_first_mistake_on_the_way_is_found_though_only_a_later_line_raises(mark_step: MarkStep) -> None:
    text = """
def cross_correlate(image, kernel):
    kh, kw = kernal.shape
    patches = image.unfold(0, kw, 1).unfold(1, kh, 1)
    summed = patches * kernel
    return summed.sum((-2, -1))
"""
    cause = cure_of(mark_step("cross_correlate", text))

    assert cause.proved
    assert cause.spot
    assert cause.spot.line == 5


def test_an_argument_that_a_line_lacks_is_looked_for_first_where_it_says_so(mark_step: MarkStep) -> None:
    text = """
def cross_correlate(image, kernel):
    kh, kw = kernel.shape
    patches = image.unfold(0, kh, 1).unfold(1, kw, 1)
    return torch.mul(patches).sum((-2, -1))
"""
    cause = cure_of(mark_step("cross_correlate", text))

    assert cause.id == "missing_argument"


def test_without_a_cure_a_step_that_returns_nothing_is_told_its_end(mark_step: MarkStep) -> None:
    text = """
def pad(image, padding):
    image.dim()
    padding + 1
"""
    cause = mark_step("pad", text).diagnosis

    assert cause
    assert cause.where == "`pad` ends with line 6 and returns nothing."


def test_what_a_missing_import_raises_is_told_and_not_searched_for(mark_step: MarkStep) -> None:
    cause = mark_step("cross_correlate", RIGHT.replace("image.unfold(0, kh, 1)", "F.pad(image, (0,) * 4)")).diagnosis

    assert cause
    assert (cause.kind, cause.id) == ("exception", "not_imported")


TWO = """
def pad(image, padding):
    h, w = image.shape[:2]
    padded = image.new_zeros(*image.shape[:-2], h + 2 * padding, w + 2 * padding)
    padded[..., padding : padding + h, padding : padding + w] = image
    image.zero_()
    return padded
"""


def test_of_two_mistakes_the_one_is_told_that_the_shown_case_has(mark_step: MarkStep) -> None:
    cause = cure_of(mark_step("pad", TWO))

    assert cause.spot
    assert cause.spot.text == "    image.zero_()"


def test_what_is_left_out_and_something_else_put_in_its_place_is_no_slip_of_one_kind() -> None:
    edit = Edit("needless_transpose", 3, 11, 14, "x.T", "x", "return x.T", "")
    merged = _merged([edit, replace(edit, slip="missing_transpose", was="x", becomes="x.transpose(1, 2)")])

    assert [(one.slip, one.was, one.becomes) for one in merged] == [("replaced", "x.T", "x.transpose(1, 2)")]
    assert what(merged[0]) == "Something else is needed in place of `x.T`"


def test_of_two_lines_in_which_the_same_edit_makes_all_right_the_later_one_is_told(mark_step: MarkStep) -> None:
    text = """
def cross_correlate(image, kernel):
    kh, kw = kernel.shape
    scaled = kernel / 3
    patches = image.unfold(0, kh, 1).unfold(1, kw, 1) / 3
    return (patches * scaled).sum((-2, -1)) * 3
"""
    cause = cure_of(mark_step("cross_correlate", text))

    assert cause.spot
    assert cause.spot.line == 7


def test_what_turns_a_mask_round_is_of_one_kind_and_else_an_edit_undoes_what_it_is_like() -> None:
    edit = Edit("triangle", 1, 0, 1, "a.triu()", "a.tril()", "a.tril()", "b = a.tril()")
    turned = replace(edit, slip="mask_turned_round", text="b = ~a.triu()")

    assert _adds_as_much(edit, turned)
    assert _adds_as_much(edit, replace(edit, slip="sign", text="b = a.triu(1)"[: len(edit.text)]))
    assert not _adds_as_much(edit, replace(turned, slip="sign"))
