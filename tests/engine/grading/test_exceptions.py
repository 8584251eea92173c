"""An exception is explained by its message and its line. More of them are in tests/course/cases.jsonl."""

from collections.abc import Callable

import pytest

from autograder.course.answer import Answer, Failure
from autograder.course.verdicts import Verdict
from autograder.exam.model import Exam
from autograder.grading.checks import Sheet
from autograder.grading.exceptions import explain
from autograder.grading.results import Diagnosis, StepMarks

MarkStep = Callable[..., StepMarks]

HEADER = "import torch\nfrom torch import nn\n\n"
SIZES = "RuntimeError: The size of tensor a (2) must match the size of tensor b (3) at non-singleton dimension 1"


def explained(exam: Exam, raised: str, code: str = "a, b = pair") -> Diagnosis | None:
    """Return the meaning of an exception that a line of code raised."""
    failure = Failure(Verdict.RAISED, raised, traceback=f"part.py, line 3, in f\n    {code}")
    case = exam.paper.cases[0]
    return explain(Sheet(exam.syllabus, case, exam.key.cases[case.path], Answer(failure=failure)))


@pytest.mark.parametrize(
    "raised",
    [
        "NameError: name 'tokens' is not defined. Did you mean: 'token'?",
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


@pytest.mark.parametrize(
    ("raised", "id"),
    [
        (
            "TypeError: max() received an invalid combination of arguments - got (keepdims=bool, axis=int, )",
            "numpy_names",
        ),
        ('TypeError: softmax() missing 1 required positional arguments: "dim"', "no_dimension"),
        ("AssertionError: Torch not compiled with CUDA enabled", "no_gpu"),
        ("AttributeError: cannot assign module before Module.__init__() call", "not_begun"),
        ("RecursionError: maximum recursion depth exceeded", "recursion"),
        ("AttributeError: module 'torch.nn' has no attribute 'softmax'", "no_such_function"),
    ],
)
def test_habits_of_beginners_are_explained(practice: Exam, raised: str, id: str) -> None:
    found = explained(practice, raised)
    assert found
    assert found.id == id


def test_a_name_that_is_not_imported_has_its_import(practice: Exam) -> None:
    found = explained(practice, "NameError: name 'math' is not defined")
    assert found
    assert found.says == "`math` is not imported. Write `import math` at the top of the file."


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
