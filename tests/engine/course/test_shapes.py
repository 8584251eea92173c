"""Shapes are bound to named dimensions, written with their names, and recognised by their sizes."""

import pytest

from autograder.course import shapes


@pytest.mark.parametrize(
    ("dims", "shape", "expected"),
    [
        ("t d", (5, 3), {"t": 5, "d": 3}),
        ("", (), {}),
        ("... t d", (5, 3), {"t": 5, "d": 3}),
        ("... t d", (2, 5, 3), {"b": 2, "t": 5, "d": 3}),
        ("... t d", (2, 7, 5, 3), {"t": 5, "d": 3}),
        ("... t", (4, 5), {"t": 5}),
        ("...", (4, 5), {}),
        ("t d", (5,), {}),
        ("... t d", (5,), {}),
        ("t d", (2, 5, 3), {}),
    ],
)
def test_bind_names_the_sizes_of_a_shape(dims: str, shape: tuple[int, ...], expected: dict[str, int]) -> None:
    assert shapes.bind(dims, shape) == expected


def test_bind_all_joins_the_sizes_of_all_tensors() -> None:
    dims = {"queries": "... tq d_k", "keys": "... tk d_k"}
    assert shapes.bind_all(dims, {"queries": (2, 4, 3), "keys": (2, 5, 3)}) == {"b": 2, "tq": 4, "tk": 5, "d_k": 3}


@pytest.mark.parametrize(
    ("dims", "rank", "expected"),
    [
        ("... t d", 2, ("t", "d")),
        ("... t d", 3, ("b", "t", "d")),
        ("... t d", 4, ("", "", "t", "d")),
        ("... b t", 3, ("", "b", "t")),
        ("... t", 2, ("", "t")),
        ("...", 2, ("", "")),
        ("t d", 1, ("",)),
    ],
)
def test_names_of_gives_one_name_a_dimension(dims: str, rank: int, expected: tuple[str, ...]) -> None:
    assert shapes.names_of(dims, rank) == expected


@pytest.mark.parametrize(
    ("shape", "names", "expected"),
    [
        ((4, 5), ("tq", "tk"), "(tq=4, tk=5)"),
        ((2, 4, 5), ("", "tq", "tk"), "(2, tq=4, tk=5)"),
        ((3,), (), "(3,)"),
        ((3,), ("t",), "(t=3)"),
        ((), (), "()"),
    ],
)
def test_write_shows_names_with_sizes(shape: tuple[int, ...], names: tuple[str, ...], expected: str) -> None:
    assert shapes.write(shape, names) == expected


def test_recognise_names_dimensions_by_their_size() -> None:
    assert shapes.recognise((5, 3), {"t": 5, "d": 3}) == ("t", "d")


def test_recognise_does_not_guess_between_dimensions_of_one_size() -> None:
    assert shapes.recognise((4, 3), {"tq": 4, "tk": 4, "d_k": 3}) == ("", "d_k")
