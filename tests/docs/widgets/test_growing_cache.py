"""<growing-cache>: tokens fed one by one or in chunks get the weights and the context of one pass."""

import json
from collections.abc import Callable

import pytest
import torch
from chromium import violations
from playwright.sync_api import Page
from torch.nn.functional import scaled_dot_product_attention

from course.attention.example_inputs import JOURNEY_TOKENS, journey, lecture_weights

pytestmark = pytest.mark.slow

QUERIES, KEYS, VALUES = (journey() @ weights for weights in lecture_weights())
WEIGHTS = (QUERIES @ KEYS.T / 2**0.5).masked_fill(torch.ones(6, 6, dtype=torch.bool).triu(1), -torch.inf).softmax(1)
CONTEXT = scaled_dot_product_attention(QUERIES, KEYS, VALUES, is_causal=True)
TAG = f"""<growing-cache queries="{QUERIES.tolist()}" keys="{KEYS.tolist()}" values="{VALUES.tolist()}"
  labels='{json.dumps(JOURNEY_TOKENS)}'></growing-cache>"""


@pytest.fixture
def page(open_widget: Callable[..., Page]) -> Page:
    return open_widget(TAG)


def table(page: Page, caption: str) -> list[list[str]]:
    """The rows of a table of the widget, without their names."""
    rows = page.get_by_role("table", name=caption).locator("tbody tr")
    return [row.locator("td").all_inner_texts() for row in rows.all()]


def feed(page: Page, at_once: int, steps: int) -> None:
    page.get_by_role("radio", name=str(at_once), exact=True).check()
    for _ in range(steps):
        page.get_by_role("button", name="Next").click()


def printed(numbers: torch.Tensor, decimals: int = 4) -> list[str]:
    return [f"{number:.{decimals}f}" for number in numbers.tolist()]


@pytest.mark.parametrize("at_once", [1, 2, 3])
def test_every_token_gets_the_context_of_one_pass(page: Page, at_once: int) -> None:
    feed(page, at_once, 6 // at_once - 1)

    assert [cell.split() for (cell,) in table(page, "Context")] == [printed(row) for row in CONTEXT]


@pytest.mark.parametrize(("at_once", "cached", "anew"), [(1, 18, 63), (2, 18, 36), (3, 18, 27)])
def test_it_counts_projections_with_and_without_the_cache(page: Page, at_once: int, cached: int, anew: int) -> None:
    feed(page, at_once, 6 // at_once - 1)

    assert page.locator("dd").all_inner_texts() == [str(cached), str(anew), "24"]


def test_arrow_keys_step_forward(page: Page) -> None:
    page.get_by_role("slider", name="Tokens").focus()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowRight")

    assert table(page, "Weights, (1, 3)")[2] == [*printed(WEIGHTS[2, :3]), "", "", ""]


def test_a_last_chunk_may_be_smaller(open_widget: Callable[..., Page]) -> None:
    five = [numbers[:5].tolist() for numbers in (QUERIES, KEYS, VALUES)]
    page = open_widget(
        f"<growing-cache queries='{five[0]}' keys='{five[1]}' values='{five[2]}' "
        f"labels='{json.dumps(JOURNEY_TOKENS[:5])}'></growing-cache>"
    )

    feed(page, 3, 1)

    assert len(table(page, "Weights, (2, 5)")) == 5


@pytest.mark.parametrize(("scheme", "width"), [("default", 1280), ("slate", 375)])
def test_it_is_accessible_and_stays_in_the_page(
    open_widget: Callable[..., Page], overflow: Callable[[Page], int], scheme: str, width: int
) -> None:
    page = open_widget(TAG, scheme=scheme, width=width)
    feed(page, 3, 1)
    assert violations(page) == []
    assert overflow(page) <= 0
