"""Each widget shows torch's numbers, and says what it could not load."""

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch
from playwright.sync_api import Locator, Page, expect
from torch import Tensor
from torch.nn.functional import scaled_dot_product_attention

from .tags import (
    CAUSAL_MASK,
    DOT_PRODUCT_VARIANCE,
    FIRST,
    FLASH_TILES,
    GROWING_CACHE,
    HEAD_EXPLORER,
    HEAD_SHARING,
    HEAD_SPLIT,
    INDUCTION_BIRTH,
    KEY,
    KEYS,
    LIVE_GPT,
    MATRIX_PRODUCTS,
    QUERIES,
    QUERY,
    ROTARY_ROTATION,
    SECOND,
    SOFTMAX_TEMPERATURE,
    TOKENS,
    VALUES,
    VIEW_TRANSPOSE,
    WEIGHTED_SUM,
    WEIGHTS,
    X,
    write_line,
)

pytestmark = pytest.mark.slow

OpenWidget = Callable[..., Page]

WIDGETS = Path(__file__).resolve().parents[3] / "docs" / "widgets"
SCORES = QUERIES @ KEYS.T
HIDDEN = torch.ones(6, 6, dtype=torch.bool).triu(1)
UNMASKED = (SCORES / 2**0.5).softmax(-1)
MASKED = (SCORES / 2**0.5).masked_fill(HIDDEN, -torch.inf).softmax(-1)
CONTEXT = MASKED @ VALUES


def printed(numbers: Tensor) -> list[str]:
    return [f"{number:.4f}".replace("-", "−") for number in numbers.flatten().tolist()]


def texts(found: Locator) -> list[str]:
    """Return the first word of each, in reading order."""
    return [text.split()[0] for text in found.all_inner_texts()]


def choose(page: Page, words: str) -> None:
    page.get_by_role("radio", name=words, exact=True).check(force=True)


