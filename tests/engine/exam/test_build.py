"""An exam set from a seed: its cases, its paper and its key."""

from collections.abc import Iterator

import numpy as np
import pytest
from msgspec import structs
from tiny_course import TinyCourse

from autograder.course import codec
from autograder.course.answer import Answer, TensorValue, same_answer
from autograder.exam.build import AGAIN, DOUBLE, build_exam
from autograder.exam.model import Exam, Paper, PaperCase
from autograder.exam.syllabus import SyllabusStep
from autograder.workspace import Workspace


@pytest.fixture
def exam(practice: Exam) -> Exam:
    return practice


def _paths(exam: Exam) -> list[str]:
    return [case.path for case in exam.paper.cases]


def _takes_tensors(exam: Exam, step: SyllabusStep) -> bool:
    return any(isinstance(value, np.ndarray) for case in _cases(exam, step) for value in case.inputs.values())


def _cases(exam: Exam, step: SyllabusStep) -> tuple[PaperCase, ...]:
    return exam.paper.of(step.part, frozenset({step.name}))


def _arrays(answer: Answer) -> Iterator[np.ndarray]:
    for value in answer.outputs.values():
        if isinstance(value, TensorValue):
            assert value.array is not None
            yield value.array
    yield from (gradient for gradient in answer.gradients.values() if gradient is not None)


# The seed


def _set_on(part: str, course: Workspace, seed: int) -> Exam:
    """Set an exam on one part alone."""
    return build_exam(structs.replace(course.course, parts=(part,)), seed)


@pytest.mark.world
def test_a_seed_whose_draws_once_overflowed_nothing_sets_an_exam(course: Workspace) -> None:
    assert _set_on("part5_inference", course, seed=104).key.known_wrong


@pytest.mark.slow
def test_a_part_is_the_same_with_the_same_seed_whatever_other_parts_there_are(
    course: Workspace, another_exam: Exam
) -> None:
    alone = _set_on("part3_causal", course, seed=4)
    assert codec.encode(alone.paper) == codec.encode(Paper(another_exam.paper.of("part3_causal")))
    assert [codec.encode(case.expected) for case in alone.key.cases.values()] == [
        codec.encode(another_exam.key.cases[path].expected) for path in alone.key.cases
    ]


@pytest.mark.slow
def test_another_seed_gives_the_same_cases(exam: Exam, another_exam: Exam) -> None:
    assert _paths(exam) == _paths(another_exam)


@pytest.mark.slow
def test_another_seed_draws_other_numbers_for_every_step(exam: Exam, another_exam: Exam) -> None:
    drawn_again = {
        f"{one.part}.{one.step}"
        for one, another in zip(exam.paper.cases, another_exam.paper.cases, strict=True)
        if any(not np.array_equal(value, another.inputs[name]) for name, value in one.inputs.items())
    }
    assert drawn_again == {step.path for step in exam.syllabus.steps}


@pytest.mark.slow
def test_another_seed_expects_something_else_of_every_drawn_case(exam: Exam, another_exam: Exam) -> None:
    cases, others = exam.key.cases, another_exam.key.cases
    alike = [
        path
        for path in cases
        if path.endswith(DOUBLE) and same_answer(cases[path].expected, others[path].expected, cases[path].tolerance)
    ]
    assert [path for path in alike if "dot_product_variance" not in path] == []


# The paper


def test_no_input_of_a_case_is_its_answer(exam: Exam) -> None:
    excused = (
        "copy_weights",  # it shows that the source stayed as it was
        "KVCache",  # what is kept is what came
        "attend_with_cache",
        "rotate.at position 0",  # nothing turns there
        "rotate.in float64",  # the same case
        "LayerNorm.journey",  # its parameters are those of the beginning
        "LayerNorm.again",
        "generate.no new token",
    )
    given_away = [
        case.path
        for case in exam.paper.cases
        if not any(one in case.path for one in excused)
        and case.name != "one token"  # one token alone is its own context
        for answer in _arrays(exam.key.cases[case.path].expected)
        for value in case.inputs.values()
        if answer.size > 1 and isinstance(value, np.ndarray) and answer.dtype == value.dtype
        if np.array_equal(answer, value)
    ]
    assert given_away == []


def test_the_paper_does_not_depend_on_the_reference_s_answers(tiny: TinyCourse) -> None:
    before = tiny.build_exam()
    tiny.edit(tiny.reference, "return x / 2", "return x / 3")

    assert codec.encode(tiny.build_exam().paper) == codec.encode(before.paper)


# The cases of every step


def test_every_step_has_a_case_again_with_other_numbers_of_the_same_shape(exam: Exam) -> None:
    for step in exam.syllabus.steps:
        cases = {case.name: case for case in _cases(exam, step)}
        again = cases.pop(AGAIN)
        shape_of = {name: np.shape(value) for name, value in again.inputs.items()}
        first = next(
            case
            for case in cases.values()
            if {name: np.shape(value) for name, value in case.inputs.items()} == shape_of
        )
        assert not all(np.array_equal(value, first.inputs[name]) for name, value in again.inputs.items()), step.path


def test_every_step_that_takes_tensors_has_a_case_in_float64(exam: Exam) -> None:
    in_float64 = {
        f"{case.part}.{case.step}"
        for case in exam.paper.cases
        if any(isinstance(value, np.ndarray) and value.dtype == np.float64 for value in case.inputs.values())
    }
    assert in_float64 == {step.path for step in exam.syllabus.steps if _takes_tensors(exam, step)}


def test_the_case_in_float64_expects_float64(exam: Exam) -> None:
    dtypes = {
        value.dtype
        for case in exam.paper.cases
        if case.name == DOUBLE
        for value in exam.key.cases[case.path].expected.outputs.values()
        if isinstance(value, TensorValue) and value.dtype.startswith("float")
    }
    assert dtypes == {"float64"}


def test_every_expected_number_is_finite_but_for_hidden_scores(exam: Exam) -> None:
    broken = [
        path
        for path, case in exam.key.cases.items()
        if not all(np.isfinite(array).all() for array in _arrays(case.expected))
    ]
    assert {path.split(".")[1] for path in broken} == {"mask_scores"}


def test_nothing_expected_is_without_numbers(exam: Exam) -> None:
    assert [path for path, case in exam.key.cases.items() if not case.expected.outputs] == []


def test_the_reference_leaves_every_input_as_it_was(exam: Exam) -> None:
    assert [path for path, case in exam.key.cases.items() if case.expected.changed_inputs] == []


def test_every_step_that_asks_for_gradients_expects_some(exam: Exam) -> None:
    without = [
        step.path
        for step in exam.syllabus.steps
        if step.gradients
        and not any(
            gradient is not None
            for case in _cases(exam, step)
            for gradient in exam.key.cases[case.path].expected.gradients.values()
        )
    ]
    assert without == []


@pytest.mark.parametrize("step", ["dot_product_variance", "copy_weights"])
def test_a_step_without_gradients_expects_none(exam: Exam, step: str) -> None:
    cases = exam.paper.of("part2_trainable", frozenset({step}))
    assert [case.path for case in cases if exam.key.cases[case.path].expected.gradients] == []


def test_the_key_knows_what_the_reference_makes_on_its_way(exam: Exam) -> None:
    way = exam.key.cases["part2_trainable.scaled_dot_product_attention.wars"].way

    assert [made.shapes for made in way][:2] == [((2, 5),), ((5, 5),)]  # the keys turned round, the scores
