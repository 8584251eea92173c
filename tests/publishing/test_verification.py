"""The course's check of itself: what is wrong with a course is found. That the checkout's is sound, `attn verify` is asked."""

import dataclasses
from collections.abc import Callable
from pathlib import Path

import pytest

from autograder.course.answer import Answer
from autograder.exam.model import Exam, Fingerprint
from autograder.exam.syllabus import SyllabusStep
from autograder.publishing import verification
from autograder.publishing.verification import anchors
from autograder.sitting.processes import Sitter
from autograder.workspace import Workspace

PART = "part2_trainable"
STEP = f"{PART}.scaled_dot_product_attention"


def _ignore(_: str) -> None:
    pass


def _with_steps(exam: Exam, change: Callable[[SyllabusStep], SyllabusStep]) -> Exam:
    parts = tuple(
        dataclasses.replace(part, steps=tuple(change(step) for step in part.steps)) for part in exam.syllabus.parts
    )
    return dataclasses.replace(exam, syllabus=dataclasses.replace(exam.syllabus, parts=parts))


def _knowing_only(exam: Exam, *fingerprints: Fingerprint) -> Exam:
    return dataclasses.replace(exam, key=dataclasses.replace(exam.key, fingerprints={STEP: fingerprints}))


def _answers_of(exam: Exam, mistake: str) -> dict[str, Answer]:
    return next(dict(one.answers) for one in exam.key.fingerprints[STEP] if one.id == mistake)


def _problems_with_mistakes(sitter: Sitter, exam: Exam) -> list[str]:
    return verification._mistakes_are_named(sitter, exam, "an exam", _ignore).problems


# Mistakes


def test_a_mistake_that_passes_is_found(sitter: Sitter, practice: Exam) -> None:
    exam = _knowing_only(practice, Fingerprint("attend", "scaled_dot_product_attention", "This one is right.", {}))
    assert _problems_with_mistakes(sitter, exam) == [f"{STEP}: attend passes"]


def test_a_mistake_that_is_taken_for_another_is_found(sitter: Sitter, practice: Exam) -> None:
    step = "scaled_dot_product_attention"
    first = Fingerprint("attention_multiplied", step, "One.", _answers_of(practice, "attention_unscaled"))
    second = Fingerprint("attention_unscaled", step, "Two.", _answers_of(practice, "attention_scaled_by_d_k"))
    problems = _problems_with_mistakes(sitter, _knowing_only(practice, first, second))
    assert f"{STEP}: attention_unscaled is taken for attention_multiplied" in problems


def test_a_mistake_that_is_caught_and_named_is_no_problem(sitter: Sitter, practice: Exam) -> None:
    (one,) = (one for one in practice.key.fingerprints[STEP] if one.id == "attention_unscaled")
    assert _problems_with_mistakes(sitter, _knowing_only(practice, one)) == []


def test_a_step_with_fewer_than_three_known_mistakes_is_found(practice: Exam) -> None:
    two = practice.key.fingerprints[STEP][:2]
    exam = dataclasses.replace(
        practice, key=dataclasses.replace(practice.key, fingerprints={**practice.key.fingerprints, STEP: two})
    )
    assert verification._tables_are_complete(exam).problems == [f"{STEP} has 2"]


# Solutions and stubs


def test_a_solution_that_does_not_pass_is_found(copy: Workspace, sitter: Sitter, practice: Exam) -> None:
    path = copy.solutions / "part1_simplified.py"
    text = path.read_text(encoding="utf-8").replace("return (a * b).sum()", "return (a - b).sum()")
    path.write_text(text, encoding="utf-8")
    (problem,) = verification._solutions_pass(copy, sitter, practice, "the exam").problems
    assert problem.startswith("part1_simplified.dot_product: wrong_values (")


def test_a_stub_that_is_attempted_already_is_found(sitter: Sitter, practice: Exam) -> None:
    first, *others = practice.syllabus.parts
    raises = next(line for line in first.stub.splitlines() if "raise NotImplementedError" in line)
    told = dataclasses.replace(first, stub=first.stub.replace(raises, "    return a", 1))
    exam = dataclasses.replace(practice, syllabus=dataclasses.replace(practice.syllabus, parts=(told, *others)))
    (problem,) = verification._stubs_are_not_attempted(sitter, exam, "the exam").problems
    assert problem.startswith("part1_simplified.dot_product: wrong_shape (")


def test_drift_is_found_and_the_remedy_named(copy: Workspace) -> None:
    copy.exercise(PART).unlink()
    problems = verification._nothing_drifted(copy).problems
    assert problems == [f"{PART}.py does not exist; run `attn sync`"]


# Hints and lectures


@pytest.mark.parametrize("number", [0, 1, 4])
def test_too_few_or_too_many_hints_are_found(practice: Exam, number: int) -> None:
    def change(step: SyllabusStep) -> SyllabusStep:
        return dataclasses.replace(step, hints=("Look.",) * number) if step.path == STEP else step

    assert verification._hints(_with_steps(practice, change)).problems == [f"{STEP} has {number} hints"]


def test_a_missing_lecture_anchor_is_found(copy: Workspace, practice: Exam) -> None:
    page = copy.root / "docs" / "lectures" / "weights_and_context.md"
    text = page.read_text(encoding="utf-8").replace("{#scaled_dot_product_attention}", "")
    page.write_text(text, encoding="utf-8")
    assert verification._lectures(copy, practice).problems == [
        f"{STEP}: docs/lectures/weights_and_context.md has no heading for #scaled_dot_product_attention"
    ]


def test_a_missing_lecture_page_is_found_for_every_step_that_it_teaches(copy: Workspace, practice: Exam) -> None:
    (copy.root / "docs" / "lectures" / "without_weights.md").unlink()
    problems = verification._lectures(copy, practice).problems
    assert problems == [
        f"{step.path}: there is no docs/lectures/without_weights.md"
        for step in practice.syllabus.part("part1_simplified").steps
    ]


@pytest.mark.parametrize(
    ("heading", "anchor"),
    [
        ("# Softmax", "softmax"),
        ("## dot_product", "dot_product"),
        ("### Queries, keys & values", "queries-keys--values"),
        ("## `SelfAttentionV1`", "selfattentionv1"),
    ],
)
def test_the_anchor_of_a_heading(tmp_path: Path, heading: str, anchor: str) -> None:
    page = tmp_path / "page.md"
    page.write_text(f"Text before.\n\n{heading}\n\nText after, #hashed.\n", encoding="utf-8")
    assert anchors(page) == {anchor}


def test_a_comment_in_a_block_of_code_is_no_heading(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text("# Softmax\n\n```python\n# subtract the largest\n```\n", encoding="utf-8")
    assert anchors(page) == {"softmax"}
