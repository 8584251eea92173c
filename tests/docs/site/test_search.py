"""Whoever searches for a word of the field finds the page that explains it, whatever the page calls it."""

import re
import runpy
from pathlib import Path

import pytest
from built_site import ROOT, Site
from lxml import html
from mkdocs.exceptions import PluginError
from opened_site import Open, Opened
from playwright.sync_api import Locator, expect

pytestmark = pytest.mark.slow

EXPLAINED = {
    "self-attention": "why_attention",
    "softmax": "without_weights",
    "dot product": "without_weights",
    "QKV": "queries_keys_values",
    "scaled dot-product attention": "scaling",
    "attention weights": "weights_and_context",
    "masked attention": "causal_mask",
    "multi-head attention": "several_heads",
    "MHA": "several_heads",
    "split heads": "heads_at_once",
    "contiguous": "heads_at_once",
    "padding mask": "batches",
    "key-value cache": "kv_cache",
    "grouped query attention": "shared_heads",
    "GQA": "shared_heads",
    "MQA": "shared_heads",
    "multi-query": "shared_heads",
    "RoPE": "rotary_positions",
    "rotary embedding": "rotary_positions",
    "positional encoding": "rotary_positions",
    "sinusoidal": "rotary_positions",
    "MLA": "latent_attention",
    "online softmax": "flash_attention",
    "HBM": "flash_attention",
    "sliding window": "windows_and_memories",
    "cross-attention": "windows_and_memories",
    "residual connection": "transformer_block",
    "layer normalization": "transformer_block",
    "logits": "tiny_gpt",
    "tokenizer": "tiny_gpt",
    "BPE": "tiny_gpt",
    "backpropagation": "training",
    "cross entropy": "training",
    "sampling": "live_gpt",
    "perplexity": "training",
    "bigram": "training",
    "temperature": "live_gpt",
    "ablation": "live_gpt",
    "induction head": "reading_heads",
    "attention sink": "reading_heads",
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


def test_the_index_comes_when_the_search_is_opened_and_not_before(first_visit: Opened) -> None:
    page, asked = first_visit.page, list[str]()
    page.on("request", lambda request: asked.append(request.url))
    first_visit.visit("").wait_for_load_state("networkidle")
    index = f"{first_visit.site.address}search/search_index.json"

    assert index not in asked
    with page.expect_request(index):
        page.get_by_role("textbox", name="Search").click()


def test_a_script_that_loads_the_index_otherwise_is_refused(tmp_path: Path) -> None:
    script = tmp_path / "assets" / "javascripts" / "bundle.0.min.js"
    script.parent.mkdir(parents=True)
    script.write_text("fetch('search_index.json')", encoding="utf-8")
    hook = runpy.run_path(str(ROOT / "docs" / "overrides" / "search_on_demand.py"))

    with pytest.raises(PluginError, match=r"bundle\.0\.min\.js loads the search index otherwise"):
        hook["on_post_build"]({"site_dir": tmp_path})


def ask(search: Locator, text: str) -> None:
    search.fill(text)
    search.dispatch_event("keyup")  # Material listens to keys


def test_a_page_that_explains_a_word_shows_it(site: Site) -> None:
    silent = {
        word: page
        for word, page in EXPLAINED.items()
        if not {*word.casefold().replace("-", " ").split()} <= words_of(site, f"lectures/{page}/")
    }

    assert silent == {}


def words_of(site: Site, page: str) -> set[str]:
    (article,) = html.parse(site.file(page)).iter("article")
    return {*re.findall(r"\w+", article.text_content().casefold())}
