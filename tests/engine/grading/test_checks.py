"""Checks of a case: the sizes of dimensions, missing attributes, the picture of wrong numbers."""

from dataclasses import replace

import msgspec
import numpy as np
import pytest

from autograder.course.answer import PlainValue, TensorValue
from autograder.course.model import SINGLE
from autograder.course.tolerances import Tolerance
from autograder.exam.model import Exam
from autograder.grading.checks import Sheet, check_case


def test_a_whole_number_is_a_size_only_where_a_dimension_has_its_name(practice: Exam) -> None:
    assert sheet_of(practice, "part2_trainable", "scale_scores").sizes["d_k"] == 2
    assert "head_dim" not in sheet_of(practice, "part4_multihead", "head_weights").sizes


def sheet_of(exam: Exam, part: str, step: str) -> Sheet:
    """Return the sheet of a right answer to the first case of a step."""
    paper = exam.paper.of(part, frozenset({step}))[0]
    key = exam.key.cases[paper.path]
    return Sheet(exam.syllabus, paper, key, key.expected)


@pytest.mark.parametrize(
    ("output", "wanted"),
    [("`num_heads`", "2"), ("W_query.weight", "a tensor of shape (d_out=6, d_in=6)")],
    ids=["a number", "a tensor"],
)
def test_an_attribute_that_is_not_there_is_said_to_be_missing(practice: Exam, output: str, wanted: str) -> None:
    paper = practice.paper.of("part4_multihead", frozenset({"MultiHeadAttention"}))[0]
    key = practice.key.cases[paper.path]
    outputs = {**key.expected.outputs, output: PlainValue("NoneType", None)}
    sheet = Sheet(practice.syllabus, paper, key, replace(key.expected, outputs=outputs))
    failed = next(check for check in check_case(sheet) if not check.passed)

    assert failed.message == f"{output}: expected {wanted}, yours is missing"
    assert failed.headline == "something is missing"


def test_the_numbers_that_the_message_counts_are_wrong_in_the_picture_too(practice: Exam) -> None:
    paper = practice.paper.of("part2_trainable", frozenset({"attention_scores"}))[0]
    key = practice.key.cases[paper.path]
    right = key.expected.outputs[SINGLE]
    assert isinstance(right, TensorValue)
    assert right.array is not None
    slightly_off = right.array + np.eye(*right.shape, dtype=right.array.dtype) * 3e-4
    large = replace(
        key, expected=replace(key.expected, outputs={SINGLE: msgspec.structs.replace(right, array=right.array + 1000)})
    )
    strict = replace(large, tolerance=Tolerance(rtol=1e-8, atol=1e-5))
    answer = replace(key.expected, outputs={SINGLE: msgspec.structs.replace(right, array=slightly_off + 1000)})
    check = next(check for check in check_case(Sheet(practice.syllabus, paper, strict, answer)) if not check.passed)

    assert check.picture
    assert check.message.startswith(f"{check.picture.wrong.sum()} of {right.array.size} numbers differ")
