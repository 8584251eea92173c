"""<softmax-temperature>: the same scores, multiplied, make a peak at which learning stalls."""

import json
from collections.abc import Callable

import pytest
import torch
from chromium import violations
from playwright.sync_api import Page, expect

pytestmark = pytest.mark.slow

SCORES = [0.1, -0.2, 0.3, -0.2, 0.5]
LABELS = ["first", "second", "third", "fourth", "fifth"]
TAG = f"<softmax-temperature scores='{SCORES}' labels='{json.dumps(LABELS)}'></softmax-temperature>"


@pytest.fixture
def page(open_widget: Callable[..., Page]) -> Page:
    return open_widget(TAG)


def weights(page: Page) -> list[str]:
    return page.locator(".number:nth-child(3)").all_inner_texts()


def test_it_starts_with_the_scores_as_they_are(page: Page) -> None:
    assert weights(page) == ["0.1925", "0.1426", "0.2351", "0.1426", "0.2872"]


@pytest.mark.parametrize("factor", [1, 8, 80])
def test_each_button_shows_torchs_softmax_of_the_multiplied_scores(page: Page, factor: int) -> None:
    page.get_by_role("button", name=f"×{factor}", exact=True).click()

    assert weights(page) == [f"{weight:.4f}" for weight in (factor * torch.tensor(SCORES)).softmax(0)]


def test_the_status_says_the_peak_and_how_fast_it_still_learns(page: Page) -> None:
    page.get_by_role("button", name="×8", exact=True).click()

    expect(page.get_by_role("status")).to_have_text(
        "Scores times 8: the largest weight is 0.8000, for “fifth”. If its score grows by a little, "
        "the weight grows w (1 − w) = 0.1600 times as much."
    )


def test_the_slider_reaches_from_a_quarter_to_eighty(page: Page) -> None:
    slider = page.get_by_role("slider", name="Scores times")

    slider.press("Home")
    expect(slider).to_have_attribute("aria-valuetext", "×0.25")
    slider.press("End")
    expect(slider).to_have_attribute("aria-valuetext", "×80")


def test_the_slider_meets_one_and_eight_exactly(page: Page) -> None:
    slider = page.get_by_role("slider", name="Scores times")
    last = int(slider.get_attribute("max") or 0)

    met = set()
    slider.press("Home")
    for _ in range(last):
        slider.press("ArrowRight")
        met.add(slider.get_attribute("aria-valuetext"))

    assert {"×1", "×8", "×80"} <= met


def test_the_slider_says_which_button_it_stands_on(page: Page) -> None:
    page.get_by_role("button", name="×8", exact=True).click()
    page.get_by_role("slider", name="Scores times").press("ArrowRight")

    expect(page.get_by_role("button", name="×8", exact=True)).to_have_attribute("aria-pressed", "false")


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
