"""How a reader gets about: without loading pages anew, by search, on a phone; and what is kept on the way."""

import pytest
from opened_site import Open, Opened
from playwright.sync_api import Page, expect

pytestmark = pytest.mark.slow

LECTURE = "lectures/scaling/"
TITLE = "Why divide by a square root"


def go_to_lecture(page: Page) -> None:
    """Click the way from the start to a lecture, as a reader at a desk does, and wait until it is there."""
    page.get_by_role("navigation", name="Tabs").get_by_role("link", name="Lectures").click()
    page.get_by_role("navigation", name="Navigation").get_by_role("link", name=TITLE).click()
    expect(page.get_by_role("heading", level=1)).to_contain_text(TITLE)


def test_a_widget_works_on_a_page_that_was_reached_by_a_link(open_site: Open) -> None:
    page = open_site().page
    go_to_lecture(page)
    page.locator("softmax-temperature").scroll_into_view_if_needed()
    says = page.locator("softmax-temperature .widget-says")
    before = says.inner_text()

    page.locator("softmax-temperature input[type=range]").press("ArrowRight")

    expect(says).not_to_have_text(before)


def test_the_palette_that_a_reader_chose_is_kept_on_the_next_page(first_visit: Opened) -> None:
    page = first_visit.visit("")
    page.get_by_title("Switch to dark mode").click()
    expect(page.locator("body")).to_have_attribute("data-md-color-scheme", "slate")

    page = first_visit.visit(LECTURE)

    expect(page.locator("body")).to_have_attribute("data-md-color-scheme", "slate")


def test_the_menu_of_a_phone_leads_to_a_lecture(open_site: Open) -> None:
    opened = open_site("lectures/why_attention/", width=375)
    opened.page.locator("label.md-header__button[for=__drawer]").click()

    opened.page.get_by_role("navigation", name="Navigation").get_by_role("link", name=TITLE).click()

    expect(opened.page).to_have_url(opened.site.address + LECTURE)


def test_the_first_stop_of_the_keyboard_skips_to_the_content(open_site: Open) -> None:
    page = open_site(LECTURE).page

    page.keyboard.press("Tab")

    expect(page.get_by_role("link", name="Skip to content")).to_be_focused()
