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


@pytest.mark.parametrize("pair", range(4))
def test_the_arrows_point_where_torch_turns_them(page: Page, pair: int) -> None:
    page.get_by_role("radio").nth(pair).check()
    stand(page, 50, 20)

    arrows = page.locator("figure .arrow:not(.pale)").evaluate_all(
        "all => all.map(one => -one.transform.baseVal[0].angle * Math.PI / 180)"
    )
    right = [turned(QUERY, 50)[pair].angle().item(), turned(KEY, 20)[pair].angle().item()]
    assert arrows == pytest.approx(right, abs=1e-4)


@pytest.mark.parametrize(("scheme", "width"), [("default", 1280), ("slate", 375)])
def test_it_is_accessible_and_stays_in_the_page(
    open_widget: Callable[..., Page], overflow: Callable[[Page], int], scheme: str, width: int
) -> None:
    page = open_widget(TAG, scheme=scheme, width=width)
    page.get_by_role("radio").nth(2).check()
    stand(page, 60, 3)
    assert violations(page) == []
    assert overflow(page) <= 0
