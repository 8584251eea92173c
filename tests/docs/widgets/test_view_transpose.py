"""<view-transpose>: the four pictures hold what torch holds, and every number is found again in all of them."""

from collections.abc import Callable

import pytest
import torch
from chromium import violations
from playwright.sync_api import Locator, Page, expect
from torch import Tensor

pytestmark = pytest.mark.slow

TENSOR = torch.arange(1, 19).view(3, 6)
PICTURES = {
    "the tensor": TENSOR,
    "view, shape (3, 2, 3)": TENSOR.view(3, 2, 3),
    "exchanged": TENSOR.view(3, 2, 3).transpose(0, 1),
    "view, shape (2, 3, 3)": TENSOR.view(2, 3, 3),
}
ASTRAY = (TENSOR.view(2, 3, 3) != TENSOR.view(3, 2, 3).transpose(0, 1)).flatten()
SLOWLY = 700  # milliseconds from one number to the next


@pytest.fixture
def page(open_widget: Callable[..., Page]) -> Page:
    return open_widget("<view-transpose></view-transpose>")


@pytest.fixture
def stopped(open_widget: Callable[..., Page]) -> Page:
    """The widget on a page on which time stands still but for page.clock.run_for."""
    return open_widget("<view-transpose></view-transpose>", stopped=True)


def test_each_picture_holds_the_numbers_of_torch(page: Page) -> None:
    shown = {name: numbers(picture(page, name)) for name in PICTURES}
    assert shown == {name: tensor.flatten().tolist() for name, tensor in PICTURES.items()}


def test_beside_each_picture_stand_the_strides_of_torch(page: Page) -> None:
    shown = {name: picture(page, name).locator(".view-strides").inner_text() for name in PICTURES}
    assert shown == {name: f"strides {tensor.stride()}" for name, tensor in PICTURES.items()}


def test_on_the_narrowest_phone_all_is_seen_and_memory_has_two_full_lines(open_widget: Callable[..., Page]) -> None:
    page = open_widget("<view-transpose></view-transpose>", width=320)
    rights = page.locator("view-transpose :is(td, button, output)").evaluate_all(
        "all => all.map(one => one.getBoundingClientRect().right)"
    )
    tops = page.locator(".memory-strip span").evaluate_all("all => all.map(one => one.offsetTop)")

    assert max(rights) <= 320 - 27
    assert [tops.count(top) for top in sorted(set(tops))] == [9, 9]


def test_each_picture_names_its_shape(page: Page) -> None:
    shown = {name: picture(page, name).locator(".view-title b").inner_text() for name in PICTURES}
    assert shown == {name: str(tuple(tensor.shape)) for name, tensor in PICTURES.items()}


def test_other_sizes_hold_the_numbers_of_torch(open_widget: Callable[..., Page]) -> None:
    page = open_widget('<view-transpose tokens="4" heads="3" head-dim="2"></view-transpose>')
    tensor: Tensor = torch.arange(1, 25).view(4, 3, 2).transpose(0, 1)
    assert numbers(picture(page, "exchanged")) == tensor.flatten().tolist()
    expect(picture(page, "exchanged").locator(".view-strides")).to_have_text(f"strides {tensor.stride()}")


def test_arrow_keys_step_through_memory_and_light_the_number_in_all_pictures_and_in_the_strip(page: Page) -> None:
    page.get_by_role("slider").focus()
    for _ in range(6):
        page.keyboard.press("ArrowRight")
    assert lit(page) == ["7", "7", "7", "7", "7"]


def test_it_says_where_each_way_puts_the_number(page: Page) -> None:
    page.get_by_role("slider").fill("7")
    expect(page.get_by_role("status")).to_have_text(
        "Number 7 is in token 2, in the part of head 1. Exchanged, it stands under head 1, token 2. "
        "View alone puts it under head 1, token 3: wrong."
    )


def test_it_says_where_view_alone_happens_to_be_right(page: Page) -> None:
    page.get_by_role("slider").fill("18")
    expect(page.get_by_role("status")).to_contain_text("View alone puts it there too.")


def test_what_view_alone_calls_token_2_of_head_1_is_the_second_half_of_token_1(page: Page) -> None:
    expect(page.get_by_text("What it calls head 1, token 2 is 4 5 6: in truth head 2 of token 1.")).to_be_visible()


