"""A walk through each widget with the keyboard, dark on a phone, and every night light at a desk: it answers, and is accessible."""

from collections.abc import Callable

import pytest
from chromium import violations
from playwright.sync_api import Page, expect

from . import tags

pytestmark = pytest.mark.slow


def press(page: Page, role: str, name: str, *keys: str) -> None:
    """Focus what has this role and name, and press keys one after the other."""
    page.get_by_role(role, name=name).focus()  # type: ignore[arg-type]
    for key in keys:
        page.keyboard.press(key)


def says(page: Page, words: str) -> None:
    expect(page.get_by_role("status")).to_contain_text(words)


def causal_mask(page: Page) -> None:
    page.get_by_role("radio", name="after softmax only").check()
    says(page, "0.1500 + 0.2264 = 0.3764: not 1. The hidden keys took 0.6236")
    press(page, "radio", "journey", "ArrowDown")
    expect(page.get_by_role("caption")).to_have_text("The row of “starts”")


def dot_product_variance(page: Page) -> None:
    press(page, "slider", "Numbers of a key, dₖ", "ArrowRight")
    press(page, "radio", "unscaled", "ArrowRight")
    says(page, "vectors with 6 numbers, ÷ √dₖ: variance")


def flash_tiles(page: Page) -> None:
    page.get_by_role("radio", name="causal").check()
    press(page, "slider", "Tile", "Home", "ArrowRight", "ArrowRight")
    expect(page.get_by_role("slider", name="Tile")).to_have_attribute("aria-valuetext", "3 of 6")


def growing_cache(page: Page) -> None:
    press(page, "slider", "Tokens", "ArrowRight", "ArrowRight")
    expect(page.get_by_role("table", name="Weights, (1, 3)")).to_be_visible()


def head_explorer(page: Page) -> None:
    token = page.locator(".explorer-tokens").get_by_role("radio")
    token.nth(11).check()
    says(page, "An induction head looks at ")
    page.keyboard.press("ArrowLeft")
    expect(token.nth(10)).to_be_checked()


def head_sharing(page: Page) -> None:
    page.get_by_role("button", name="repeat in the wrong order").click()
    page.get_by_role("group", name="Query heads").locator("input[value='5']").focus()
    page.keyboard.press("ArrowRight")
    says(page, "Query head 6 asks")


def head_split(page: Page) -> None:
    press(page, "slider", "Stage", "ArrowRight", "ArrowRight")
    expect(page.get_by_role("slider")).to_have_attribute("aria-valuetext", "3 of 6: grouped by head")
    page.get_by_role("button", name="Merge without exchanging back").click()
    page.get_by_role("slider", name="Stage").fill("6")
    says(page, "12 of 18 numbers are astray (≠)")


def induction_birth(page: Page) -> None:
    step = int(page.get_by_role("slider").input_value())
    page.get_by_role("slider").focus()
    page.keyboard.press("ArrowRight")
    says(page, f"Step {step + 10}:")


def live_gpt(page: Page) -> None:
    press(page, "switch", "Head 1.2", "Space")
    expect(page.get_by_role("switch", name="Head 1.2")).to_have_attribute("aria-checked", "false")
    expect(page.locator(".widget-says > span").first).to_contain_text("Head 1.2 is off.")


def matrix_products(page: Page) -> None:
    page.get_by_role("radio", name="scores").check()
    page.get_by_role("grid").locator("[tabindex='0']").focus()
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("ArrowUp")
    says(page, "Your, Your: ")
    page.get_by_role("radio", name="context").check()


def rotary_rotation(page: Page) -> None:
    page.get_by_role("radio").nth(2).check()
    slider = page.get_by_role("slider", name="Query at")
    slider.fill("59")
    slider.press("ArrowRight")
    expect(slider).to_have_value("60")


def softmax_temperature(page: Page) -> None:
    slider = page.get_by_role("slider", name="Scores times")
    before = slider.get_attribute("aria-valuetext") or ""
    slider.press("ArrowRight")
    expect(slider).not_to_have_attribute("aria-valuetext", before)


def view_transpose(page: Page) -> None:
    page.get_by_role("slider").focus()
    for _ in range(6):
        page.keyboard.press("ArrowRight")
    assert [text.split()[0] for text in page.locator(".lit").all_inner_texts()] == ["7"] * 5


def weighted_sum(page: Page) -> None:
    before = page.get_by_role("status").inner_text()
    press(page, "slider", "Direction", "ArrowRight")
    expect(page.get_by_role("status")).not_to_have_text(before)


def write_line(page: Page) -> None:
    page.get_by_role("textbox", name="Write the scores.").fill("queries @ kyes")
    expect(page.locator("mark")).to_have_text("kyes")
    expect(page.get_by_role("textbox")).to_have_attribute("aria-invalid", "true")
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    expect(page.locator(".line-hints li")).to_have_count(1)
    page.get_by_text("The numbers that go in").click()


WALKS: dict[Callable[[Page], None], str] = {
    causal_mask: tags.CAUSAL_MASK,
    dot_product_variance: tags.DOT_PRODUCT_VARIANCE,
    flash_tiles: tags.FLASH_TILES,
    growing_cache: tags.GROWING_CACHE,
    head_explorer: tags.HEAD_EXPLORER,
    head_sharing: tags.HEAD_SHARING,
    head_split: tags.HEAD_SPLIT,
    induction_birth: tags.INDUCTION_BIRTH,
    live_gpt: tags.LIVE_GPT,
    matrix_products: tags.MATRIX_PRODUCTS,
    rotary_rotation: tags.ROTARY_ROTATION,
    softmax_temperature: tags.SOFTMAX_TEMPERATURE,
    view_transpose: tags.VIEW_TRANSPOSE,
    weighted_sum: tags.WEIGHTED_SUM,
    write_line: "",
}


@pytest.mark.parametrize(
    ("scheme", "width"),
    [pytest.param("default", 1280, marks=pytest.mark.world), ("slate", 375)],
    ids=["desk", "phone"],
)
@pytest.mark.parametrize(("walk", "tag"), WALKS.items(), ids=[walk.__name__ for walk in WALKS])
def test_a_walk_with_the_keyboard_is_accessible_and_stays_in_the_page(
    open_widget: Callable[..., Page], walk: Callable[[Page], None], tag: str, scheme: str, width: int
) -> None:
    page = open_widget(tag or tags.write_line(), scheme=scheme, width=width, calm=True)
    walk(page)

    assert violations(page) == []
    assert page.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0
