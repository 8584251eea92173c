"""The page of maps in a real browser: what it shows, and that it needs nothing and nobody is left out."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

import numpy as np
import pytest
from chromium import chromium, violations
from playwright.sync_api import Page

from workbench.characters import writing_task
from workbench.induction import induction_task
from workbench.maps import page
from workbench.task import Observation

pytestmark = [pytest.mark.slow, pytest.mark.system]

LAYERS, HEADS, TOKENS = 2, 4, 18
SAMPLE = "<script>document.title = 'broken'</script> & so\non"

Open = Callable[..., Page]


def maps() -> np.ndarray:
    """Return maps of which each head has its own: all the weight on one column, in layer and head order."""
    drawn = np.zeros((LAYERS, HEADS, TOKENS, TOKENS), dtype=np.float32)
    for place, (layer, head) in enumerate(np.ndindex(LAYERS, HEADS)):
        drawn[layer, head, place:, place] = 1.0
    return drawn


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """A page of each kind, on disk."""
    folder = tmp_path_factory.mktemp("pages")
    scores = np.linspace(0, 0.93, LAYERS * HEADS).reshape(LAYERS, HEADS)
    observed = {
        "sequences": (induction_task(), Observation(maps(), 0 * scores), Observation(maps(), scores)),
        "text": (writing_task("a <b>\n&" * 100), Observation(maps(), sample="@"), Observation(maps(), sample=SAMPLE)),
    }
    for kind, (task, before, after) in observed.items():
        (folder / f"{kind}.html").write_text(page(task, 600, before, after), encoding="utf-8")
    return {kind: folder / f"{kind}.html" for kind in observed}


@dataclass
class Window:
    """A window, and what its browser complains of, every address but the page's own among it, since a page was opened."""

    page: Page
    complaints: list[str] = field(default_factory=list)


@pytest.fixture(scope="module")
def window(pages: dict[str, Path]) -> Iterator[Window]:
    """One window for all tests: a window takes longer to open than a page."""
    own = {"data:,", *(path.as_uri() for path in pages.values())}
    with chromium() as browser:
        window = Window(browser.new_page())
        complain = window.complaints.append
        window.page.on("console", lambda said: complain(said.text))
        window.page.on("pageerror", lambda error: complain(str(error)))
        window.page.on("request", lambda asked: complain(asked.url) if asked.url not in own else None)
        yield window


@pytest.fixture
def open_page(pages: dict[str, Path], window: Window) -> Open:
    def run(kind: str, width: int = 1280, scheme: Literal["light", "dark"] = "light") -> Page:
        window.page.set_viewport_size({"width": width, "height": 800})
        window.page.emulate_media(color_scheme=scheme)
        window.complaints.clear()
        window.page.goto(pages[kind].as_uri())
        return window.page

    return run


@pytest.mark.parametrize(
    ("kind", "width", "scheme"), [("sequences", 375, "light"), ("sequences", 1280, "dark"), ("text", 375, "dark")]
)
def test_no_rule_of_accessibility_is_broken(open_page: Open, kind: str, width: int, scheme: str) -> None:
    assert violations(open_page(kind, width, scheme)) == []


@pytest.mark.parametrize("kind", ["sequences", "text"])
def test_the_page_asks_for_nothing_and_the_browser_complains_of_nothing(
    open_page: Open, window: Window, kind: str
) -> None:
    open_page(kind)

    assert window.complaints == []


@pytest.mark.parametrize("kind", ["sequences", "text"])
def test_nothing_is_wider_than_the_narrowest_screen(open_page: Open, kind: str) -> None:
    assert open_page(kind, 320).evaluate("document.documentElement.scrollWidth") <= 320


def test_every_head_is_there_before_and_after(open_page: Open) -> None:
    titles = open_page("sequences").locator("svg[role=img] > title").all_text_contents()

    assert len(titles) == len(set(titles)) == 2 * LAYERS * HEADS
    assert titles[:2] == ["layer 1, head 1 before training", "layer 1, head 1 after training"]


def test_a_map_is_dark_where_the_weight_is(open_page: Open) -> None:
    drawn = (
        open_page("sequences").locator("svg").nth(2 * 5).locator(".shade")
    )  # the sixth head looks at the sixth token

    box = drawn.evaluate("path => { const box = path.getBBox(); return [box.x, box.y, box.width, box.height] }")
    assert box == [50, 50, 10, 130]
    assert drawn.get_attribute("fill-opacity") == "1.0"


def test_the_scores_stand_in_a_table(open_page: Open) -> None:
    rows = open_page("sequences").locator("tbody tr").all_inner_texts()

    assert len(rows) == LAYERS * HEADS
    assert rows[-1].split("\t") == ["layer 2, head 4", "0.00", "0.93"]


def test_samples_are_shown_as_they_are(open_page: Open) -> None:
    opened = open_page("text")

    assert opened.locator("pre").all_text_contents() == ["@", SAMPLE]
    assert opened.title() == "Attention before and after training"
