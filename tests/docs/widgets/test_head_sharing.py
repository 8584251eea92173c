"""<head-sharing>: each query head asks the head of keys that torch's repeat_interleave gives it, and `repeat` does not."""

from collections.abc import Callable

import pytest
import torch
from chromium import violations
from playwright.sync_api import Page, expect

pytestmark = pytest.mark.slow

TAG = '<head-sharing heads="8" head-dim="128"></head-sharing>'
WRONG = "repeat in the wrong order"


@pytest.fixture
def page(open_widget: Callable[..., Page]) -> Page:
    return open_widget(TAG)


def share(page: Page, kv: int) -> None:
    page.get_by_role("group", name="Heads of keys and values").locator(f"input[value='{kv}']").check()


def asked(page: Page) -> list[int]:
    """Which head of keys each query head asks, by where its line ends."""
    kv = page.locator(".sharing-keys li").count()
    ends = page.locator(".sharing-lines line").evaluate_all("lines => lines.map(line => line.getAttribute('x2'))")
    return [int(float(end) * kv) for end in ends]


@pytest.mark.parametrize("kv", [1, 2, 4, 8])
def test_query_heads_ask_as_repeat_interleave_has_it(page: Page, kv: int) -> None:
    share(page, kv)

    assert asked(page) == torch.arange(kv).repeat_interleave(8 // kv).tolist()


@pytest.mark.parametrize(("kv", "astray"), [(1, 0), (2, 4), (4, 6), (8, 0)])
def test_exactly_the_heads_that_ask_the_wrong_keys_are_marked(page: Page, kv: int, astray: int) -> None:
    share(page, kv)
    page.get_by_role("button", name=WRONG).click()

    assert page.locator("label.astray").count() == astray
    assert page.locator("line.astray").count() == astray


def test_arrow_keys_choose_the_next_query_head(page: Page) -> None:
    page.get_by_role("group", name="Query heads").locator("input[value='5']").focus()
    page.keyboard.press("ArrowRight")

    expect(page.get_by_role("status")).to_contain_text("Query head 6 asks")


@pytest.mark.parametrize(("scheme", "width"), [("default", 1280), ("slate", 375)])
def test_it_is_accessible_and_stays_in_the_page(
    open_widget: Callable[..., Page], overflow: Callable[[Page], int], scheme: str, width: int
) -> None:
    page = open_widget(TAG, scheme=scheme, width=width)
    share(page, 8)
    page.get_by_role("button", name=WRONG).click()
    assert violations(page) == []
    assert overflow(page) <= 0
