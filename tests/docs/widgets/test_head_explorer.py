"""<head-explorer>: it shows the weights of the file, says where the chosen token looks, and outlines where it should."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from chromium import violations
from playwright.sync_api import Page, expect

pytestmark = pytest.mark.slow

TAG = "<head-explorer></head-explorer>"
FILE = Path(__file__).resolve().parents[3] / "docs" / "widgets" / "trained_heads.json"
TRAINED: dict[str, Any] = json.loads(FILE.read_text(encoding="utf-8"))
TWICE = TRAINED["inputs"][0]


@pytest.fixture
def open_explorer(open_widget: Callable[..., Page]) -> Callable[..., Page]:
    """Opens the explorer, and waits for its weights."""

    def open_explorer(**settings: Any) -> Page:
        page = open_widget(TAG, **settings)
        page.wait_for_selector(".explorer-map")
        return page

    return open_explorer


@pytest.fixture
def page(open_explorer: Callable[..., Page]) -> Page:
    return open_explorer()


def test_the_map_holds_the_weights_of_the_chosen_head(page: Page) -> None:
    choose_head(page, "1.2")

    expected = [number / 1000 for row in TWICE["after"][0][1] for number in row]
    assert shares(page, ".explorer-map i:not(.hidden)") == pytest.approx(expected)


def test_it_outlines_the_token_behind_the_last_occurrence(page: Page) -> None:
    token(page, 12).check()

    period = len(TWICE["tokens"]) // 2
    outlined = page.locator(".explorer-tokens .sought")
    expect(outlined).to_have_text(TWICE["tokens"][12 - period])
    expect(page.get_by_role("status")).to_contain_text(f"An induction head looks at {named(TWICE, 12 - period)}")


def test_arrow_keys_go_from_token_to_token(page: Page) -> None:
    token(page, 12).check()
    page.keyboard.press("ArrowLeft")

    expect(token(page, 11)).to_be_checked()
    expect(page.locator(".explorer-row.chosen")).to_have_attribute("data-place", "10")


def test_weights_that_do_not_arrive_are_told(open_widget: Callable[..., Page]) -> None:
    page = open_widget(TAG, first="globalThis.fetch = async () => new Response('no weights')")

    expect(page.get_by_role("status")).to_have_text(
        "The weights could not be loaded. Load the page again when you are online."
    )


@pytest.mark.parametrize(("scheme", "width"), [("default", 1280), ("slate", 375)])
def test_it_is_accessible(open_explorer: Callable[..., Page], scheme: str, width: int) -> None:
    assert violations(open_explorer(scheme=scheme, width=width)) == []


def choose_head(page: Page, name: str) -> None:
    page.locator(".explorer-heads label", has_text=name).get_by_role("radio").check()


def token(page: Page, number: int) -> Any:
    """The radio button of a token, counted from 1."""
    return page.locator(".explorer-tokens").get_by_role("radio").nth(number - 1)


def named(read: dict[str, Any], place: int) -> str:
    return f"“{read['tokens'][place]}” ({place + 1})"


def shares(page: Page, selector: str) -> list[float]:
    read = "found => found.map(one => Number(one.style.getPropertyValue('--share')))"
    return [float(number) for number in page.locator(selector).evaluate_all(read)]
