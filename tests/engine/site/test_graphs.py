"""Graphs of functions: as high as their numbers, with their names at the end."""

import pytest
import torch
from lxml import html

from autograder.site.graphs import APART, graphs

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


def test_all_graphs_share_the_axes() -> None:
    (_, zero), (_, one), _ = corners(1)
    (_, other_zero), (_, minus_one), _ = corners(2)

    assert other_zero == zero
    assert minus_one - zero == pytest.approx(zero - one, abs=0.2)
    assert [x for x, _ in corners(1)] == [x for x, _ in corners(2)]


def test_the_axes_have_round_numbers_and_say_what_they_count() -> None:
    texts = html.fragment_fromstring(DRAWN.page).xpath("//text/text()")

    assert texts == ["0", "0.5", "1", "1.5", "2", "−2", "−1", "0", "1", "2", "3", "4", "steps", "loss", "<up>", "down"]


def test_a_number_of_an_axis_stands_where_a_graph_has_it() -> None:
    page = html.fragment_fromstring(DRAWN.page)
    levels = [float(y) for y in page.xpath("//line/@y1")]
    (_, zero), (_, one), (_, four) = corners(1)

    assert [levels[2], levels[3], levels[6]] == pytest.approx([zero, one, four], abs=0.1)
    assert page.xpath("//line/@class") == ["level", "level", "axis", "level", "level", "level", "level"]


@pytest.mark.parametrize(("low", "high"), [(0.0, 590.0), (-1.0, 1.0), (0.0, 0.003), (0.0, 4.17), (0.0, 24.0)])
def test_an_axis_has_three_to_seven_numbers(low: float, high: float) -> None:
    page = html.fragment_fromstring(
        graphs(torch.tensor([low, high]), {"one": torch.tensor([0.0, 1.0])}, "", across="").page
    )

    assert 3 <= len(page.xpath("//text[@text-anchor='middle']")) - 1 <= 7


def test_names_of_graphs_that_end_together_stand_apart_each_behind_its_own_line() -> None:
    same = torch.tensor([0.0, 1.0, 2.0])
    page = html.fragment_fromstring(graphs(X, {"one": same, "other": same}, "Two", across="steps", up="loss").page)
    one, other = (float(page.xpath(f"string(//text[text()='{name}']/@y)")) for name in ("one", "other"))
    samples = [page.xpath(f"//polyline[@class='graph-{number}']/@points")[1] for number in (1, 2)]

    assert other - one == APART
    assert [float(sample.split(",")[-1]) + 5 for sample in samples] == [one, other]


def test_the_picture_has_a_name_and_words_for_who_reads_the_file() -> None:
    assert 'aria-label="Two"' in DRAWN.page
    assert DRAWN.text == "Two\n\n- <up>: from 0.0000 to 4.0000\n- down: from 0.0000 to −2.0000\n"
