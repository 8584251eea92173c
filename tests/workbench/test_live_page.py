"""The page with a student's own model in a real browser, from the disk: the model runs, and nothing else is loaded."""

from collections.abc import Iterator
from pathlib import Path
from typing import Literal

import pytest
from chromium import chromium, violations
from playwright.sync_api import Page, expect

from autograder.workspace import COURSE
from workbench.explorer import TRAINED
from workbench.live_page import live_page
from workbench.writer import WRITER

pytestmark = [pytest.mark.slow, pytest.mark.system]


@pytest.fixture(scope="module")
def window() -> Iterator[Page]:
    with chromium() as browser:
        yield browser.new_page()


@pytest.fixture
def complaints(window: Page) -> list[str]:
    """What the browser complains of, and what it asks of others than the page itself."""
    said: list[str] = []
    window.on("console", lambda message: said.append(message.text))
    window.on("pageerror", lambda error: said.append(str(error)))
    window.on("request", lambda asked: said.append(asked.url) if not asked.url.endswith(".live.html") else None)
    return said


def opened(window: Page, model: Path, folder: Path) -> Page:
    page = folder / "own.live.html"
    page.write_text(live_page(COURSE.root / "docs", model), encoding="utf-8")
    window.goto(page.as_uri())
    window.wait_for_selector(".live-map path")
    return window


def test_a_page_from_the_disk_runs_the_model_that_is_in_it(window: Page, complaints: list[str], tmp_path: Path) -> None:
    page = opened(window, TRAINED, tmp_path)

    expect(page.locator(".widget-says > span").first).to_contain_text(
        "The model predicts 4 of 4 repeated letters. After “s” (14) it says “w”, 1.00."
    )
    assert complaints == []


def test_another_model_has_its_own_vocabulary(window: Page, tmp_path: Path) -> None:
    page = opened(window, WRITER, tmp_path)

    expect(page.get_by_role("slider", name="Top k")).to_have_value("44")


@pytest.mark.parametrize(("width", "scheme"), [(375, "dark"), (1280, "light")])
def test_no_rule_of_accessibility_is_broken(
    window: Page, tmp_path: Path, width: int, scheme: Literal["light", "dark"]
) -> None:
    window.set_viewport_size({"width": width, "height": 800})
    window.emulate_media(color_scheme=scheme)
    page = opened(window, TRAINED, tmp_path)

    assert violations(page) == []
    assert page.evaluate("document.documentElement.scrollWidth") <= width
