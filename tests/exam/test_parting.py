"""Where flows part: at the first line that the reference does not go along with, and nowhere if the same comes out."""

from dataclasses import replace

import pytest

from autograder.course.answer import Failure
from autograder.course.flow import Flow, Form, Line, Made
from autograder.exam.flows import ReferenceFlow
from autograder.exam.parting import Parting, find_parting

REFERENCE = ReferenceFlow(
    {"scores": ((6, 5),), "weights": ((6, 5),), "return attend": ((6, 2),)},
    ((7, 5),),
    {"context": (6, 2), "mask": "str"},
)
RIGHT: dict[str, Form] = {"context": (6, 2), "mask": "str"}
WRONG: dict[str, Form] = {"context": (5, 2), "mask": "str"}


def flow(
    *made: tuple[str, Form],
    outputs: dict[str, Form] | None = None,
    raises: bool = False,
    times: int = 1,
    repeats: bool = False,
    within: str = "",
) -> Flow:
    """Return a flow of one tensor a line."""
    lines = tuple(
        Line("attend", "own.py", number, "", (Made(name, (form,), times, within=within),), repeats)
        for number, (name, form) in enumerate(made, 1)
    )
    failure = Failure("raised", "RuntimeError") if raises else None
    return Flow(lines, outputs or {}, failure, stopped=raises)


def test_whoever_returns_the_same_shapes_does_not_part_whatever_the_way() -> None:
    assert find_parting(flow(("scores", (5, 6)), ("other", (9,)), outputs=RIGHT), REFERENCE) is None


def test_a_name_of_the_reference_with_another_shape_parts() -> None:
    yours = flow(("scores", (5, 6)), ("weights", (5, 6)), ("return", (5, 2)), outputs=WRONG)

    assert find_parting(yours, REFERENCE) == Parting(0, "context")


def test_lines_of_which_the_reference_has_none_do_not_part() -> None:
    yours = flow(("sums", (9,)), ("return", (5, 2)), outputs=WRONG)

    assert find_parting(yours, REFERENCE) == Parting(1, "context")


def test_a_name_that_gets_other_shapes_further_on_does_not_part() -> None:
    yours = flow(("scores", (5, 6)), ("scores", (6, 5)), ("return", (5, 2)), outputs=WRONG)

    assert find_parting(yours, REFERENCE) == Parting(2, "context")


def test_of_a_name_that_is_never_right_the_last_line_parts() -> None:
    yours = flow(("scores", (30,)), ("scores", (5, 6)), ("return", (5, 2)), outputs=WRONG)

    assert find_parting(yours, REFERENCE) == Parting(1, "context")


def test_what_is_written_into_further_on_parts() -> None:
    yours = flow(("scores", (5, 6)), ("scores", (5, 6)), ("return", (5, 2)), outputs=WRONG)

    assert find_parting(yours, REFERENCE) == Parting(0, "context")


def test_a_name_that_another_function_gives_to_something_else_parts() -> None:
    yours = flow(("scores", (5, 6)), ("scores", (6, 5)), ("return", (5, 2)), outputs=WRONG)
    first, *others = yours.lines

    assert find_parting(replace(yours, lines=(replace(first, function="score"), *others)), REFERENCE) == Parting(
        0, "context"
    )


def test_a_name_that_would_have_got_something_else_does_not_part() -> None:
    yours = flow(("scores", (5, 6)), ("weights", (6, 5)), raises=True)

    assert find_parting(replace(yours, ahead=(("attend", "scores"),)), REFERENCE) == Parting(1)


@pytest.mark.parametrize(
    ("use", "shape", "line"),
    [("weights", (6, 5), 2), ("weights", (5, 6), 0), ("products", (6, 5), 2), ("products", (9,), 0)],
)
def test_a_step_that_has_a_name_does_not_part_where_what_is_made_of_it_is_right(
    use: str, shape: tuple[int, ...], line: int
) -> None:
    yours = flow(("scores", (7, 5)), (use, shape), ("return", (5, 2)), outputs=WRONG)
    first, second, last = yours.lines
    lines = (first, replace(second, text=f"{use} = scores @ scores"), last)

    assert find_parting(replace(yours, lines=lines), REFERENCE) == Parting(line, "context")


def test_another_name_for_a_shape_of_the_reference_does_not_part() -> None:
    yours = flow(("sums", (9,)), ("products", (6, 5)), ("return", (5, 2)), outputs=WRONG)

    assert find_parting(yours, REFERENCE) == Parting(2, "context")


def test_a_line_that_raises_parts() -> None:
    yours = flow(("sums", (9,)), ("weights", (6, 5)), raises=True)

    assert find_parting(yours, REFERENCE) == Parting(1)


