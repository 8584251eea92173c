"""Whoever searches for a word of the field finds the page that explains it, whatever the page calls it."""

import pytest
from opened_site import Open
from playwright.sync_api import Locator, expect

pytestmark = pytest.mark.slow

EXPLAINED = {
    "self-attention": "why_attention",
    "QKV": "queries_keys_values",
    "masked attention": "causal_mask",
    "MHA": "several_heads",
    "key-value cache": "kv_cache",
    "multi-query": "shared_heads",
    "RoPE": "rotary_positions",
    "layer normalization": "transformer_block",
    "perplexity": "training",
    "induction head": "reading_heads",
}


def test_the_first_result_is_the_page_that_explains_the_word(open_site: Open) -> None:
    page = open_site().page
    search, results = page.get_by_role("textbox", name="Search"), page.locator(".md-search-result__link")
    search.click()
    found = {}
    for word in EXPLAINED:
        ask(search, "")
        expect(results).to_have_count(0)
        ask(search, word)
        results.first.wait_for()
        found[word] = (results.first.get_attribute("href") or "").partition("?")[0].rstrip("/").rpartition("/")[2]

    assert found == EXPLAINED


def ask(search: Locator, text: str) -> None:
    search.fill(text)
    search.dispatch_event("keyup")  # Material listens to keys
