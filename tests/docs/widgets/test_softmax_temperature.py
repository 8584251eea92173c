"""<softmax-temperature>: the same scores, multiplied, make a peak at which learning stalls."""

import json
from collections.abc import Callable

import pytest
import torch
from chromium import violations
from playwright.sync_api import Page

pytestmark = pytest.mark.slow

SCORES = [0.1, -0.2, 0.3, -0.2, 0.5]
LABELS = ["first", "second", "third", "fourth", "fifth"]
TAG = f"<softmax-temperature scores='{SCORES}' labels='{json.dumps(LABELS)}'></softmax-temperature>"


@pytest.fixture
def page(open_widget: Callable[..., Page]) -> Page:
    return open_widget(TAG)


def weights(page: Page) -> list[str]:
    return page.locator(".number:nth-child(3)").all_inner_texts()


@pytest.mark.parametrize("factor", [1, 8, 80])
def test_each_button_shows_torchs_softmax_of_the_multiplied_scores(page: Page, factor: int) -> None:
    page.get_by_role("button", name=f"×{factor}", exact=True).click()

    assert weights(page) == [f"{weight:.4f}" for weight in (factor * torch.tensor(SCORES)).softmax(0)]


def test_the_slider_meets_one_and_eight_exactly(page: Page) -> None:
    slider = page.get_by_role("slider", name="Scores times")
    last = int(slider.get_attribute("max") or 0)

    met = set()
    slider.press("Home")
    for _ in range(last):
        slider.press("ArrowRight")
        met.add(slider.get_attribute("aria-valuetext"))

    assert {"×1", "×8", "×80"} <= met


@pytest.mark.parametrize(("scheme", "width"), [("default", 1280), ("slate", 375)])
def test_axe_finds_nothing_and_nothing_overflows(
    open_widget: Callable[..., Page],
    overflow: Callable[[Page], int],
    scheme: str,
    width: int,
) -> None:
    page = open_widget(TAG, scheme=scheme, width=width)

    assert violations(page) == []
    assert overflow(page) == 0
