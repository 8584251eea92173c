"""<dot-product-variance>: long vectors have large dot products, and the root of the length takes that back."""

from collections.abc import Callable

import pytest
import torch
from chromium import violations
from playwright.sync_api import Page, expect

pytestmark = pytest.mark.slow

TAG = '<dot-product-variance dimensions="[5, 20, 100]" seed="123"></dot-product-variance>'


@pytest.fixture
def page(open_widget: Callable[..., Page]) -> Page:
    return open_widget(TAG)


def measured(page: Page) -> float:
    return float(page.locator("dd").first.inner_text())


def theory(page: Page) -> str:
    return page.locator("dd").last.inner_text()


def choose(page: Page, dimension: int, way: str) -> None:
    page.get_by_role("button", name=f"dₖ = {dimension}", exact=True).click()
    page.get_by_role("radio", name=way).check(force=True)


def products(page: Page, dimension: int) -> torch.Tensor:
    script = """async (dimension) => {
        const { dotProducts } = await import("/widgets/dot_product_variance.mjs");
        return dotProducts(123, dimension);
    }"""
    return torch.tensor(page.evaluate(script, dimension), dtype=torch.float64)


@pytest.mark.parametrize("dimension", [5, 20, 100])
@pytest.mark.parametrize(("way", "power"), [("unscaled", 0), ("÷ √dₖ", 0.5), ("÷ dₖ", 1)])
def test_the_measured_variance_is_torchs_of_the_same_products(
    page: Page, dimension: int, way: str, power: float
) -> None:
    choose(page, dimension, way)

    assert measured(page) == pytest.approx(float((products(page, dimension) / dimension**power).var()), abs=5e-5)


@pytest.mark.parametrize("dimension", [1, 5, 20, 100, 128])
def test_two_thousand_products_come_near_to_theory(page: Page, dimension: int) -> None:
    drawn = products(page, dimension)

    assert len(drawn) == 2000
    assert float(drawn.var()) == pytest.approx(dimension, rel=0.15)
    assert float(drawn.mean()) == pytest.approx(0, abs=0.1 * dimension**0.5)


def test_the_slider_and_the_radio_buttons_follow_the_arrow_keys(page: Page) -> None:
    page.get_by_role("slider", name="Numbers of a key, dₖ").press("ArrowRight")
    page.get_by_role("radio", name="unscaled").press("ArrowRight")

    expect(page.get_by_role("status")).to_contain_text("vectors with 6 numbers, ÷ √dₖ: variance")
    assert theory(page) == "1"


@pytest.mark.parametrize(("scheme", "width"), [("default", 1280), ("slate", 375)])
def test_axe_finds_nothing_and_nothing_overflows(
    open_widget: Callable[..., Page],
    overflow: Callable[[Page], int],
    scheme: str,
    width: int,
) -> None:
    page = open_widget(TAG, scheme=scheme, width=width)

    assert violations(page) == []
    assert overflow(page) == 0
