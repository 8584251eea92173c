"""What a model says next: temperature and top k as torch would compute them, and a draw by probability."""

from collections.abc import Callable, Iterator
from typing import Any

import pytest
import torch
from playwright.sync_api import Browser, Page

pytestmark = pytest.mark.slow

LOGITS = [0.5, 2.0, -1.0, 1.0]
ALL = 4


@pytest.fixture(scope="module")
def page(browser: Browser, address: str) -> Iterator[Page]:
    page = browser.new_page()
    page.goto(f"{address}/widgets/")
    yield page
    page.close()


@pytest.fixture
def call(page: Page) -> Callable[..., Any]:
    """call("drawn", shares, 0.5): the answer of a function of next_token.mjs."""
    script = "async ([name, given]) => (await import('/widgets/next_token.mjs'))[name](...given)"
    return lambda name, *given: page.evaluate(script, [name, given])


@pytest.mark.parametrize("temperature", [0.1, 1.0, 3.0])
def test_a_temperature_divides_the_logits(call: Callable[..., Any], temperature: float) -> None:
    found = call("probabilities", LOGITS, {"temperature": temperature, "top": ALL})

    assert found == pytest.approx((torch.tensor(LOGITS) / temperature).softmax(0).tolist(), abs=1e-6)


def test_at_temperature_0_only_the_likeliest_remains(call: Callable[..., Any]) -> None:
    assert call("probabilities", LOGITS, {"temperature": 0, "top": ALL}) == [0, 1, 0, 0]


def test_top_k_leaves_the_likeliest_and_shares_out_the_whole_among_them(call: Callable[..., Any]) -> None:
    found = call("probabilities", LOGITS, {"temperature": 1, "top": 2})

    assert found == pytest.approx([0, *torch.tensor([2.0, 1.0]).softmax(0).tolist()[:1], 0, 0.268941], abs=1e-5)


@pytest.mark.parametrize(("number", "token"), [(0.0, 0), (0.24, 0), (0.26, 2), (0.999, 2)])
def test_a_token_is_drawn_by_its_share(call: Callable[..., Any], number: float, token: int) -> None:
    assert call("drawn", [0.25, 0, 0.75, 0], number) == token


def test_a_draw_beyond_shares_that_were_rounded_down_is_the_likeliest(call: Callable[..., Any]) -> None:
    assert call("drawn", [0.2, 0.7, 0.0999999], 0.99999999) == 1
