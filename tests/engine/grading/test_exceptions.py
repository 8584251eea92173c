"""An exception is explained with the line that led to it. More of them are in tests/course/cases.jsonl."""

from collections.abc import Callable

import pytest

from autograder.course.answer import Answer, Failure
from autograder.course.verdicts import Verdict
from autograder.exam.model import Exam
from autograder.grading.checks import Sheet
from autograder.grading.exceptions import explain
from autograder.grading.results import Diagnosis, StepMarks
from autograder.submission.parsed import Definitions

MarkStep = Callable[..., StepMarks]

HEADER = "import torch\nfrom torch import nn\n\n"
SIZES = "RuntimeError: The size of tensor a (2) must match the size of tensor b (3) at non-singleton dimension 1"


def explained(exam: Exam, raised: str, code: str = "a, b = pair") -> Diagnosis | None:
    """Return the meaning of an exception that a line of code raised."""
    failure = Failure(Verdict.RAISED, raised, traceback=f"part.py, line 3, in f\n    {code}")
    case = exam.paper.cases[0]
    return explain(Sheet(exam.syllabus, case, exam.key.cases[case.path], Answer(failure=failure)), Definitions({}))


@pytest.mark.parametrize(
    "raised",
    [
        "NameError: name 'tokens' is not defined",
        "AttributeError: 'Tensor' object has no attribute 'transpoze'",
        "ValueError: not enough values to unpack (expected 2, got 1)",
        "ValueError: only even numbers",
        "RuntimeError: shape '[, ]' is invalid for input of size 4",
    ],
)
def test_an_exception_that_is_not_in_the_table_is_not_explained(practice: Exam, raised: str) -> None:
    assert explained(practice, raised) is None


@pytest.mark.parametrize(
    ("code", "says"),
    [
        ("scores.masked_fill(self.mask, 0)", "If the mask is too large, cut it: `mask[:t, :t]`."),
        ("scores.masked_fill(self.mask[:t, :t], 0)", "or one of them 1."),
        ("s - s.amax(-1)", "A sum or a maximum of each row needs `keepdim=True` to fit."),
        ("s + mask", "or one of them 1."),
    ],
)
def test_sizes_that_do_not_fit_are_explained_by_the_line(practice: Exam, code: str, says: str) -> None:
    found = explained(practice, SIZES, code)
    assert found
    assert found.says.endswith(says)


def test_a_name_that_is_not_imported_has_its_import(practice: Exam) -> None:
    found = explained(practice, "NameError: name 'math' is not defined")
    assert found
    assert found.says == "`math` is not imported. Write `import math` at the top of the file."


def test_the_matrix_is_named_that_fits_when_it_is_transposed(mark_step: MarkStep) -> None:
    text = f"{HEADER}def context_vectors(weights, values):\n    return values @ weights\n"
    found = mark_step("part2_trainable", "context_vectors", text).diagnosis
    assert found
    assert "6×2 times 6×6 does not go" in found.says
    assert "the two in the other order (6×6 times 6×2)" in found.says
    assert found.spot
    assert found.spot.text[found.spot.first : found.spot.last] == "return values @ weights"


def test_where_another_step_raised_its_call_is_named_for_its_arguments(mark_step: MarkStep) -> None:
    text = (
        "def project_qkv(x, W_query, W_key, W_value):\n    return x @ W_query, x @ W_key, x @ W_value\n\n"
        "def self_attention_columns(H, W_query, W_key, W_value):\n"
        "    queries, keys, values = project_qkv(H.T, W_query, W_key, W_value)\n"
    )
    found = mark_step("part2_trainable", "self_attention_columns", HEADER + text).diagnosis
    assert found
    assert found.says.startswith("Your `project_qkv`, called here, raised. 6×3 times 2×3 does not go")
    assert found.spot
    assert found.spot.text.strip() == "queries, keys, values = project_qkv(H.T, W_query, W_key, W_value)"


@pytest.mark.parametrize(
    ("code", "meant"), [("score.exp()", "scores"), ("scores.expp()", "exp"), ("torch.sofmax(scores)", "softmax")]
)
def test_a_name_that_is_nearly_right_is_asked_for(mark_step: MarkStep, code: str, meant: str) -> None:
    failure = mark_step("part1_simplified", "softmax", f"{HEADER}def softmax(scores):\n    {code}\n").first_failure
    assert failure
    assert failure.message.endswith(f". Did you mean: '{meant}'?")


def test_torch_s_advice_that_cuts_the_gradient_off_is_not_repeated(mark_step: MarkStep) -> None:
    code = "def softmax(scores):\n    e = torch.from_numpy(numpy.exp(scores.numpy()))\n    return e / e.sum(-1, keepdim=True)\n"
    marks = mark_step("part1_simplified", "softmax", f"import numpy\n{HEADER}{code}")
    failure = next(one for one in marks.checks if one.check == "gradients" and not one.passed)
    assert failure.message == "backward fails: RuntimeError: Can't call numpy() on Tensor that requires grad."
