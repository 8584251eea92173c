"""An attention map in the terminal: a row a query, darker where more weight is."""

import io

import numpy as np
from rich.console import Console

from autograder.render.screen import ASCII, PLAIN, UNICODE, Signs
from workbench.training_screen import draw_maps

MAPS = {"before": np.array([[1.0, 0.0], [0.5, 0.5]]), "after": np.array([[1.0, 0.0], [0.25, 0.75]])}


def drawn(width: int, signs: Signs = UNICODE) -> list[str]:
    console = Console(file=io.StringIO(), width=width)
    console.print(draw_maps("ab", MAPS, signs))
    assert isinstance(console.file, io.StringIO)
    return [line.rstrip() for line in console.file.getvalue().splitlines()]


def test_maps_stand_side_by_side_where_there_is_room() -> None:
    assert drawn(40) == [
        "before   after",
        "  a b      a b",
        "a ██     a ██",
        "b ▒▒▒▒   b ░░▓▓",
    ]


def test_maps_stand_one_below_the_other_where_there_is_none() -> None:
    assert drawn(10) == ["before", "  a b", "a ██", "b ▒▒▒▒", "after", "  a b", "a ██", "b ░░▓▓"]


def test_a_terminal_that_knows_only_ascii_gets_its_shades() -> None:
    assert drawn(40, ASCII)[2:] == ["a ##     a ##", "b ::::   b ..**"]


def test_in_words_each_token_tells_where_it_looks_most() -> None:
    assert drawn(80, PLAIN)[-3:] == [
        "after:",
        "Token 0, a: 1.00 of its weight is on token 0, a.",
        "Token 1, b: 0.75 of its weight is on token 1, b.",
    ]
