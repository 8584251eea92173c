"""An exam set from a seed: its cases, its paper, its key, and the reference's disagreements that are told."""

import dataclasses
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from msgspec import structs

from autograder.course import codec, shapes
from autograder.course.answer import Answer, TensorValue
from autograder.course.errors import BrokenCourse
from autograder.exam.agreement import same_answer
from autograder.exam.build import AGAIN, DOUBLE, build_exam, make_syllabus
from autograder.exam.files import read_exam, write_exam
from autograder.exam.model import Exam, Paper, PaperCase
from autograder.exam.reference import BrokenReference
from autograder.exam.syllabus import SyllabusStep
from autograder.workspace import Workspace

LARGE = {
    "part1_simplified.softmax",
    "part1_simplified.simplified_self_attention",
    "part2_trainable.attention_weights",
    "part2_trainable.scaled_dot_product_attention",
}
"""The steps that take arbitrary scores through a softmax, where overflow would show."""


@pytest.fixture(scope="module")
def exam(class_exam: Path) -> Exam:
    """The exam of the seed 4, which all test processes share."""
    return read_exam(class_exam)


@pytest.fixture(scope="module")
def other(course: Workspace) -> Exam:
    return build_exam(course.course, seed=3, with_mistakes=False)


def _paths(exam: Exam) -> list[str]:
    return [case.path for case in exam.paper.cases]


def _takes_tensors(exam: Exam, step: SyllabusStep) -> bool:
    return any(isinstance(value, np.ndarray) for case in _cases(exam, step) for value in case.inputs.values())


def _cases(exam: Exam, step: SyllabusStep) -> tuple[PaperCase, ...]:
    return exam.paper.of(step.part, frozenset({step.name}))


def _sizes(exam: Exam, step: SyllabusStep, case: PaperCase) -> dict[str, int]:
    """Return all sizes of a case: of named dimensions, of leading ones by position, and whole numbers.

    What a probe puts before a step's own dimensions, as many batches as losses, is left out.
    """
    key = exam.key.cases[case.path]
    returned = {name: value.shape for name, value in key.expected.outputs.items() if isinstance(value, TensorValue)}
    dims = {**step.returns, **step.arguments}
    dims |= {str(number): returns for number, returns in enumerate(step.returns.values())}
    sizes = {name: value for name, value in case.inputs.items() if type(value) is int and name != "seed"}
    for name, shape in {**returned, **key.shapes}.items():
        for position, (dim, size) in enumerate(
            zip(shapes.names_of(dims.get(name, "..."), len(shape)), shape, strict=True)
        ):
            if dim or shapes.LEADING in dims.get(name, ""):
                sizes[dim or f"dimension {position}"] = size
    return sizes


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


def test_a_seed_whose_draws_once_overflowed_nothing_sets_an_exam(course: Workspace) -> None:
    assert _set_on("part5_inference", course, seed=104).key.known_wrong


@pytest.mark.parametrize("part", ["part2_trainable", "part3_causal"])
def test_the_same_seed_gives_the_same_exam(course: Workspace, tmp_path: Path, part: str) -> None:
    for name in ("one.exam", "another.exam"):
        write_exam(_set_on(part, course, seed=2), tmp_path / name)
    assert (tmp_path / "one.exam").read_bytes() == (tmp_path / "another.exam").read_bytes()


def test_a_part_is_asked_the_same_whatever_other_parts_there_are(course: Workspace, exam: Exam) -> None:
    alone = _set_on("part2_trainable", course, seed=4)
    assert codec.encode(alone.paper) == codec.encode(Paper(exam.paper.of("part2_trainable")))


def test_another_seed_gives_the_same_cases(exam: Exam, other: Exam) -> None:
    assert _paths(exam) == _paths(other)


