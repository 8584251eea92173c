"""The arithmetic of the widgets is torch's: each function in the browser against torch on the same numbers."""

from collections.abc import Callable, Iterator
from typing import Any

import pytest
import torch
from playwright.sync_api import Browser, Page

pytestmark = pytest.mark.slow

Call = Callable[..., Any]

QUERIES, KEYS, VALUES = torch.randn(3, 4, 2, dtype=torch.float64, generator=torch.Generator().manual_seed(123))


@pytest.fixture(scope="module")
def page(browser: Browser, address: str) -> Iterator[Page]:
    """A page of the same origin, which may load the modules."""
    page = browser.new_page()
    page.goto(f"{address}/widgets/")
    yield page
    page.close()


@pytest.fixture
def call(page: Page) -> Call:
    """call("softmax", scores): the answer of a function of arithmetic.mjs."""
    script = """async ([name, given]) => {
        const arithmetic = await import("/widgets/arithmetic.mjs");
        return arithmetic[name](...given);
    }"""

    def call(name: str, *given: object) -> Any:
        return page.evaluate(script, [name, [one.tolist() if isinstance(one, torch.Tensor) else one for one in given]])

    return call


def close(answer: object, right: torch.Tensor) -> None:
    torch.testing.assert_close(torch.tensor(answer, dtype=torch.float64), right)


def test_softmax_is_torchs(call: Call) -> None:
    close(call("softmax", [0.1, -0.2, 0.3, -0.2, 0.5]), torch.tensor([0.1, -0.2, 0.3, -0.2, 0.5]).double().softmax(0))


def test_softmax_of_large_scores_stays_finite(call: Call) -> None:
    scores = torch.tensor([1001.0, 1002.0, 1003.0], dtype=torch.float64)

    close(call("softmax", scores), scores.softmax(0))


def test_softmax_of_a_hidden_score_is_exactly_zero(call: Call) -> None:
    assert call("softmax", torch.tensor([1.0, float("-inf"), 2.0]))[1] == 0


def test_hide_future_sets_what_lies_above_the_diagonal_to_minus_infinity(call: Call) -> None:
    hidden = torch.ones(4, 4, dtype=torch.bool).triu(1)
    scores = QUERIES @ KEYS.T

    close(call("hideFuture", scores), scores.masked_fill(hidden, float("-inf")))


def test_hide_future_lets_new_queries_see_all_of_the_past(call: Call) -> None:
    hidden = torch.tensor([[False, False, False, True], [False, False, False, False]])
    scores = QUERIES[2:] @ KEYS.T

    close(call("hideFuture", scores, 2), scores.masked_fill(hidden, float("-inf")))


def test_variance_is_torchs(call: Call) -> None:
    close(call("variance", QUERIES[:, 0]), QUERIES[:, 0].var())


@pytest.mark.parametrize("causal", [False, True])
def test_attention_gives_the_context_of_torchs_own(call: Call, causal: bool) -> None:
    answer = call("attention", QUERIES, KEYS, VALUES, {"causal": causal})

    right = torch.nn.functional.scaled_dot_product_attention(QUERIES, KEYS, VALUES, is_causal=causal)
    close(answer["context"], right)


def test_new_queries_after_a_past_get_the_context_of_one_pass_over_everything(call: Call) -> None:
    answer = call("attention", QUERIES[1:3], KEYS[:3], VALUES[:3], {"causal": True, "past": 1})

    everything = torch.nn.functional.scaled_dot_product_attention(QUERIES, KEYS, VALUES, is_causal=True)
    close(answer["context"], everything[1:3])


def test_turn_multiplies_a_complex_number_by_one_of_length_1(call: Call) -> None:
    point = torch.view_as_complex(QUERIES[0]) * torch.polar(*torch.tensor([1.0, 2.5], dtype=torch.float64))

    close(call("turn", QUERIES[0], 2.5), torch.view_as_real(point))


@pytest.mark.parametrize("size", [1, 2, 3, 4])
def test_after_the_last_tile_a_row_knows_the_maximum_the_sum_and_the_context(call: Call, size: int) -> None:
    scores = KEYS @ QUERIES[0]

    after = call("tilesOfRow", scores, VALUES, size)[-1]["after"]

    close(after["maximum"], scores.max())
    close(after["sum"], (scores - scores.max()).exp().sum())
    close(after["context"], (scores - scores.max()).exp() @ VALUES)


def test_after_each_tile_a_row_knows_what_a_softmax_over_the_keys_so_far_needs(call: Call) -> None:
    scores = KEYS @ QUERIES[0]

    tiles = call("tilesOfRow", scores, VALUES, 1)

    sums = [(scores[:end] - scores[:end].max()).exp().sum() for end in range(1, 5)]
    close([tile["after"]["sum"] for tile in tiles], torch.stack(sums))


def test_a_tile_corrects_what_was_relative_to_a_smaller_maximum(call: Call) -> None:
    first, second = call("tilesOfRow", [1.0, 3.0], VALUES[:2], 1)

    assert first["correction"] == 0
    close(second["correction"], torch.tensor(-2.0, dtype=torch.float64).exp())


def test_a_tile_that_is_hidden_changes_nothing(call: Call) -> None:
    scores = torch.tensor([1.0, 2.0, float("-inf"), float("-inf")])

    first, second = call("tilesOfRow", scores, VALUES, 2)

    assert second["after"] == first["after"]
    assert second["correction"] == 1
