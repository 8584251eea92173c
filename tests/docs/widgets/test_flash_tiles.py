"""<flash-tiles>: whatever the tiles, the last context is that of one softmax, and only one tile of scores exists."""

import json
from collections.abc import Callable

import pytest
import torch
from chromium import violations
from playwright.sync_api import Page, expect
from torch.nn.functional import scaled_dot_product_attention

pytestmark = pytest.mark.slow

LABELS = ["Your", "journey", "starts", "with", "one", "step"]
INPUTS = torch.tensor(
    [
        [0.43, 0.15, 0.89],
        [0.55, 0.87, 0.66],
        [0.57, 0.85, 0.64],
        [0.22, 0.58, 0.33],
        [0.77, 0.25, 0.10],
        [0.05, 0.80, 0.55],
    ]
)
QUERIES, KEYS, VALUES = INPUTS @ torch.rand(3, 3, 2, generator=torch.Generator().manual_seed(123))
SCORES = QUERIES @ KEYS.T / 2**0.5
JOURNEY = 1
TAG = f"""<flash-tiles queries="{QUERIES.tolist()}" keys="{KEYS.tolist()}" values="{VALUES.tolist()}"
  labels='{json.dumps(LABELS)}'></flash-tiles>"""


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
    for query, label in enumerate(LABELS):
        choose(page, label)
        assert [line[2] for line in lines(page)] == printed(right[query])
        assert [line[3] for line in lines(page)] == printed(right[query])


def test_only_the_scores_of_the_current_tile_exist(page: Page) -> None:
    choose(page, "2")
    go_to(page, 1)

    for row, right in zip(scores(page), SCORES, strict=True):
        assert row == ["forgotten"] * 2 + printed(right[2:4], 2) + ["not yet"] * 2


def test_a_last_tile_may_be_smaller(page: Page) -> None:
    choose(page, "4")
    go_to(page, 1)

    assert scores(page)[0] == ["forgotten"] * 4 + printed(SCORES[0, 4:], 2)


def test_in_the_end_all_scores_are_forgotten(page: Page) -> None:
    go_to(page, 6)

    assert scores(page) == [["forgotten"] * 6] * 6


def test_causal_hides_later_keys_of_the_tile(page: Page) -> None:
    choose(page, "causal")
    go_to(page, 2)

    assert [row[2] for row in scores(page)] == ["−∞", "−∞", *printed(SCORES[2:, 2], 2)]


def test_a_larger_maximum_corrects_the_sum_and_the_context_so_far(page: Page) -> None:
    go_to(page, 1)

    first, second = SCORES[JOURNEY, :2]
    correction = (first - second).exp()
    maximum, total, *context = lines(page)
    assert maximum == [*printed(first[None]), "", *printed(second[None]), *printed(second[None])]
    assert total == printed(torch.stack([torch.tensor(1.0), correction, torch.tensor(1.0), 1 + correction]))
    for line, before, here in zip(context, VALUES[0], VALUES[1], strict=True):
        assert line == printed(torch.stack([before, correction, here, before * correction + here]))


@pytest.mark.parametrize(("size", "alive"), [("1", "6 × 1 = 6"), ("2", "6 × 2 = 12"), ("all 6", "6 × 6 = 36")])
def test_it_counts_the_scores_that_exist_against_all_of_them(page: Page, size: str, alive: str) -> None:
    choose(page, size)

    assert page.locator("dd").all_inner_texts()[:2] == [alive, "6 × 6 = 36"]


def test_it_opens_where_the_maximum_rises_and_says_by_what_the_rest_is_corrected(page: Page) -> None:
    expect(page.get_by_role("status")).to_have_text(
        "Row “journey”, tile “journey”: the maximum rises from 0.8984 to 1.3098. What was added up so far was relative to the old one: "
        "times exp(0.8984 − 1.3098) = 0.6627."
    )