def test_another_seed_draws_other_numbers_for_every_step(exam: Exam, other: Exam) -> None:
    drawn_again = {
        f"{one.part}.{one.step}"
        for one, another in zip(exam.paper.cases, other.paper.cases, strict=True)
        if any(not np.array_equal(value, another.inputs[name]) for name, value in one.inputs.items())
    }
    assert drawn_again == {step.path for step in exam.syllabus.steps}


def test_another_seed_expects_something_else_of_every_drawn_case(exam: Exam, other: Exam) -> None:
    alike = [
        path
        for path in _paths(exam)
        if path.endswith(DOUBLE)
        and same_answer(exam.key.cases[path].expected, other.key.cases[path].expected, exam.key.cases[path].tolerance)
    ]
    assert [path for path in alike if "dot_product_variance" not in path] == []


def test_an_exam_may_be_set_without_known_wrong(other: Exam) -> None:
    assert other.key.known_wrong == {}


# The paper


def test_a_paper_s_case_has_no_field_for_anything_expected() -> None:
    fields = {field.name for field in dataclasses.fields(PaperCase)}
    assert fields == {"part", "step", "name", "seed", "gradients", "inputs"}


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


def test_the_paper_does_not_depend_on_the_reference_s_answers(copy: Workspace, exam: Exam) -> None:
    _edit(copy, "part1_simplified", "return (a * b).sum()", "return (a - b).sum()")
    changed = build_exam(copy.course, seed=4, with_mistakes=False)
    assert codec.encode(changed.paper) == codec.encode(exam.paper)


def test_case_names_are_unique(exam: Exam) -> None:
    assert [path for path, count in Counter(_paths(exam)).items() if count > 1] == []


def test_paper_and_key_have_the_same_cases(exam: Exam) -> None:
    assert list(exam.key.cases) == _paths(exam)


# The cases of every step


def test_every_step_has_a_case_of_pairwise_distinct_sizes(exam: Exam) -> None:
    without = [
        step.path
        for step in exam.syllabus.steps
        # one takes any shape, one has one size, and in the third num_heads is h
        if step.name not in ("apply_dropout", "causal_mask", "split_heads")
        and not any(
            sizes and len(set(sizes.values())) == len(sizes)
            for sizes in (_sizes(exam, step, case) for case in _cases(exam, step))
        )
    ]
    assert without == []


def test_every_step_that_takes_batches_has_a_batch_of_pairwise_distinct_sizes(exam: Exam) -> None:
    without = []
    for step in exam.syllabus.steps:
        if not any(dims.startswith("... ") for dims in step.arguments.values()):
            continue
        all_sizes = [_sizes(exam, step, case) for case in _cases(exam, step)]
        batches = [sizes for sizes in all_sizes if "b" in sizes or "dimension 0" in sizes]
        if not any(len(set(sizes.values())) == len(sizes) for sizes in batches):
            without.append(step.path)
    assert without == []


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


@pytest.mark.parametrize("path", sorted(LARGE))
def test_a_step_with_a_softmax_has_scores_whose_exponentials_overflow(exam: Exam, path: str) -> None:
    part, _, step = path.partition(".")
    largest = max(_largest_score(case) for case in exam.paper.of(part, frozenset({step})))
    assert largest > 1_000


def _largest_score(case: PaperCase) -> float:
    inputs = {name: np.asarray(value, dtype=float) for name, value in case.inputs.items()}
    match case.step:
        case "simplified_self_attention":
            scores = inputs["inputs"] @ inputs["inputs"].T
        case "scaled_dot_product_attention":
            scores = inputs["queries"] @ inputs["keys"].swapaxes(-2, -1)
        case _:
            (scores,) = inputs.values()
    return float(np.where(np.isfinite(scores), scores, 0).max())


def test_the_softmax_of_part_1_meets_scores_of_minus_infinity(exam: Exam) -> None:
    cases = exam.paper.of("part1_simplified", frozenset({"softmax"}))
    assert any(np.isneginf(case.inputs["scores"]).any() for case in cases)