def test_a_name_with_another_shape_parts_before_the_line_that_raises() -> None:
    yours = flow(("scores", (5, 6)), ("weights", (6, 5)), raises=True)

    assert find_parting(yours, REFERENCE) == Parting(0)


def test_where_no_name_tells_the_last_line_with_what_comes_out_parts() -> None:
    yours = flow(("a", (6, 2)), ("b", (5, 2)), ("c", (6, 5)), outputs=WRONG)

    assert find_parting(yours, REFERENCE) == Parting(1, "context")


@pytest.mark.parametrize(("times", "repeats"), [(6, False), (12, False), (1, True)])
def test_rows_of_what_the_reference_makes_at_once_do_not_part(times: int, repeats: bool) -> None:
    yours = flow(("scores", (5,)), ("weights", (6, 5)), raises=True, times=times, repeats=repeats)

    assert find_parting(yours, REFERENCE) == Parting(1)


@pytest.mark.parametrize("times", [1, 4])
def test_rows_that_are_too_few_part(times: int) -> None:
    yours = flow(("scores", (5,)), ("weights", (6, 5)), raises=True, times=times)

    assert find_parting(yours, REFERENCE) == Parting(0)


def test_what_is_kept_in_a_list_is_not_compared() -> None:
    yours = flow(("scores", (6, 1)), ("weights", (5, 6)), raises=True, within="list")

    assert find_parting(yours, REFERENCE) == Parting(1)


def test_rows_that_are_returned_in_a_list_part() -> None:
    yours = flow(("return", (2,)), ("weights", (6, 5)), outputs=WRONG, times=6, within="list")

    assert find_parting(yours, REFERENCE) == Parting(0, "context")


def test_lines_that_make_rows_of_what_the_reference_makes_at_once_do_not_count() -> None:
    yours = flow(("row", (5,)), ("return", (5, 2)), outputs=WRONG, repeats=True)

    assert find_parting(yours, REFERENCE) == Parting(1, "context")


OF_LAYER = ReferenceFlow(
    {"self.project.weight": ((2, 3),), "self.project.bias": ((2,),)}, (), {"project.bias": (2,), "context": (6, 2)}
)


def test_a_layer_that_lacks_a_parameter_parts_where_its_others_came_to_be() -> None:
    yours = flow(("self.project.weight", (2, 3)), ("return", (6, 2)), outputs={"context": (6, 2)})

    assert find_parting(yours, OF_LAYER) == Parting(0, "project.bias")


def test_an_attribute_parts_where_the_one_of_its_name_came_to_be() -> None:
    outputs: dict[str, Form] = {"project.bias": (3,), "context": (6, 2)}
    yours = flow(("self.project.bias", (3,)), ("other", (3,)), ("return", (6, 2)), outputs=outputs)

    assert find_parting(yours, OF_LAYER) == Parting(0, "project.bias")


def test_of_lines_alike_the_one_parts_that_names_what_comes_out() -> None:
    texts = ["own.context.data = a.clone()", "own.other.data = b.clone()"]
    made = (Made("clone", ((5, 2),), is_step=True),)
    lines = tuple(Line("copy", "own.py", number, text, made) for number, text in enumerate(texts, 1))

    assert find_parting(Flow(lines, WRONG), REFERENCE) == Parting(0, "context")


def test_where_nothing_comes_out_the_last_return_parts() -> None:
    yours = flow(("a", (6, 2)), ("return", (6, 2)), ("b", (6, 2)), outputs={"mask": "str"})

    assert find_parting(yours, REFERENCE) == Parting(1, "context")


def test_a_line_that_makes_no_tensor_is_not_looked_at() -> None:
    yours = flow(("size", "int"), ("return", (5, 2)), outputs=WRONG)

    assert find_parting(yours, REFERENCE) == Parting(1, "context")


def test_where_no_line_shows_what_comes_out_the_output_is_named() -> None:
    assert find_parting(flow(outputs=WRONG), REFERENCE) == Parting(None, "context")


def test_a_tensor_too_many_parts() -> None:
    yours = flow(("return", (6, 2)), outputs=RIGHT | {"more": (6, 2)})

    assert find_parting(yours, REFERENCE) == Parting(0, "more")


def test_what_is_no_tensor_may_be_of_any_type() -> None:
    assert find_parting(flow(outputs=RIGHT | {"mask": "bool"}), REFERENCE) is None


def test_a_tensor_where_none_is_expected_parts() -> None:
    assert find_parting(flow(outputs=RIGHT | {"mask": (6, 6)}), REFERENCE) == Parting(None, "mask")
