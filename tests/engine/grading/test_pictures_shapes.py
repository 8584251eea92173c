"""A wrong shape beside the right one: which dimension is missing, too many, or of another size."""

import pytest

from autograder.grading.pictures import MOST_SIDES, Boxes, Side, boxes_of


def sides(expected: dict[str, int], yours: dict[str, int]) -> tuple[Side, ...]:
    """Align two shapes, each given by names and sizes."""
    boxes = boxes_of("", tuple(expected.values()), tuple(yours.values()), tuple(expected), tuple(yours))
    assert boxes
    return boxes.sides


SAID = [
    pytest.param({"t": 6, "d": 3}, {"t": 6, "": 4}, ["d should be 3 and is 4"], id="another size"),
    pytest.param({"t": 6, "d": 3}, {"d": 3}, ["t=6 is missing"], id="a dimension is missing"),
    pytest.param({"t": 6}, {"t": 6, "": 1}, ["a dimension too many: size 1"], id="one is too many"),
    pytest.param({"b": 2, "t": 6}, {}, ["b=2 is missing", "t=6 is missing"], id="all are missing"),
    pytest.param(
        {"t": 6, "d": 3},
        {"d": 3, "t": 6},
        ["d=3 is where t=6 should be", "t=6 is where d=3 should be"],
        id="two have changed places",
    ),
    pytest.param(
        {"b": 2, "t": 4, "d_out": 15},
        {"b": 2, "h": 3, "t": 4, "hd": 5},
        ["a dimension too many: h=3", "hd=5 is where d_out=15 should be"],
        id="heads that were not merged",
    ),
]


@pytest.mark.parametrize(("expected", "yours", "said"), SAID)
def test_what_is_off_is_said_dimension_by_dimension(
    expected: dict[str, int], yours: dict[str, int], said: list[str]
) -> None:
    assert [side.says for side in sides(expected, yours) if side.off] == said


def test_what_stands_in_its_own_place_does_not_stand_in_anothers_as_well() -> None:
    boxes = boxes_of("", (2, 12, 5, 6), (6, 4, 5, 6), ("b", "h", "t", "hd"), ("hd", "kv", "t", "hd"))
    assert boxes
    assert [side.says for side in boxes.sides] == ["b should be 2 and is 6", "kv=4 is where h=12 should be", "", ""]


def test_what_is_not_off_says_nothing() -> None:
    assert Side("t", 6, 6).says == ""


def test_each_shape_can_be_had_alone() -> None:
    boxes = Boxes("", sides({"t": 6, "d": 3}, {"d": 3, "": 1}))
    assert [size for _, size, _ in boxes.expected] == [6, 3]
    assert [size for _, size, _ in boxes.yours] == [3, 1]


def test_a_shape_of_very_many_dimensions_is_not_aligned() -> None:
    assert boxes_of("", (2,), (1,) * (MOST_SIDES + 1), ("t",), ("",) * (MOST_SIDES + 1)) is None
