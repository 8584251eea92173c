"""<causal-mask>: every way from scores to weights shows torch's numbers, and the shown mask works in torch."""

import json
import math
from collections.abc import Callable

import pytest
import torch
from chromium import violations
from playwright.sync_api import Page, expect
from torch import Tensor
from torch.nn.functional import scaled_dot_product_attention

pytestmark = pytest.mark.slow

LABELS = ["Your", "journey", "starts", "with", "one", "step"]
D_K = 2
SCORES = torch.tensor(
    [
        [0.9231, 1.3545, 1.3241, 0.7910, 0.4032, 1.1330],
        [1.2705, 1.8524, 1.8111, 1.0795, 0.5577, 1.5440],
        [1.2544, 1.8284, 1.7877, 1.0654, 0.5508, 1.5238],
        [0.6973, 1.0167, 0.9941, 0.5925, 0.3061, 0.8475],
        [0.6114, 0.8819, 0.8626, 0.5121, 0.2707, 0.7307],
        [0.8995, 1.3165, 1.2871, 0.7682, 0.3937, 1.0996],
    ],
    dtype=torch.float64,
)
HIDDEN = torch.ones(6, 6, dtype=torch.bool).triu(1)
UNMASKED = torch.softmax(SCORES / math.sqrt(D_K), dim=-1)
CUT = UNMASKED.masked_fill(HIDDEN, 0.0)
MASKED = torch.softmax(SCORES.masked_fill(HIDDEN, -torch.inf) / math.sqrt(D_K), dim=-1)

TAG = f"<causal-mask scores='{SCORES.tolist()}' labels='{json.dumps(LABELS)}' d-k='{D_K}'></causal-mask>"


@pytest.fixture
def page(open_widget: Callable[..., Page]) -> Page:
    return open_widget(TAG)


@pytest.mark.parametrize(
    ("way", "weights"),
    [
        ("before softmax", MASKED),
        ("after, renormalised", MASKED),
        ("after softmax only", CUT),
        ("no mask", UNMASKED),
    ],
)
def test_each_way_ends_with_the_weights_of_torch(page: Page, way: str, weights: Tensor) -> None:
    choose(page, way)
    assert [last_column(page, label) for label in LABELS] == [shown(row) for row in weights]


def test_masking_after_softmax_says_how_much_of_the_row_is_lost(page: Page) -> None:
    choose(page, "after softmax only")
    expect(page.get_by_role("status")).to_contain_text("0.1500 + 0.2264 = 0.3764: not 1. The hidden keys took 0.6236")


def test_arrow_keys_choose_the_next_query(page: Page) -> None:
    page.get_by_role("radio", name="journey").focus()
    page.keyboard.press("ArrowDown")
    expect(page.get_by_role("caption")).to_have_text("The row of “starts”")


def test_torch_takes_the_mask_of_the_other_convention_and_gives_the_same_weights(page: Page) -> None:
    choose(page, "True may be seen")
    keys = torch.eye(6, dtype=torch.float64)  # so that queries · keys are the scores, and the context is the weights
    weights = scaled_dot_product_attention(SCORES, keys, keys, attn_mask=shown_mask(page), scale=1 / math.sqrt(D_K))
    torch.testing.assert_close(weights, MASKED)


@pytest.mark.parametrize(("scheme", "width"), [("default", 1280), ("slate", 375)])
def test_it_is_accessible_and_stays_in_the_page(
    open_widget: Callable[..., Page],
    overflow: Callable[[Page], int],
    scheme: str,
    width: int,
) -> None:
    page = open_widget(TAG, scheme=scheme, width=width)
    choose(page, "after, renormalised")
    assert violations(page) == []
    assert overflow(page) <= 0


def choose(page: Page, words: str) -> None:
    page.get_by_role("radio", name=words, exact=True).check()


def last_column(page: Page, query: str) -> list[str]:
    """The weights of a query."""
    choose(page, query)
    return page.locator(".mask-numbers tbody td:last-child").all_inner_texts()


def shown(row: Tensor) -> list[str]:
    """A row as the widget prints it: what is hidden is a plain 0."""
    return [f"{number:.4f}" if number else "0" for number in row.tolist()]


def shown_mask(page: Page) -> Tensor:
    texts = page.locator(".mask-table tr[data-query] td").all_inner_texts()
    return torch.tensor([text == "True" for text in texts]).view(6, 6)
