"""<head-split>: every stage holds what torch holds, and only the exchange back makes merging give the input again."""

import json
from collections.abc import Callable

import pytest
import torch
from chromium import violations
from playwright.sync_api import Page, expect
from torch import Tensor

pytestmark = pytest.mark.slow

X = torch.tensor(
    [
        [-0.2705, -0.3346, -0.4582, 0.6342, -0.0257, 0.6895],
        [-0.2823, -0.6065, -0.6140, 0.4528, 0.0178, 0.6942],
        [-0.2511, -0.3628, -0.4498, 0.2973, -0.0592, 0.5851],
    ],
    dtype=torch.float64,
)
LABELS = ["token 1", "token 2", "token 3"]
TAG = f"<head-split x='{X.tolist()}' labels='{json.dumps(LABELS)}' heads='2'></head-split>"
MERGED = 6


@pytest.fixture
def page(open_widget: Callable[..., Page]) -> Page:
    return open_widget(TAG)


def stages(heads: int) -> list[Tensor]:
    split = X.view(3, heads, 6 // heads)
    grouped = split.transpose(0, 1)
    back = grouped.transpose(0, 1)
    return [X, split, grouped, grouped, back, back.reshape(3, 6)]


@pytest.mark.parametrize("heads", [1, 2, 3, 6])
def test_every_stage_holds_the_numbers_of_torch(page: Page, heads: int) -> None:
    choose_heads(page, heads)
    for number, tensor in enumerate(stages(heads), start=1):
        go_to(page, number)
        assert shown(page) == printed(tensor)


def test_exactly_the_scrambled_numbers_are_marked_and_counted(page: Page) -> None:
    page.get_by_role("button", name="Merge without exchanging back").click()
    go_to(page, MERGED)
    marked = page.locator("td").evaluate_all("cells => cells.map(cell => cell.classList.contains('astray'))")
    assert marked == (scrambled() != X).flatten().tolist()
    expect(page.get_by_role("status")).to_contain_text("12 of 18 numbers are astray (≠)")


def test_arrow_keys_move_through_the_stages_and_name_them(page: Page) -> None:
    page.get_by_role("slider", name="Stage").focus()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowRight")
    expect(page.get_by_role("slider")).to_have_attribute("aria-valuetext", "3 of 6: grouped by head")
    assert shown(page) == printed(stages(2)[2])


def test_nothing_glides_for_readers_who_want_less_motion(open_widget: Callable[..., Page]) -> None:
    page = open_widget(TAG, calm=True)
    go_to(page, 3)
    assert page.evaluate("document.getAnimations().length") == 0


@pytest.mark.parametrize(("scheme", "width"), [("default", 1280), ("slate", 375)])
def test_it_is_accessible(open_widget: Callable[..., Page], scheme: str, width: int) -> None:
    page = open_widget(TAG, scheme=scheme, width=width, calm=True)
    page.get_by_role("button", name="Merge without exchanging back").click()
    go_to(page, MERGED)
    assert violations(page) == []


def go_to(page: Page, stage: int) -> None:
    page.get_by_role("slider", name="Stage").fill(str(stage))


def choose_heads(page: Page, heads: int) -> None:
    page.get_by_role("group", name="Heads", exact=True).get_by_role("radio", name=str(heads)).check()


def scrambled() -> Tensor:
    return X.view(3, 2, 3).transpose(0, 1).reshape(3, 6)


def shown(page: Page) -> list[str]:
    """The numbers on the screen, in reading order."""
    return [text.split()[0] for text in page.locator(".head-screen td").all_inner_texts()]


def printed(tensor: Tensor) -> list[str]:
    return [f"{number:.4f}".replace("-", "−") for number in tensor.flatten().tolist()]
