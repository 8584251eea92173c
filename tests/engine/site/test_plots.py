"""Bars, arrows and spreads: the pictures are as long, as far and as wide as the numbers."""

import re

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


def test_each_bar_may_have_a_role_of_its_own() -> None:
    page = html.fragment_fromstring(bars(torch.ones(2), ("a", "b"), "Two bars", role=("key", "value")).page)

    assert page.xpath("//div[contains(@class, 'bar ')]/@class") == ["bar key", "bar value"]


def test_bars_of_two_pictures_can_share_a_measure() -> None:
    assert "--share:0.2500" in bars(torch.tensor([0.25]), ("a",), "One bar", longest=1.0).page


def test_bars_that_the_text_speaks_of_stand_out() -> None:
    page = html.fragment_fromstring(bars(torch.tensor([0.2, 0.4]), ("a", "b"), "Two bars", stressed=(1,)).page)

    assert page.xpath("//div[starts-with(@class, 'bar')]/@class") == ["bars", "bar weight pale", "bar weight"]


def test_a_column_of_scores_and_one_of_weights_are_told_apart_by_their_heads() -> None:
    page = html.fragment_fromstring(bars(torch.tensor([0.25]), ("−1.6",), "One bar", titles=("score", "weight")).page)
    rows = [bar.text_content() for bar in page.xpath("//div[starts-with(@class, 'bar ') or @class='bar']")]

    assert rows == ["scoreweight", "−1.60.2500"]
    assert page.xpath("//i/@style")[0] == "--share:0"


def tips(page: str) -> list[tuple[float, float]]:
    """Return where the arrows of a picture end."""
    points = html.fragment_fromstring(page).xpath("//polygon/@points")
    return [tuple(map(float, str(one).split()[0].split(","))) for one in points]  # type: ignore[misc]


def test_arrows_are_laid_head_to_tail_and_end_where_the_sum_ends() -> None:
    first, second, context = tips(arrows(STEPS, ("a", "b"), "A walk").page)

    assert second == context
    assert first[0] == second[0]
    assert first[1] > second[1]


def test_pictures_that_are_compared_have_one_frame_and_one_origin() -> None:
    others = (STEPS, -3 * STEPS)
    pages = [html.fragment_fromstring(arrows(one, ("a", "b"), "A walk", others=others).page) for one in others]
    frames, origins = (
        {*(page.xpath("string(//svg/@viewBox)") for page in pages)},
        {*((page.xpath("string(//circle/@cx)"), page.xpath("string(//circle/@cy)")) for page in pages)},
    )

    assert (len(frames), len(origins)) == (1, 1)


def test_a_sum_is_drawn_beside_a_straight_walk_as_long_as_it_is() -> None:
    straight = torch.tensor([[0.0, 1.0], [0.0, 2.0]])
    page = arrows(straight, ("a", "b"), "A walk", apart=20).page
    _, second, context = tips(page)

    assert (context[0], context[1]) == (second[0] - 20, second[1])
    assert page.count('class="tie"') == 2
    assert "tie" not in arrows(straight, ("a", "b"), "A walk").page


def test_a_unit_is_as_long_both_ways() -> None:
    page = arrows(STEPS, ("a", "b"), "A walk").page
    start = [float(number) for number in re.findall(r'[xy]1="([\d.]+)"', page)][:2]
    first, second, _ = tips(page)

    assert second[1] - first[1] == pytest.approx(-2 * (first[0] - start[0]), abs=0.3)


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


def test_a_wider_spread_is_drawn_wider() -> None:
    generator = torch.Generator().manual_seed(1)
    narrow, wide = torch.randn(2000, generator=generator), 4 * torch.randn(2000, generator=generator)
    drawn = html.fragment_fromstring(spread({"narrow": narrow, "wide": wide}, "Spreads", reach=20.0).page)
    columns = [len(group.findall("rect")) for group in drawn.xpath("//g")]

    assert columns[1] > 2 * columns[0]


def test_a_spread_in_words_says_the_variance() -> None:
    numbers = torch.tensor([-1.0, 1.0])

    assert spread({"d = 1": numbers}, "Spreads", reach=2.0).text == "Spreads\n\n- d = 1: variance 2.0000\n"
