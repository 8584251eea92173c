"""Generated mistakes: which slips of the reference are kept in a key, and what is said of them."""

from collections.abc import Iterator

import pytest
from tiny_course import NAME, TinyCourse

from autograder.exam.make_exam import set_exam
from autograder.exam.model import Exam
from autograder.exam.scope import merged

SOFTMAX = "x.softmax(dim=-1)"


def said_of(tiny: TinyCourse, body: str) -> Iterator[tuple[str, str]]:
    """Yield the slips that are kept of a reference that returns this."""
    tiny.edit(tiny.reference, "return x / 2", body if "return" in body else f"return {body}")
    for one in tiny.set_exam().key.generated.get(f"{NAME}.Scale", ()):
        yield one.slip, one.says


def test_a_slip_is_said_without_the_code_of_the_reference(tiny: TinyCourse) -> None:
    assert list(said_of(tiny, SOFTMAX)) == [("dimension", "`softmax` runs over another dimension")]


def test_what_answers_as_a_known_mistake_is_left_to_it(tiny: TinyCourse) -> None:
    assert not any(says == "something is not scaled" for _, says in said_of(tiny, "x / 2"))


def test_what_no_author_wrote_down_is_kept(tiny: TinyCourse) -> None:
    tiny.edit(tiny.mistakes, "factor = 1.0", "factor = 3.0")

    assert ("missing_scaling", "something is not scaled") in list(said_of(tiny, "x / 2"))


def test_slips_of_other_kinds_that_answer_alike_are_not_told_apart(tiny: TinyCourse) -> None:
    told = dict(said_of(tiny, "(x @ x.mT).softmax(dim=-1) @ x"))

    assert "dimension" not in told
    assert "needless_transpose" not in told
    assert "product_order" not in told


def test_a_slip_that_changes_nothing_is_none(tiny: TinyCourse) -> None:
    assert not any(slip == "dimension" for slip, _ in said_of(tiny, "x.amax(dim=-1, keepdim=True) * 0 + x / 3"))


def test_a_few_wrong_numbers_may_be_an_accident(tiny: TinyCourse) -> None:
    assert not any(slip == "dimension" for slip, _ in said_of(tiny, f"{SOFTMAX}[:1, :1]"))


def test_a_slip_that_raises_or_gives_another_shape_says_it_itself(tiny: TinyCourse) -> None:
    assert not any(slip == "missing_transpose" for slip, _ in said_of(tiny, "x @ x.mT @ x"))


def test_a_loop_that_may_never_end_has_none(tiny: TinyCourse) -> None:
    assert list(said_of(tiny, f"while x.dim() > 9:\n            x = x[0]\n        return {SOFTMAX}")) == []


def test_an_author_can_end_it(tiny: TinyCourse) -> None:
    ends = (
        f"if ({SOFTMAX}.sum(-1) - 1).abs().max() > 0.1:\n            raise KeyboardInterrupt\n        return {SOFTMAX}"
    )

    with pytest.raises(KeyboardInterrupt):
        list(said_of(tiny, ends))


def test_an_exam_on_some_steps_has_those_of_them_alone(tiny: TinyCourse) -> None:
    tiny.edit(tiny.reference, "return x / 2", f"return {SOFTMAX}")
    tiny.edit(tiny.reference, "return keys @ query", "return (keys @ query).softmax(dim=-1)")
    both, course = tiny.set_exam(), tiny.workspace.course

    def numbers(exam: Exam) -> dict[str, int]:
        return {path: len(slips) for path, slips in exam.key.generated.items()}

    scale = set_exam(course, 1, scope={f"{NAME}.Scale"})
    assert list(numbers(both)) == [f"{NAME}.scores", f"{NAME}.Scale"]
    assert list(numbers(scale)) == [f"{NAME}.Scale"]
    assert numbers(merged(both, scale, {f"{NAME}.Scale"}, [NAME])) == numbers(both)
