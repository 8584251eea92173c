"""Every page on paper: all that is hidden on the screen stands there, and only what belongs to the text."""

import pytest
from opened_site import Open, Opened
from playwright.sync_api import Page

from .walk import PAPER, Walk

pytestmark = pytest.mark.slow


@pytest.fixture
def paper(open_site: Open) -> Opened:
    """A lecture in a window as wide as a sheet, of a reader who prefers dark pages."""
    opened = open_site("lectures/scaling/", width=PAPER, scheme="dark")
    opened.page.emulate_media(media="print")
    return opened


def test_what_is_behind_reveals_and_answers_is_printed(walk: Walk) -> None:
    assert walk.hidden == {}


def test_no_navigation_and_no_button_is_printed(walk: Walk) -> None:
    assert walk.no_text == {}


def test_nothing_is_cut_off_at_the_edge_of_the_paper(walk: Walk) -> None:
    assert walk.cut == {}


def test_it_is_printed_dark_on_white_for_those_who_read_white_on_dark(paper: Opened) -> None:
    assert colour(paper.page, "body", "backgroundColor") == "rgb(255, 255, 255)"
    assert colour(paper.page, "body", "colorScheme") == "light"
    assert max(channels(colour(paper.page, "article p:not([class])", "color"))) < 100


def test_a_lecture_becomes_a_pdf_of_several_pages(paper: Opened) -> None:
    pdf = paper.page.pdf(format="A4")

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
