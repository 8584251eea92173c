"""<rotary-rotation>: pairs turn by position times speed, and the score depends on the distance alone."""

from collections.abc import Callable

import pytest
import torch
from chromium import violations
from playwright.sync_api import Page, expect
from torch import Tensor

pytestmark = pytest.mark.slow

QUERY, KEY = torch.randn(2, 8, generator=torch.Generator().manual_seed(123), dtype=torch.float64)
SPEEDS = torch.tensor([1.0, 0.1, 0.01, 0.001], dtype=torch.float64)
TAG = f"<rotary-rotation query='{QUERY.tolist()}' key='{KEY.tolist()}'></rotary-rotation>"


@pytest.fixture
def page(open_widget: Callable[..., Page]) -> Page:
    return open_widget(TAG)


def stand(page: Page, query: int, key: int) -> None:
    page.get_by_role("slider", name="Query at").fill(str(query))
    page.get_by_role("slider", name="Key at").fill(str(key))


def turned(vector: Tensor, position: int) -> Tensor:
    """The pairs of a vector as complex numbers, turned: another way to write the rotation."""
    return torch.view_as_complex(vector.view(-1, 2)) * torch.polar(
        torch.ones(4, dtype=torch.float64), position * SPEEDS
    )


def scores(query: int, key: int) -> list[str]:
    """What each pair adds to the score, and the score."""
    parts = (turned(QUERY, query) * turned(KEY, key).conj()).real
    return [f"{part:.4f}".replace("-", "−") for part in [*parts.tolist(), parts.sum().item()]]


def shown(page: Page) -> list[str]:
    return page.locator(".rotary-scores td:last-child").all_inner_texts()


@pytest.mark.parametrize(("query", "key"), [(0, 0), (5, 2), (2, 5), (63, 0), (63, 63)])
def test_the_scores_are_those_of_torch(page: Page, query: int, key: int) -> None:
    stand(page, query, key)

    assert shown(page) == scores(query, key)


def test_moving_both_by_the_same_amount_leaves_every_score_alone(page: Page) -> None:
    stand(page, 5, 2)
    before = shown(page)

    page.get_by_role("slider", name="Move both, first at").fill("40")

    expect(page.get_by_role("slider", name="Query at")).to_have_value("43")
    expect(page.get_by_role("slider", name="Key at")).to_have_value("40")
    assert shown(page) == before


def test_both_stop_where_the_last_position_is_reached(page: Page) -> None:
    stand(page, 5, 2)

    page.get_by_role("slider", name="Move both, first at").press("End")

    expect(page.get_by_role("slider", name="Query at")).to_have_value("63")
    expect(page.get_by_role("slider", name="Key at")).to_have_value("60")


def test_moving_one_alone_changes_the_score(page: Page) -> None:
    stand(page, 5, 2)
    before = shown(page)[-1]

    page.get_by_role("slider", name="Query at").press("ArrowRight")

    assert shown(page)[-1] != before


def test_it_shows_by_which_angles_the_pairs_are_turned(page: Page) -> None:
    stand(page, 5, 2)

    angles = page.locator(".rotary-scores tbody td:not(:last-child)").all_inner_texts()
    assert angles == ["5.000", "2.000", "0.500", "0.200", "0.050", "0.020", "0.005", "0.002"]


def test_every_pair_has_its_speed_and_a_dial(page: Page) -> None:
    strip = page.get_by_role("group", name="Radians that each pair rotates by, from one position to the next")

    assert strip.locator("span").all_inner_texts() == ["pair 0: 1", "pair 1: 0.1", "pair 2: 0.01", "pair 3: 0.001"]
    assert strip.locator("svg").count() == 4


@pytest.mark.parametrize("pair", range(4))
def test_the_arrows_point_where_torch_turns_them(page: Page, pair: int) -> None:
    page.get_by_role("radio").nth(pair).check()
    stand(page, 50, 20)

    arrows = page.locator("figure .arrow:not(.pale)").evaluate_all(
        "all => all.map(one => -one.transform.baseVal[0].angle * Math.PI / 180)"
    )
    right = [turned(QUERY, 50)[pair].angle().item(), turned(KEY, 20)[pair].angle().item()]
    assert arrows == pytest.approx(right, abs=1e-4)


def test_the_pale_arrows_stay_where_they_came(page: Page) -> None:
    pale = "all => all.map(one => one.getAttribute('transform'))"
    before = page.locator(".arrow.pale").evaluate_all(pale)

    stand(page, 31, 17)

    assert page.locator(".arrow.pale").evaluate_all(pale) == before


WIDTH_AND_LENGTH = """arrows => arrows.map(arrow => {
  const { a, b } = arrow.getScreenCTM(), line = arrow.querySelector("line");
  return [parseFloat(getComputedStyle(line).strokeWidth), arrow.getBBox().width].map(one => one * Math.hypot(a, b));
})"""


@pytest.mark.parametrize("width", [1280, 375])
def test_an_arrow_is_drawn_a_few_pixels_wide_and_no_longer_than_its_circle(
    open_widget: Callable[..., Page], width: int
) -> None:
    page = open_widget(TAG, width=width)
    drawn = page.locator("figure .arrow").evaluate_all(WIDTH_AND_LENGTH)
    radius = page.locator("figure .axis").evaluate("circle => circle.getBoundingClientRect().width / 2")

    assert len(drawn) == 4
    assert all(3 <= wide <= 6 and 4 * wide < long <= radius + 1 for wide, long in drawn)


def test_it_says_the_angle_the_score_and_the_distance(page: Page) -> None:
    page.get_by_role("radio").nth(1).check()
    stand(page, 5, 9)

    part, whole = scores(5, 9)[1], scores(5, 9)[-1]
    expect(page.get_by_role("status")).to_have_text(
        f"Pair 1: the query is rotated by 5 × 0.1 = 0.500, the key by 0.900. Its part of the score is {part}; "
        f"the score is {whole} wherever the query stands 4 before the key."
    )


def test_it_says_when_both_stand_at_one_place(page: Page) -> None:
    stand(page, 7, 7)

    expect(page.get_by_role("status")).to_contain_text("wherever the query stands where the key does.")


@pytest.mark.parametrize(("scheme", "width"), [("default", 1280), ("slate", 375)])
def test_it_is_accessible_and_stays_in_the_page(
    open_widget: Callable[..., Page], overflow: Callable[[Page], int], scheme: str, width: int
) -> None:
    page = open_widget(TAG, scheme=scheme, width=width)
    page.get_by_role("radio").nth(2).check()
    stand(page, 60, 3)
    assert violations(page) == []
    assert overflow(page) <= 0
