"""The pages of a training in a real browser, from the disk: they load nothing else, and nobody is left out."""

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
def pages(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """A page of each kind, on disk."""
    texts = {
        "live": live_page(COURSE.root / "docs", TRAINED),
        "of a writer": live_page(COURSE.root / "docs", WRITER),
    }
    folder = tmp_path_factory.mktemp("pages")
    for kind, text in texts.items():
        (folder / f"{kind}.html").write_text(text, encoding="utf-8")
    return {kind: folder / f"{kind}.html" for kind in texts}


@pytest.fixture(scope="module")
def window() -> Iterator[Page]:
    with chromium() as browser:
        yield browser.new_page()


@pytest.mark.parametrize(
    ("kind", "width", "scheme"),
    [("live", 375, "dark"), ("of a writer", 1280, "light")],
)
def test_a_page_breaks_no_rule_of_accessibility_and_asks_for_nothing(
    window: Page, pages: dict[str, Path], kind: str, width: int, scheme: Literal["light", "dark"]
) -> None:
    complaints: list[str] = []
    window.on("console", lambda said: complaints.append(said.text))
    window.on("pageerror", lambda error: complaints.append(str(error)))
    window.on("request", lambda asked: complaints.append(asked.url) if not asked.url.endswith(".html") else None)
    window.set_viewport_size({"width": width, "height": 800})
    window.emulate_media(color_scheme=scheme)
    window.goto(pages[kind].as_uri())
    window.wait_for_selector(".heat-map path", state="attached")

    assert [one for one in complaints if not one.startswith("data:")] == []
    assert violations(window) == []
    assert window.evaluate("document.documentElement.scrollWidth") <= width


def test_the_model_that_is_in_a_page_runs_with_its_own_vocabulary(window: Page, pages: dict[str, Path]) -> None:
    window.goto(pages["live"].as_uri())
    expect(window.locator(".widget-says > span").first).to_contain_text("After “s” (14) it says “w”, 1.00.")

    window.goto(pages["of a writer"].as_uri())
    expect(window.get_by_role("slider", name="Top k")).to_have_value("44")