def trained(name: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((WIDGETS / f"{name}.json").read_text(encoding="utf-8"))
    return found


def shades(page: Page) -> dict[tuple[int, int], float]:
    """Return the shade of each cell of the map with tokens that is not empty."""
    read = """paths => paths.flatMap(path => [...path.getAttribute("d").matchAll(/M(\\d+) (\\d+)/g)].map(([, key, query]) =>
        [Number(query), Number(key), Number(path.getAttribute("fill-opacity"))]))"""
    found = page.locator(".labelled-map path[fill-opacity]").evaluate_all(read)
    return {(query, key): shade for query, key, shade in found}


def shaded(weights: list[float]) -> dict[tuple[int, int], float]:
    """Return the shades of a triangle of weights, in sixteen steps."""
    places = [(query, key) for query in range(len(weights)) for key in range(query + 1)]
    return {
        place: step / 16 for place, weight in zip(places, weights, strict=False) if (step := int(weight * 16 + 0.5))
    }


@pytest.mark.parametrize(
    ("way", "weights"),
    [("before softmax", MASKED), ("after softmax only", UNMASKED.masked_fill(HIDDEN, 0)), ("no mask", UNMASKED)],
)
def test_causal_mask(open_widget: OpenWidget, way: str, weights: Tensor) -> None:
    page = open_widget(CAUSAL_MASK)
    choose(page, way)
    for label, row in zip(TOKENS, weights, strict=True):
        choose(page, label)
        shown = page.locator(".mask-numbers tbody td:last-child").all_inner_texts()
        assert shown == [number if float(number) else "0" for number in printed(row)]


@pytest.mark.parametrize(("way", "power"), [("unscaled", 0), ("÷ √dₖ", 0.5), ("÷ dₖ", 1)])
def test_dot_product_variance(open_widget: OpenWidget, way: str, power: float) -> None:
    page = open_widget(DOT_PRODUCT_VARIANCE)
    page.get_by_role("slider").fill("20")
    choose(page, way)
    drawn = "async () => (await import('/widgets/dot_product_variance.mjs')).dotProducts(123, 20)"
    products = torch.tensor(page.evaluate(drawn), dtype=torch.float64)

    assert float(page.locator("dd").first.inner_text()) == pytest.approx(float((products / 20**power).var()), abs=5e-5)
    assert float(products.var()) == pytest.approx(20, rel=0.15)


@pytest.mark.parametrize(("size", "tiles"), [("1", 6), ("4", 2)])
@pytest.mark.parametrize("mask", ["none", "causal"])
def test_flash_tiles(open_widget: OpenWidget, size: str, tiles: int, mask: str) -> None:
    page = open_widget(FLASH_TILES)
    choose(page, size)
    choose(page, mask)
    page.get_by_role("slider", name="Tile").fill(str(tiles))
    right = scaled_dot_product_attention(QUERIES, KEYS, VALUES, is_causal=mask == "causal")
    for label, row in zip(TOKENS, right, strict=True):
        choose(page, label)
        lines = [line.locator("td").all_inner_texts() for line in page.locator(".flash-row tbody tr").all()]
        assert [line[2] for line in lines] == [line[3] for line in lines] == printed(row)


def test_growing_cache(open_widget: OpenWidget) -> None:
    page = open_widget(GROWING_CACHE)
    page.get_by_role("slider").fill("6")

    rows = page.get_by_role("table", name="Context").locator("tbody tr td").all_inner_texts()
    assert [row.split() for row in rows] == [printed(row) for row in CONTEXT]


def test_head_explorer(open_widget: OpenWidget) -> None:
    page = open_widget(HEAD_EXPLORER)
    page.locator(".explorer-heads label", has_text="1.2").get_by_role("radio").check()

    rows = trained("trained_heads")["inputs"][0]["after"][0][1]
    assert shades(page) == shaded([number / 1000 for row in rows for number in row])


@pytest.mark.parametrize(("kv", "astray"), [(1, 0), (2, 4), (8, 0)])
def test_head_sharing(open_widget: OpenWidget, kv: int, astray: int) -> None:
    page = open_widget(HEAD_SHARING)
    page.get_by_role("group", name="Heads of keys and values").locator(f"input[value='{kv}']").check()
    ends = page.locator(".sharing-lines line").evaluate_all("lines => lines.map(line => line.getAttribute('x2'))")
    page.get_by_role("button", name="repeat in the wrong order").click()

    assert [int(float(end) * kv) for end in ends] == torch.arange(kv).repeat_interleave(8 // kv).tolist()
    assert page.locator("line.astray").count() == astray


@pytest.mark.parametrize("heads", [2, 3])
def test_head_split(open_widget: OpenWidget, heads: int) -> None:
    page = open_widget(HEAD_SPLIT)
    page.get_by_role("group", name="Heads", exact=True).get_by_role("radio", name=str(heads)).check()
    split = X.view(3, heads, 6 // heads)
    for number, stage in enumerate([X, split, *[split.transpose(0, 1)] * 2, split, X], start=1):
        page.get_by_role("slider", name="Stage").fill(str(number))
        assert texts(page.locator(".head-screen td")) == printed(stage)


def test_induction_birth(open_widget: OpenWidget) -> None:
    page, birth = open_widget(INDUCTION_BIRTH), trained("induction_birth")
    page.get_by_role("slider").fill(str(birth["fall"][0]))
    page.get_by_role("radio", name="2.1").check()

    digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
    weights = birth["moments"][birth["fall"][0] // birth["every"]]["maps"][1][0]
    assert shades(page) == shaded([digits.index(digit) / 63 for digit in weights])


@pytest.mark.parametrize("sentence", [FIRST, SECOND])
def test_matrix_products(open_widget: OpenWidget, sentence: tuple[str, Tensor]) -> None:
    page, (words, inputs) = open_widget(MATRIX_PRODUCTS), sentence
    choose(page, words)
    queries, keys, values = (inputs @ weights for weights in WEIGHTS)
    scaled = queries @ keys.T / 2**0.5
    stages = {"queries": queries, "keys": keys, "values": values, "scores": queries @ keys.T, "scaled": scaled}
    stages |= {"weights": scaled.softmax(-1), "context": scaled.softmax(-1) @ values}
    for stage, right in stages.items():
        choose(page, stage)
        shown = page.get_by_role("grid").locator("tbody td").all_text_contents()
        assert shown == printed(right)


@pytest.mark.parametrize(("query", "key"), [(5, 2), (63, 0)])
def test_rotary_rotation(open_widget: OpenWidget, query: int, key: int) -> None:
    page = open_widget(ROTARY_ROTATION)
    for name, place in (("Query at", query), ("Key at", key)):
        page.get_by_role("slider", name=name).fill(str(place))

    speeds = torch.tensor([1.0, 0.1, 0.01, 0.001], dtype=torch.float64)
    turned = [
        torch.view_as_complex(vector.view(-1, 2)) * torch.polar(torch.ones(4, dtype=torch.float64), place * speeds)
        for vector, place in ((QUERY, query), (KEY, key))
    ]
    parts = (turned[0] * turned[1].conj()).real
    shown = page.locator(".rotary-scores td:last-child").all_inner_texts()
    assert shown == printed(torch.cat([parts, parts.sum()[None]]))


def test_softmax_temperature(open_widget: OpenWidget) -> None:
    page = open_widget(SOFTMAX_TEMPERATURE)
    page.get_by_role("slider").fill("8")

    expect(page.get_by_role("slider")).to_have_attribute("aria-valuetext", "×8")

    weights = (8 * torch.tensor([0.1, -0.2, 0.3, -0.2, 0.5])).softmax(0)
    assert page.locator(".number:nth-child(3)").all_inner_texts() == printed(weights)


def test_view_transpose(open_widget: OpenWidget) -> None:
    page, tensor = open_widget(VIEW_TRANSPOSE), torch.arange(1, 19).view(3, 6)
    exchanged, viewed = tensor.view(3, 2, 3).transpose(0, 1), tensor.view(2, 3, 3)
    pictures = {"the tensor": tensor, "exchanged": exchanged, "view, shape (2, 3, 3)": viewed}
    for name, numbers in pictures.items():
        found = page.get_by_role("group", name=name).locator("td")
        assert list(map(int, texts(found))) == numbers.flatten().tolist()
    marked = found.evaluate_all("cells => cells.map(cell => cell.classList.contains('astray'))")
    assert marked == (viewed != exchanged).flatten().tolist()


def test_weighted_sum(open_widget: OpenWidget) -> None:
    page = open_widget(WEIGHTED_SUM)

    assert page.locator(".number").all_inner_texts() == printed(UNMASKED[1])
    expect(page.get_by_role("status")).to_contain_text("The context is 0.3061, 0.8210.")


def test_write_line(open_widget: OpenWidget) -> None:
    page = open_widget(write_line())
    page.get_by_role("textbox").press_sequentially("queries @ keys.mT")

    yours, expected = (page.locator("table", has_text=name).first for name in ("yours (6, 6)", "expected (6, 6)"))
    assert yours.locator("td").all_inner_texts() == expected.locator("td").all_inner_texts()
    expect(page.locator(".widget-says span").first).to_have_text(re.compile("^Right"))


@pytest.mark.parametrize(
    ("tag", "what"), [(HEAD_EXPLORER, "weights"), (INDUCTION_BIRTH, "training"), (LIVE_GPT, "model")]
)
def test_what_does_not_arrive_is_told(open_widget: OpenWidget, tag: str, what: str) -> None:
    page = open_widget(tag, first="globalThis.fetch = async () => new Response('nothing')")

    expect(page.get_by_role("status")).to_have_text(
        f"The {what} could not be loaded. Load the page again when you are online."
    )
