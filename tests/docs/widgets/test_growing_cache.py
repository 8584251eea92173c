"""<growing-cache>: tokens fed one by one or in chunks get the weights and the context of one pass."""

import json
import re
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
WEIGHTS = (QUERIES @ KEYS.T / 2**0.5).masked_fill(torch.ones(6, 6, dtype=torch.bool).triu(1), -torch.inf).softmax(1)
CONTEXT = scaled_dot_product_attention(QUERIES, KEYS, VALUES, is_causal=True)
TAG = f"""<growing-cache queries="{QUERIES.tolist()}" keys="{KEYS.tolist()}" values="{VALUES.tolist()}"
  labels='{json.dumps(LABELS)}'></growing-cache>"""


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


def test_a_new_token_asks_the_past_and_itself(page: Page) -> None:
    feed(page, 1, 3)

    assert table(page, "Weights, (1, 4)")[3] == [*printed(WEIGHTS[3, :4]), "", ""]


def test_of_two_new_tokens_the_first_does_not_see_the_second(page: Page) -> None:
    feed(page, 2, 1)

    first, second = table(page, "Weights, (2, 4)")[2:4]
    assert first == [*printed(WEIGHTS[2, :3]), "hidden", "", ""]
    assert second == [*printed(WEIGHTS[3, :4]), "", ""]


def test_the_weights_grow_row_by_row_into_a_triangle(page: Page) -> None:
    triangle = [[*printed(row[: query + 1]), *[""] * (5 - query)] for query, row in enumerate(WEIGHTS)]
    for query in range(6):
        feed(page, 1, min(query, 1))

        rows = table(page, f"Weights, (1, {query + 1})")
        assert rows == [*triangle[: query + 1], *[[""] * 6] * (5 - query)]


def test_a_row_becomes_paler_in_the_next_step(page: Page) -> None:
    row = page.get_by_role("table", name="Weights").locator("tbody tr").first
    shade = "row => 1 - Number(getComputedStyle(row.cells[1]).backgroundColor.match(/[\\d.]+/g)[0])"
    new = row.evaluate(shade)

    page.get_by_role("button", name="Next").click()

    assert 0 < row.evaluate(shade) < new / 2


def test_over_the_weights_stands_how_many_keys_are_kept_and_how_many_are_new(page: Page) -> None:
    feed(page, 2, 1)

    groups = page.locator(".group")
    assert groups.evaluate_all("all => all.map(one => [one.textContent, one.colSpan])") == [["kept", 2], ["new", 2]]


def test_only_the_new_token_has_a_query_and_only_keys_and_values_are_kept(page: Page) -> None:
    feed(page, 1, 1)

    rows = table(page, "The tokens")
    assert [row[0] for row in rows] == ["not kept", " ".join(printed(QUERIES[1], 2)), "", "", "", ""]
    assert [row[1] for row in rows] == [" ".join(printed(key, 2)) for key in KEYS[:2]] + [""] * 4
    assert [row[2] for row in rows] == [" ".join(printed(value, 2)) for value in VALUES[:2]] + [""] * 4
    assert [row[3] for row in rows] == ["kept", "new", "", "", "", ""]


@pytest.mark.parametrize(("at_once", "cached", "anew"), [(1, 18, 63), (2, 18, 36), (3, 18, 27)])
def test_it_counts_projections_with_and_without_the_cache(page: Page, at_once: int, cached: int, anew: int) -> None:
    feed(page, at_once, 6 // at_once - 1)

    assert page.locator("dd").all_inner_texts() == [str(cached), str(anew), "24"]


def test_it_says_what_is_computed_and_what_comes_from_the_cache(page: Page) -> None:
    feed(page, 1, 1)

    expect(page.get_by_role("status")).to_have_text(
        "Projected now: “journey”. The keys and values of 1 token come from the cache. "
        "The weights of “journey”: 0.3986 + 0.6014 = 1."
    )


def test_the_sentence_that_is_seen_is_never_behind_the_tables(page: Page) -> None:
    says = page.locator("growing-cache").evaluate(
        """widget => {
            const next = [...widget.querySelectorAll("button")].find(({ textContent }) => textContent.includes("Next"));
            next.click();
            next.click();
            return widget.querySelector(".widget-says span").textContent;
        }"""
    )

    assert says.startswith("Projected now: “starts”.")


def test_the_first_token_finds_the_cache_empty(page: Page) -> None:
    expect(page.get_by_role("status")).to_have_text(re.compile("The cache was empty. The weights of “Your”: 1.0000."))


def test_a_page_may_begin_where_something_is_kept(open_widget: Callable[..., Page]) -> None:
    page = open_widget(TAG.replace("<growing-cache", '<growing-cache begin="4"'))

    expect(page.get_by_role("slider", name="Tokens")).to_have_attribute("aria-valuetext", "4 of 6")
    expect(page.get_by_role("status")).to_have_text(re.compile("The keys and values of 3 tokens come from the cache."))


def test_back_goes_one_step_back_and_stops_at_the_first(page: Page) -> None:
    feed(page, 1, 1)
    back = page.get_by_role("button", name="Back")

    back.click()

    expect(page.get_by_role("slider", name="Tokens")).to_have_attribute("aria-valuetext", "1 of 6")
    expect(back).to_be_disabled()


def test_arrow_keys_step_forward(page: Page) -> None:
    page.get_by_role("slider", name="Tokens").focus()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowRight")

    assert table(page, "Weights, (1, 3)")[2] == [*printed(WEIGHTS[2, :3]), "", "", ""]


def test_next_stops_at_the_last_token(page: Page) -> None:
    feed(page, 3, 1)

    expect(page.get_by_role("button", name="Next")).to_be_disabled()


def test_a_last_chunk_may_be_smaller(open_widget: Callable[..., Page]) -> None:
    five = [numbers[:5].tolist() for numbers in (QUERIES, KEYS, VALUES)]
    page = open_widget(
        f"<growing-cache queries='{five[0]}' keys='{five[1]}' values='{five[2]}' "
        f"labels='{json.dumps(LABELS[:5])}'></growing-cache>"
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


@pytest.mark.parametrize("width", [375, 1280])
def test_all_tables_fit_into_the_widget(open_widget: Callable[..., Page], width: int) -> None:
    page = open_widget(TAG, width=width)
    feed(page, 3, 1)
    assert page.locator("growing-cache").evaluate("widget => widget.scrollWidth <= widget.clientWidth")