def test_it_says_when_nothing_needs_a_correction(page: Page) -> None:
    go_to(page, 2)

    expect(page.get_by_role("status")).to_have_text(
        "Row “journey”, tile “starts”: no score is larger than 1.3098, so nothing needs a correction."
    )


def test_it_says_when_a_tile_is_hidden_from_the_query(page: Page) -> None:
    choose(page, "causal")
    go_to(page, 5)

    expect(page.get_by_role("status")).to_have_text(
        "Row “journey”, tile “step”: hidden from this query. Nothing changes."
    )


def test_it_ends_with_the_context_of_the_lecture(page: Page) -> None:
    go_to(page, 6)

    expect(page.get_by_role("status")).to_contain_text("0.3061, 0.8210, as with one softmax over the whole row.")


def test_a_row_under_the_pointer_is_previewed_until_the_pointer_leaves(page: Page) -> None:
    page.locator(".flash-scores tbody tr").nth(4).hover()
    expect(page.locator(".flash-row caption")).to_have_text("The row of “one”")
    expect(page.locator(".widget-says span").first).to_contain_text("Row “one”, tile “journey”")

    page.get_by_role("heading").hover()
    expect(page.locator(".flash-row caption")).to_have_text("The row of “journey”")
    expect(page.get_by_role("radio", name="journey", exact=True)).to_be_checked()


def test_a_clicked_row_stays_chosen(page: Page) -> None:
    page.locator(".flash-scores tbody tr").nth(4).click()
    page.get_by_role("heading").hover()

    expect(page.get_by_role("radio", name="one", exact=True)).to_be_checked()
    expect(page.locator(".flash-row caption")).to_have_text("The row of “one”")


def test_a_query_chosen_by_key_ends_the_preview(page: Page) -> None:
    page.locator(".flash-scores tbody tr").nth(4).hover()
    page.get_by_role("radio", name="journey", exact=True).focus()
    page.keyboard.press("ArrowRight")

    expect(page.locator(".flash-row caption")).to_have_text("The row of “starts”")


def test_a_tapped_row_is_chosen(open_widget: Callable[..., Page]) -> None:
    page = open_widget(TAG, width=375, touch=True)

    page.locator(".flash-scores tbody tr").nth(5).tap()

    expect(page.locator(".flash-row caption")).to_have_text("The row of “step”")


def test_arrow_keys_step_through_the_tiles(page: Page) -> None:
    page.get_by_role("slider", name="Tile").focus()
    page.keyboard.press("ArrowRight")

    expect(page.get_by_role("slider", name="Tile")).to_have_attribute("aria-valuetext", "3 of 6")


def test_the_slider_names_the_division_after_the_last_tile(page: Page) -> None:
    go_to(page, 6)

    expect(page.get_by_role("slider", name="Tile")).to_have_attribute("aria-valuetext", "÷ sum")
    expect(page.get_by_role("button", name="Next")).to_be_disabled()


@pytest.mark.parametrize(("scheme", "width"), [("default", 1280), ("slate", 375)])
def test_it_is_accessible_and_stays_in_the_page(
    open_widget: Callable[..., Page], overflow: Callable[[Page], int], scheme: str, width: int
) -> None:
    page = open_widget(TAG, scheme=scheme, width=width)
    choose(page, "causal")
    go_to(page, 3)
    assert violations(page) == []
    assert overflow(page) <= 0


@pytest.mark.parametrize("size", ["1", "all 6"])
@pytest.mark.parametrize(
    "width", [342, 375, 1280]
)  # a lecture leaves as much room in a window of 320 as this page in one of 342
def test_all_tables_fit_into_the_widget(open_widget: Callable[..., Page], width: int, size: str) -> None:
    page = open_widget(TAG, width=width)
    choose(page, size)
    go_to(page, 1)
    widths = page.locator("flash-tiles table").evaluate_all(
        "all => all.map(one => [one.offsetWidth, one.closest('.flash-pictures').clientWidth])"
    )
    assert [(table, room) for table, room in widths if table > room] == []
