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


def test_the_heads_of_keys_are_the_divisors_with_their_names(page: Page) -> None:
    choice = page.get_by_role("group", name="Heads of keys and values")

    assert choice.locator("span").all_inner_texts() == ["8 MHA", "4 GQA", "2 GQA", "1 MQA"]


@pytest.mark.parametrize("kv", [1, 2, 4, 8])
def test_query_heads_ask_as_repeat_interleave_has_it(page: Page, kv: int) -> None:
    share(page, kv)

    assert asked(page) == torch.arange(kv).repeat_interleave(8 // kv).tolist()


@pytest.mark.parametrize("kv", [1, 2, 4, 8])
def test_the_wrong_order_is_that_of_repeat(page: Page, kv: int) -> None:
    share(page, kv)
    page.get_by_role("button", name=WRONG).click()

    assert asked(page) == torch.arange(kv).repeat(8 // kv).tolist()


def test_it_does_not_name_the_function_that_the_exercise_asks_for(page: Page) -> None:
    expect(page.locator("head-sharing")).not_to_contain_text("repeat_interleave")


@pytest.mark.parametrize(("kv", "astray"), [(1, 0), (2, 4), (4, 6), (8, 0)])
def test_exactly_the_heads_that_ask_the_wrong_keys_are_marked(page: Page, kv: int, astray: int) -> None:
    share(page, kv)
    page.get_by_role("button", name=WRONG).click()

    assert page.locator("label.astray").count() == astray
    assert page.locator("line.astray").count() == astray


def test_the_mark_is_a_sign_and_not_only_a_colour(page: Page) -> None:
    page.get_by_role("button", name=WRONG).click()

    assert "≠" in page.locator("label.astray").first.evaluate("one => getComputedStyle(one, '::after').content")


def test_the_switch_says_whether_it_is_on_and_leads_back(page: Page) -> None:
    switch = page.get_by_role("button", name=WRONG)

    switch.click()
    expect(switch).to_have_attribute("aria-pressed", "true")
    switch.click()
    expect(switch).to_have_attribute("aria-pressed", "false")

    assert page.locator(".astray").count() == 0


@pytest.mark.parametrize(
    ("kv", "kept", "part"),
    [
        (8, "2 × 8 × 128 = 2\u202f048", "all"),
        (2, "2 × 2 × 128 = 512", "1 / 4"),
        (1, "2 × 1 × 128 = 256", "1 / 8"),
    ],
)
def test_it_counts_what_is_kept_for_a_token(page: Page, kv: int, kept: str, part: str) -> None:
    share(page, kv)

    assert page.locator("dd").all_inner_texts() == [kept, part]


def test_it_says_the_order_and_the_rule_of_the_chosen_head(page: Page) -> None:
    share(page, 2)
    page.get_by_role("group", name="Query heads").locator("input[value='6']").check()

    expect(page.get_by_role("status")).to_have_text(
        "The keys repeated: 0 0 0 0 1 1 1 1. Query head 6 asks key head 6 // 4 = 1."
    )


def test_it_says_how_many_heads_the_wrong_order_leads_astray_and_where_the_chosen_one_goes(page: Page) -> None:
    page.get_by_role("button", name=WRONG).click()

    expect(page.get_by_role("status")).to_have_text(
        "The keys repeated: 0 1 2 3 0 1 2 3. 6 of 8 query heads ask keys that are not theirs (≠). "
        "Query head 1 asks key head 1, and should ask 1 // 2 = 0."
    )


@pytest.mark.parametrize("kv", [1, 8])
def test_it_says_where_the_mistake_cannot_be_seen(page: Page, kv: int) -> None:
    share(page, kv)
    page.get_by_role("button", name=WRONG).click()

    expect(page.get_by_role("status")).to_contain_text("both orders are the same")


def test_each_head_of_keys_has_a_colour_of_its_own(page: Page) -> None:
    share(page, 8)

    borders = page.locator(".sharing-keys li").evaluate_all("all => all.map(one => getComputedStyle(one).borderColor)")
    assert len(set(borders)) == 8


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


@pytest.mark.parametrize("width", [375, 1280])
def test_each_line_begins_in_the_middle_of_its_query_head(open_widget: Callable[..., Page], width: int) -> None:
    page = open_widget(TAG, width=width)

    middles = page.locator(".sharing-queries label").evaluate_all(
        "all => all.map(one => one.getBoundingClientRect()).map(box => box.x + box.width / 2)"
    )
    begins = page.locator(".sharing-lines").evaluate(
        """picture => {
            const box = picture.getBoundingClientRect();
            return [...picture.children].map(line => box.x + box.width * line.getAttribute("x1"));
        }"""
    )
    assert begins == pytest.approx(middles, abs=0.5)
