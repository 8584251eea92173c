"""Graphs of functions: as high as their numbers, with their names at the end."""

import pytest
import torch
from lxml import html

from autograder.site.graphs import graphs

X = torch.tensor([0.0, 1.0, 2.0])
DRAWN = graphs(
    X,
    {"<up>": torch.tensor([0.0, 1.0, 4.0]), "down": torch.tensor([0.0, -1.0, -2.0])},
    "Two",
    across="steps",
    up="loss",
)


def corners(number: int) -> list[tuple[float, float]]:
    """Return the points of a graph in the picture. The other line of its class stands before its name."""
    points, _ = html.fragment_fromstring(DRAWN.page).xpath(f"//polyline[@class='graph-{number}']/@points")
    return [tuple(map(float, point.split(","))) for point in points.split()]  # type: ignore[misc]


def test_a_graph_is_as_high_as_its_numbers() -> None:
    (_, zero), (_, one), (_, four) = corners(1)

    assert zero - four == pytest.approx(4 * (zero - one), abs=0.3)


def test_the_axes_have_round_numbers_and_say_what_they_count() -> None:
    texts = html.fragment_fromstring(DRAWN.page).xpath("//text/text()")

    assert texts == ["0", "0.5", "1", "1.5", "2", "−2", "−1", "0", "1", "2", "3", "4", "steps", "loss", "<up>", "down"]


def test_the_picture_has_a_name_and_words_for_who_reads_the_file() -> None:
    assert 'aria-label="Two"' in DRAWN.page
    assert DRAWN.text == "Two\n\n- <up>: from 0.0000 to 4.0000\n- down: from 0.0000 to −2.0000\n"
