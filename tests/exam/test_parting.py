"""Where flows part: at the first line that the reference does not go along with, and nowhere if the same comes out."""

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


def flow(*made: tuple[str, Form], outputs: dict[str, Form] | None = None, raises: bool = False) -> Flow:
    """Return a flow of one tensor a line."""
    lines = tuple(
        Line("attend", "own.py", number, "", (Made(name, (form,)),)) for number, (name, form) in enumerate(made, 1)
    )
    failure = Failure("raised", "RuntimeError") if raises else None
    return Flow(lines, outputs or {}, failure, stopped=raises)


def test_whoever_returns_the_same_shapes_does_not_part_whatever_the_way() -> None:
    assert find_parting(flow(("scores", (5, 6)), ("other", (9,)), outputs=RIGHT), REFERENCE) is None


def test_a_name_of_the_reference_with_another_shape_parts() -> None:
    yours = flow(("scores", (5, 6)), ("weights", (5, 6)), ("return", (5, 2)), outputs=WRONG)

    assert find_parting(yours, REFERENCE) == Parting(0, "context")


def test_lines_before_count_as_long_as_the_reference_knows_none_of_their_shapes() -> None:
    yours = flow(("scores", (6, 5)), ("sums", (5,)), ("more", (5, 1)), ("return", (5, 2)), outputs=WRONG)

    assert find_parting(yours, REFERENCE) == Parting(1, "context")


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


def test_where_no_line_shows_what_comes_out_the_output_is_named() -> None:
    assert find_parting(flow(outputs=WRONG), REFERENCE) == Parting(None, "context")


def test_what_is_no_tensor_may_be_of_any_type() -> None:
    assert find_parting(flow(outputs=RIGHT | {"mask": "bool"}), REFERENCE) is None


def test_a_tensor_where_none_is_expected_parts() -> None:
    assert find_parting(flow(outputs=RIGHT | {"mask": (6, 6)}), REFERENCE) == Parting(None, "mask")
