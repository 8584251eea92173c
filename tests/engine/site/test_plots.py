"""Bars, arrows and spreads: the pictures are as long, as far and as wide as the numbers."""

import pytest
import torch
from lxml import html

from autograder.site.plots import arrows, bars, directions, spread

STEPS = torch.tensor([[1.0, 0.0], [0.0, 2.0]])


def test_a_bar_is_as_long_as_its_number_and_says_it() -> None:
    page = html.fragment_fromstring(bars(torch.tensor([0.25, 0.5]), ("a", "b"), "Two bars").page)

    assert page.xpath("//i/@style") == ["--share:0.5000", "--share:1.0000"]
    assert page.xpath("//b/text()") == ["0.2500", "0.5000"]
    assert page.findtext("figcaption") == "Two bars"


def tips(page: str) -> list[tuple[float, float]]:
    """Return where the arrows of a picture end."""
    points = html.fragment_fromstring(page).xpath("//polygon/@points")
    return [tuple(map(float, str(one).split()[0].split(","))) for one in points]  # type: ignore[misc]


def test_arrows_are_laid_head_to_tail_and_end_where_the_sum_ends() -> None:
    first, second, context = tips(arrows(STEPS, ("a", "b"), "A walk").page)

    assert second == context
    assert first[0] == second[0]
    assert first[1] > second[1]


def test_every_arrow_has_its_label_and_the_picture_its_name() -> None:
    page = html.fragment_fromstring(arrows(STEPS, ("<a>", "b"), "A walk", end="the sum").page)

    assert page.xpath("//text/text()") == ["<a>", "b", "the sum"]
    assert page.xpath("string(//svg/@aria-label)") == "A walk"


def test_the_walk_in_words_ends_with_the_sum() -> None:
    assert arrows(STEPS, ("a", "b"), "A walk", end="the sum").text.endswith("- the sum: (1.0000, 2.0000)\n")


def test_vectors_from_one_origin_point_where_they_point_and_have_their_roles() -> None:
    figure = directions({"up": (torch.tensor([0.0, 1.0]), "query"), "left": (torch.tensor([-2.0, 0.0]), "key")}, "Two")
    page = html.fragment_fromstring(figure.page)
    (up, left), starts = tips(figure.page), {*zip(page.xpath("//line/@x1"), page.xpath("//line/@y1"), strict=True)}
    ((x, y),) = ((float(x), float(y)) for x, y in starts)

    assert (up[0], left[1]) == (x, y)
    assert left[0] - x == pytest.approx(2 * (up[1] - y))
    assert up[1] < y
    assert page.xpath("//g/@class") == ["arrow query", "arrow key"]
    assert page.xpath("//text/text()") == ["up", "left"]
    assert figure.text.endswith("- up: (0.0000, 1.0000)\n- left: (−2.0000, 0.0000)\n")


def test_a_spread_in_words_says_the_variance() -> None:
    numbers = torch.tensor([-1.0, 1.0])

    assert spread({"d = 1": numbers}, "Spreads", reach=2.0).text == "Spreads\n\n- d = 1: variance 2.0000\n"