def test_every_expected_number_is_finite_but_for_hidden_scores(exam: Exam) -> None:
    broken = [
        path
        for path, case in exam.key.cases.items()
        if not all(np.isfinite(array).all() for array in _arrays(case.expected))
    ]
    assert {path.split(".")[1] for path in broken} == {"mask_scores"}


def test_no_expected_number_is_nan(exam: Exam) -> None:
    broken = [
        path for path, case in exam.key.cases.items() if any(np.isnan(array).any() for array in _arrays(case.expected))
    ]
    assert broken == []


def test_nothing_expected_is_without_numbers(exam: Exam) -> None:
    assert [path for path, case in exam.key.cases.items() if not case.expected.outputs] == []


def test_the_reference_leaves_every_input_as_it_was(exam: Exam) -> None:
    assert [path for path, case in exam.key.cases.items() if case.expected.changed_inputs] == []


def test_a_known_mistake_keeps_which_inputs_it_changed_and_not_to_what(exam: Exam) -> None:
    answers = [answer for ones in exam.key.known_wrong.values() for one in ones for answer in one.signature.values()]
    assert any(answer.changed_inputs for answer in answers)
    assert [answer for answer in answers if answer.changed_to is not None] == []


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


def test_every_known_mistake_differs_from_the_reference_somewhere(exam: Exam) -> None:
    alike = [one.id for known in exam.key.known_wrong.values() for one in known if not one.signature]
    assert alike == []


def test_the_fingerprints_of_a_step_differ_from_each_other(exam: Exam) -> None:
    alike = []
    for step in exam.key.known_wrong.values():
        for number, one in enumerate(step):
            for another in step[number + 1 :]:
                if one.signature.keys() == another.signature.keys() and all(
                    same_answer(answer, another.signature[path], exam.key.cases[path].tolerance)
                    for path, answer in one.signature.items()
                ):
                    alike.append((one.id, another.id))
    assert alike == []


# What is wrong with the reference


def _edit(workspace: Workspace, part: str, old: str, new: str) -> None:
    path = workspace.solutions / f"{part}.py"
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new), encoding="utf-8")


def test_a_reference_that_raises_is_told_with_the_case(copy: Workspace) -> None:
    _edit(copy, "part1_simplified", "return weights @ inputs\n    ### END", "return weights @ inputs.T\n    ### END")
    with pytest.raises(BrokenReference, match=r"no answer to the case part1_simplified\.context_vector\.journey: "):
        build_exam(copy.course, seed=1, with_mistakes=False)


def test_a_reference_without_gradients_is_told_with_the_case(copy: Workspace) -> None:
    _edit(copy, "part1_simplified", "return (a * b).sum()", "return (a * b).exp().add_(1).sum()")
    with pytest.raises(
        BrokenReference, match=r"the case part1_simplified\.dot_product\.one of everything: .*inplace operation"
    ):
        build_exam(copy.course, seed=1, with_mistakes=False)


def test_a_step_that_the_course_data_does_not_know_is_told(copy: Workspace) -> None:
    _edit(copy, "part1_simplified", "def dot_product(", "def inner_product(")
    with pytest.raises(BrokenCourse, match="there is no step inner_product, but solutions/"):
        make_syllabus(copy.course)


def test_setting_an_exam_on_a_step_of_another_name_is_told(copy: Workspace) -> None:
    _edit(copy, "part1_simplified", "def dot_product(", "def inner_product(")
    with pytest.raises(BrokenCourse, match="inner_product"):
        build_exam(copy.course, seed=1, with_mistakes=False)


def test_the_key_knows_what_the_reference_makes_on_its_way(exam: Exam) -> None:
    way = exam.key.cases["part2_trainable.scaled_dot_product_attention.wars"].way

    assert [made.shapes for made in way][:2] == [((2, 5),), ((5, 5),)]  # the keys turned round, the scores
