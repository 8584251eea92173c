"""<causal-mask>: every way from scores to weights shows torch's numbers, and the shown mask works in torch."""

import json
import math
import re
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


def test_the_first_rows_are_those_of_the_lecture(page: Page) -> None:
    assert last_column(page, "Your")[:1] == ["1.0000"]
    assert last_column(page, "journey")[:2] == ["0.3986", "0.6014"]


def test_a_hidden_score_is_minus_infinity_before_softmax(page: Page) -> None:
    choose(page, "starts")
    assert column(page, "masked") == ["1.2544", "1.8284", "1.7877", "−∞", "−∞", "−∞"]


def test_a_score_is_as_dark_in_each_stage_as_it_is_large(page: Page) -> None:
    choose(page, "no mask")
    shares = [
        page.locator(f".mask-matrix:nth-child({stage}) i").evaluate_all(
            "all => all.map(one => Number(one.style.getPropertyValue('--share')))"
        )
        for stage in (1, 2)
    ]
    least, most = SCORES.min().item() / math.sqrt(D_K), SCORES.max().item()

    for stage, scores in zip(shares, (SCORES, SCORES / math.sqrt(D_K)), strict=True):
        assert stage == pytest.approx(((scores - least) / (most - least)).flatten().tolist(), abs=1e-3)


def test_scores_are_divided_by_the_root_of_d_k(page: Page) -> None:
    choose(page, "no mask")
    choose(page, "step")
    assert column(page, "÷ √2") == shown(SCORES[5] / math.sqrt(D_K))


def test_beside_each_row_of_weights_stands_its_sum(page: Page) -> None:
    choose(page, "after softmax only")
    sums = [f"{row.sum():.4f}" for row in CUT]
    assert page.locator(".mask-matrix").last.locator("b").all_inner_texts() == ["sum", *sums]


def test_the_sum_of_the_chosen_row_is_written_out(page: Page) -> None:
    expect(page.get_by_role("status")).to_contain_text("journey: 0.3986 + 0.6014 = 1.0000")


def test_masking_after_softmax_says_how_much_of_the_row_is_lost(page: Page) -> None:
    choose(page, "after softmax only")
    expect(page.get_by_role("status")).to_contain_text("0.1500 + 0.2264 = 0.3764: not 1. The hidden keys took 0.6236")


def test_the_repaired_row_says_what_it_was_divided_by(page: Page) -> None:
    choose(page, "after, renormalised")
    expect(page.get_by_role("status")).to_contain_text(
        "0.1500 + 0.2264 = 0.3764 is left. Each divided by it: 0.3986 + 0.6014"
    )


def test_without_a_mask_it_says_how_much_goes_to_the_future(page: Page) -> None:
    choose(page, "no mask")
    expect(page.get_by_role("status")).to_contain_text("of which 0.6236 goes to tokens that come later")


def test_arrow_keys_choose_the_next_query(page: Page) -> None:
    page.get_by_role("radio", name="journey").focus()
    page.keyboard.press("ArrowDown")
    expect(page.get_by_role("caption")).to_have_text("The row of “starts”")


def test_a_row_under_the_pointer_is_chosen(page: Page) -> None:
    page.locator(".mask-matrix").first.locator(".mask-row").nth(4).hover()
    expect(page.get_by_role("caption")).to_have_text("The row of “one”")
    expect(page.get_by_role("radio", name="one", exact=True)).to_be_checked()


def test_a_tapped_row_is_chosen(open_widget: Callable[..., Page]) -> None:
    page = open_widget(TAG, width=375, touch=True)
    page.locator(".mask-matrix").last.locator(".mask-row").nth(5).tap()
    expect(page.get_by_role("caption")).to_have_text("The row of “step”")


def test_in_the_convention_of_the_course_true_hides(page: Page) -> None:
    assert shown_mask(page).equal(HIDDEN)


def test_torch_takes_the_mask_of_the_other_convention_and_gives_the_same_weights(page: Page) -> None:
    choose(page, "True may be seen")
    keys = torch.eye(6, dtype=torch.float64)  # so that queries · keys are the scores, and the context is the weights
    weights = scaled_dot_product_attention(SCORES, keys, keys, attn_mask=shown_mask(page), scale=1 / math.sqrt(D_K))
    torch.testing.assert_close(weights, MASKED)


def test_without_a_mask_nothing_is_hidden(page: Page) -> None:
    choose(page, "no mask")
    assert not shown_mask(page).any()


def test_hidden_places_are_hatched_and_not_only_pale(page: Page) -> None:
    hidden = page.locator(".mask-matrix").last.locator("i.hidden")
    assert hidden.count() == 15
    assert "linear-gradient" in hidden.first.evaluate("cell => getComputedStyle(cell).backgroundImage")


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


def test_on_a_wide_page_all_five_stages_are_seen_without_scrolling(page: Page) -> None:
    choose(page, "after, renormalised")
    assert page.locator(".widget-scroll").evaluate("box => box.scrollWidth <= box.clientWidth")


def test_a_phone_shows_the_last_stage_of_each_way_without_scrolling(open_widget: Callable[..., Page]) -> None:
    page = open_widget(TAG, width=375)
    choose(page, "after, renormalised")
    expect(page.get_by_role("img")).to_have_accessible_name(re.compile("÷ sum"))
    assert page.locator(".widget-scroll").evaluate("box => box.scrollWidth <= box.clientWidth")


def test_a_phone_shows_the_stage_that_is_chosen(open_widget: Callable[..., Page]) -> None:
    page = open_widget(TAG, width=375)
    choose(page, "masked")
    expect(page.get_by_role("img")).to_have_accessible_name(re.compile("masked"))


def choose(page: Page, words: str) -> None:
    page.get_by_role("radio", name=words, exact=True).check()


def column(page: Page, stage: str) -> list[str]:
    """The numbers of the chosen query in a stage."""
    table = page.locator(".mask-numbers")
    place = table.locator("thead th").all_inner_texts().index(stage)
    return table.locator("tbody tr").locator(f"td:nth-of-type({place})").all_inner_texts()


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
