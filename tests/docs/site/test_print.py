"""Every page on paper: all that is hidden on the screen stands there, and only what belongs to the text."""

from collections.abc import Iterator
from dataclasses import dataclass, field

import pytest
from opened_site import Open, Opened
from playwright.sync_api import Page

pytestmark = pytest.mark.slow

PAPER = 718
"""A4 without its margins, in pixels of 1/96 inch."""

HIDDEN = """() => [...document.querySelectorAll("article details > *, article .because p")]
  .filter(one => !one.checkVisibility()).map(one => one.outerHTML.slice(0, 120))"""

NO_TEXT = """() => [...document.querySelectorAll(
  ".md-header, .md-tabs, .md-sidebar, .md-footer, .md-top, .md-code__nav, .headerlink, .md-skip")]
  .filter(one => one.checkVisibility({ visibilityProperty: true, opacityProperty: true }))
  .map(one => one.outerHTML.slice(0, 120))"""

CUT = """() => [...document.querySelectorAll("article *")]
  .filter(one => one.checkVisibility() && getComputedStyle(one).overflowX !== "visible")
  .filter(one => one.clientWidth > 1 && one.scrollWidth > one.clientWidth + 1)
  .concat(document.documentElement.scrollWidth > innerWidth ? [document.body] : [])
  .map(one => one.outerHTML.slice(0, 120))"""

Findings = dict[str, list[str]]


@dataclass
class Printed:
    """What is wrong with the pages on paper, by page; a page without faults is not in it."""

    hidden: Findings = field(default_factory=dict)
    no_text: Findings = field(default_factory=dict)
    cut: Findings = field(default_factory=dict)


@pytest.fixture(scope="module")
def paper(open_site: Open) -> Iterator[Opened]:
    """A window as wide as a sheet, of a reader who prefers dark pages."""
    opened = open_site(width=PAPER, scheme="dark")
    opened.page.emulate_media(media="print")
    yield opened
    opened.page.close()


@pytest.fixture(scope="module")
def printed(paper: Opened) -> Printed:
    found = Printed()
    for path in paper.site.pages:
        page = paper.visit(path)
        for findings, script in ((found.hidden, HIDDEN), (found.no_text, NO_TEXT), (found.cut, CUT)):
            if what := page.evaluate(script):
                findings[path] = what
    return found


def test_what_is_behind_reveals_and_answers_is_printed(printed: Printed) -> None:
    assert printed.hidden == {}


def test_no_navigation_and_no_button_is_printed(printed: Printed) -> None:
    assert printed.no_text == {}


def test_nothing_is_cut_off_at_the_edge_of_the_paper(printed: Printed) -> None:
    assert printed.cut == {}


def test_it_is_printed_dark_on_white_for_those_who_read_white_on_dark(paper: Opened) -> None:
    page = paper.visit("lectures/scaling/")

    assert colour(page, "body", "backgroundColor") == "rgb(255, 255, 255)"
    assert colour(page, "body", "colorScheme") == "light"
    assert max(channels(colour(page, "article p", "color"))) < 100


def test_a_lecture_becomes_a_pdf_of_several_pages(paper: Opened) -> None:
    pdf = paper.visit("lectures/scaling/").pdf(format="A4")

    assert pdf.startswith(b"%PDF")
    assert pdf.count(b"/Type /Page\n") > 2


def colour(page: Page, selector: str, which: str) -> str:
    found = page.locator(selector).first.evaluate("(element, which) => getComputedStyle(element)[which]", which)
    assert isinstance(found, str)
    return found


def channels(colour: str) -> list[int]:
    """Return red, green and blue of "rgb(…)"; what is transparent stands on white."""
    red, green, blue, *alpha = (float(one) for one in colour[colour.index("(") + 1 : -1].split(","))
    share = alpha[0] if alpha else 1.0
    return [round(255 - share * (255 - channel)) for channel in (red, green, blue)]
