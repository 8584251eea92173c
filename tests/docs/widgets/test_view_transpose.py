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


def test_exactly_the_numbers_that_part_from_the_exchange_are_marked(page: Page) -> None:
    marked = "cells => cells.map(cell => cell.classList.contains('astray'))"
    assert cells(picture(page, "view, shape (2, 3, 3)")).evaluate_all(marked) == ASTRAY.tolist()


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
