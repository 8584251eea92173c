"""The front page while it comes: nothing flashes, and nothing jumps."""

from collections.abc import Iterator

import pytest
from built_site import Site
from lxml import html
from opened_site import Opened, Reader, opened_by
from playwright.sync_api import Browser, Page, expect

pytestmark = pytest.mark.slow

MODULES = "**/*.mjs"

PAINTED = "() => performance.getEntriesByName('first-contentful-paint').length > 0"

SETTLED = "() => document.fonts.ready.then(() => { jumped.length = 0 })"
"""Fonts come late on a busy machine, and their shifts are no widget's."""

BEGINNING = """words => words.getAnimations().map(one => {
  one.pause();
  one.currentTime = 0;
  return words.checkVisibility({ visibilityProperty: true });
})"""

WATCH = """globalThis.jumped = [];
new PerformanceObserver(list => jumped.push(...list.getEntries().flatMap(({ sources }) => sources.map(({ node }) => node))))
  .observe({ type: "layout-shift", buffered: true });"""

JUMPED = """() => new Promise(painted => requestAnimationFrame(() => setTimeout(painted))).then(() =>
  jumped.filter(node => node?.parentElement?.closest("article")).map(node => node.outerHTML ?? node.data))"""


@pytest.fixture(params=[320, 375, 768, 1280])
def first_painted(request: pytest.FixtureRequest, site: Site, browser: Browser) -> Iterator[Page]:
    """The front page as it is first painted. Its modules are on their way until `unroute`."""
    with opened_by(Reader(width=request.param), browser, site) as opened:
        opened.page.add_init_script(WATCH)
        opened.page.route(MODULES, lambda route: None)
        opened.page.goto(site.address, wait_until="commit")
        opened.page.wait_for_function(PAINTED)
        yield opened.page


def test_nothing_jumps_when_the_first_widget_starts(first_painted: Page) -> None:
    first_painted.evaluate(SETTLED)
    first_painted.unroute(MODULES)
    expect(first_painted.locator("write-line")).to_have_attribute("role", "group")
    first_painted.wait_for_load_state("networkidle")

    assert first_painted.evaluate(JUMPED) == []


def test_the_words_for_readers_without_scripts_do_not_flash(first_painted: Page) -> None:
    words = first_painted.locator("write-line .instead")

    assert words.evaluate(BEGINNING) == [False]


def test_they_are_seen_where_the_widget_does_not_come(first_painted: Page) -> None:
    expect(first_painted.locator("write-line .instead")).to_be_visible()


def test_a_page_asks_at_once_for_all_modules_of_its_widgets(first_visit: Opened) -> None:
    asked: list[str] = []
    first_visit.page.on("request", lambda request: asked.append(request.url))
    first_visit.visit("").wait_for_load_state("networkidle")
    links = html.parse(first_visit.site.file("")).xpath("//head/link[@rel='modulepreload']/@href")

    widgets = {url.removeprefix(first_visit.site.address) for url in asked if "/widgets/" in url}

    assert len(links) > 10
    assert widgets - {*links} == {"widgets/index.mjs"}
    assert len(asked) == len({*asked})


def test_no_module_comes_before_what_paints_the_text(site: Site) -> None:
    links = html.parse(site.file("")).xpath("//head/link[@rel='modulepreload']")

    assert {link.get("fetchpriority") for link in links} == {"low"}
