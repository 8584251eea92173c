"""Answers learned by heart, and a process that lies about its inputs."""

from collections.abc import Callable

import numpy as np
import pytest
from msgspec import structs

from autograder.exam.build import build_exam
from autograder.exam.model import Exam
from autograder.grading.results import Marks, StepMarks
from autograder.workspace import Workspace

MarkStep = Callable[..., StepMarks]
MarkText = Callable[..., Marks]


def _learned(exam: Exam, part: str, step: str) -> str:
    """Return a text that answers every case of an exam from a table, by the shapes and first numbers of the inputs."""
    lines = ["import torch", "ANSWERS = {}"]
    for case in exam.paper.of(part, frozenset({step})):
        value = exam.key.cases[case.path].expected.outputs["result"]
        inputs = [item for item in case.inputs.values() if isinstance(item, np.ndarray)]
        known = tuple(round(float(item.ravel()[0]), 3) for item in inputs), tuple(item.shape for item in inputs)
        array = getattr(value, "array", None)
        assert array is not None
        lines.append(f"ANSWERS[{known!r}] = torch.tensor({array.tolist()!r}, dtype=torch.{array.dtype})")
    lines += [
        f"def {step}(*inputs):",
        "    known = tuple(round(float(x.flatten()[0]), 3) for x in inputs), tuple(tuple(x.shape) for x in inputs)",
        "    return ANSWERS[known] + 0 * sum(x.sum() for x in inputs)",
    ]
    return "\n".join(lines) + "\n"


@pytest.fixture
def unseen(course: Workspace, monkeypatch: pytest.MonkeyPatch) -> Exam:
    """Another exam, of one part."""
    return build_exam(structs.replace(course.course, parts=("part2_trainable",)), 4_242, with_mistakes=False)


def test_answers_learned_by_heart_are_the_practice_exam_s(practice: Exam, mark_step: MarkStep) -> None:
    marks = mark_step("part2_trainable", "attention_scores", _learned(practice, "part2_trainable", "attention_scores"))
    assert all(check.passed for check in marks.checks if check.check == "values")


@pytest.mark.slow
def test_answers_learned_by_heart_earn_nothing_in_another_exam(
    practice: Exam, unseen: Exam, mark_text: MarkText
) -> None:
    text = _learned(practice, "part2_trainable", "attention_scores")
    (marks,) = mark_text("part2_trainable", text, "attention_scores", exam=unseen).parts[0].steps
    right = {check.case for check in marks.checks if check.check == "values" and check.passed}
    assert (marks.score, right) == (0.0, {"journey"})


FORGED = """
from dataclasses import replace

from autograder.runner import child

honest = child.observe
child.observe = lambda *given: replace(honest(*given), changed_inputs=("z" * 50,) * 60)


def dot_product(a, b):
    return (a * b).sum()
"""


def test_of_the_inputs_that_a_child_says_were_changed_only_those_of_the_case_are_believed(mark_step: MarkStep) -> None:
    assert mark_step("part1_simplified", "dot_product", FORGED).verdict == "passed"
