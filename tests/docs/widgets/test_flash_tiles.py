"""<flash-tiles>: whatever the tiles, the last context is that of one softmax, and only one tile of scores exists."""

import json
from collections.abc import Callable

import pytest
import torch
from chromium import violations
from playwright.sync_api import Page, expect
from torch.nn.functional import scaled_dot_product_attention

from course.attention.example_inputs import JOURNEY_TOKENS, journey, lecture_weights

pytestmark = pytest.mark.slow

QUERIES, KEYS, VALUES = (journey() @ weights for weights in lecture_weights())
SCORES = QUERIES @ KEYS.T / 2**0.5
JOURNEY = 1
TAG = f"""<flash-tiles queries="{QUERIES.tolist()}" keys="{KEYS.tolist()}" values="{VALUES.tolist()}"
  labels='{json.dumps(JOURNEY_TOKENS)}'></flash-tiles>"""


@pytest.fixture
def page(open_widget: Callable[..., Page]) -> Page:
    return open_widget(TAG)


def choose(page: Page, words: str) -> None:
    page.get_by_role("radio", name=words, exact=True).check()


def go_to(page: Page, step: int) -> None:
    page.get_by_role("slider", name="Tile").fill(str(step))


def lines(page: Page) -> list[list[str]]:
    """What is known of the chosen row, line by line."""
    return [row.locator("td").all_inner_texts() for row in page.locator(".flash-row tbody tr").all()]


def scores(page: Page) -> list[list[str]]:
    return [row.locator("td").all_inner_texts() for row in page.locator(".flash-scores tbody tr").all()]


def printed(numbers: torch.Tensor, decimals: int = 4) -> list[str]:
    return [f"{number:.{decimals}f}" for number in numbers.tolist()]


@pytest.mark.parametrize("mask", ["none", "causal"])
@pytest.mark.parametrize(("size", "tiles"), [("1", 6), ("2", 3), ("4", 2), ("all 6", 1)])
def test_each_row_ends_with_torchs_context(page: Page, size: str, tiles: int, mask: str) -> None:
    choose(page, size)
    choose(page, mask)
    go_to(page, tiles)
    right = scaled_dot_product_attention(QUERIES, KEYS, VALUES, is_causal=mask == "causal")
    for query, label in enumerate(JOURNEY_TOKENS):
        choose(page, label)
        assert [line[2] for line in lines(page)] == printed(right[query])
        assert [line[3] for line in lines(page)] == printed(right[query])


def test_only_the_scores_of_the_current_tile_exist(page: Page) -> None:
    choose(page, "2")
    go_to(page, 1)

    for row, right in zip(scores(page), SCORES, strict=True):
        assert row == ["forgotten"] * 2 + printed(right[2:4], 2) + ["not yet"] * 2


def test_a_larger_maximum_corrects_the_sum_and_the_context_so_far(page: Page) -> None:
    go_to(page, 1)

    first, second = SCORES[JOURNEY, :2]
    correction = (first - second).exp()
    maximum, total, *context = lines(page)
    assert maximum == [*printed(first[None]), "", *printed(second[None]), *printed(second[None])]
    assert total == printed(torch.stack([torch.tensor(1.0), correction, torch.tensor(1.0), 1 + correction]))
    for line, before, here in zip(context, VALUES[0], VALUES[1], strict=True):
        assert line == printed(torch.stack([before, correction, here, before * correction + here]))


def test_arrow_keys_step_through_the_tiles(page: Page) -> None:
    page.get_by_role("slider", name="Tile").focus()
    page.keyboard.press("ArrowRight")

    expect(page.get_by_role("slider", name="Tile")).to_have_attribute("aria-valuetext", "3 of 6")


@pytest.mark.parametrize(("scheme", "width"), [("default", 1280), ("slate", 375)])
def test_it_is_accessible_and_stays_in_the_page(
    open_widget: Callable[..., Page], overflow: Callable[[Page], int], scheme: str, width: int
) -> None:
    page = open_widget(TAG, scheme=scheme, width=width)
    choose(page, "causal")
    go_to(page, 3)
    assert violations(page) == []
    assert overflow(page) <= 0