def test_exactly_the_numbers_that_part_from_the_exchange_are_marked(page: Page) -> None:
    marked = "cells => cells.map(cell => cell.classList.contains('astray'))"
    assert cells(picture(page, "view, shape (2, 3, 3)")).evaluate_all(marked) == ASTRAY.tolist()


def test_the_mark_is_a_sign_and_words_and_not_only_a_colour(page: Page) -> None:
    cell = picture(page, "view, shape (2, 3, 3)").get_by_role("cell", name="7 in the wrong place")
    assert "≠" in cell.evaluate("cell => getComputedStyle(cell, '::after').content")


def test_with_one_head_view_alone_does_no_harm(open_widget: Callable[..., Page]) -> None:
    page = open_widget('<view-transpose heads="1"></view-transpose>')
    expect(page.get_by_text("With these sizes nothing goes astray.")).to_be_visible()
    assert page.locator(".astray").count() == 0


def test_a_number_that_is_clicked_lights_up_everywhere(page: Page) -> None:
    cells(picture(page, "exchanged")).nth(3).click()
    assert lit(page) == ["7", "7", "7", "7", "7"]
    expect(page.get_by_role("slider")).to_have_value("7")


def test_a_number_that_is_tapped_lights_up_everywhere(open_widget: Callable[..., Page]) -> None:
    page = open_widget("<view-transpose></view-transpose>", width=375, touch=True)
    cells(picture(page, "the tensor")).nth(9).tap()
    assert lit(page) == ["10", "10", "10", "10", "10"]


def test_play_reads_on_number_by_number(stopped: Page) -> None:
    stopped.get_by_role("button", name="Play").click()
    stopped.clock.run_for(3 * SLOWLY)
    assert lit(stopped)[0] == "4"


def test_pause_stops_where_it_is(stopped: Page) -> None:
    stopped.get_by_role("button", name="Play").click()
    stopped.clock.run_for(2 * SLOWLY)
    stopped.get_by_role("button", name="Pause").click()
    stopped.clock.run_for(5 * SLOWLY)
    assert lit(stopped)[0] == "3"


def test_play_ends_at_the_last_number(stopped: Page) -> None:
    stopped.get_by_role("button", name="Play").click()
    stopped.clock.run_for(30 * SLOWLY)
    assert lit(stopped)[0] == "18"
    expect(stopped.get_by_role("button", name="Play")).to_be_visible()


def test_play_at_the_end_starts_anew(stopped: Page) -> None:
    stopped.get_by_role("slider").fill("18")
    stopped.get_by_role("button", name="Play").click()
    assert lit(stopped)[0] == "1"


def test_screen_readers_do_not_hear_every_number_while_it_plays(stopped: Page) -> None:
    stopped.get_by_role("button", name="Play").click()
    expect(stopped.get_by_role("status")).to_have_attribute("aria-live", "off")
    stopped.get_by_role("button", name="Pause").click()
    expect(stopped.get_by_role("status")).not_to_have_attribute("aria-live", "off")


@pytest.mark.parametrize(("scheme", "width"), [("default", 1280), ("slate", 375)])
def test_it_is_accessible_and_stays_in_the_page(
    open_widget: Callable[..., Page],
    overflow: Callable[[Page], int],
    scheme: str,
    width: int,
) -> None:
    page = open_widget("<view-transpose></view-transpose>", scheme=scheme, width=width)
    page.get_by_role("slider").fill("7")
    assert violations(page) == []
    assert overflow(page) <= 0


@pytest.mark.parametrize("width", [375, 1280])
def test_no_picture_has_to_be_scrolled(open_widget: Callable[..., Page], width: int) -> None:
    page = open_widget("<view-transpose></view-transpose>", width=width)
    fits = "boxes => boxes.every(box => box.scrollWidth <= box.clientWidth)"
    assert page.locator(".view-picture").evaluate_all(fits)


def picture(page: Page, name: str) -> Locator:
    return page.get_by_role("group", name=name)


def cells(one: Locator) -> Locator:
    return one.locator("td")


def numbers(one: Locator) -> list[int]:
    """What stands in a picture, in reading order."""
    return [int(text.split()[0]) for text in cells(one).all_inner_texts()]


def lit(page: Page) -> list[str]:
    """The numbers that are lit: one in each picture and one in the strip."""
    return [text.split()[0] for text in page.locator(".lit").all_inner_texts()]
