"""How a reader gets about: without loading pages anew, by search, on a phone; and what is kept on the way."""

import re

import pytest
from built_site import Site
from lxml import html
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


@pytest.mark.parametrize("lecture", ["the_class_twice", "columns_and_loops"])
def test_an_optional_lecture_says_so_under_its_title_and_leads_past_the_optional_ones(site: Site, lecture: str) -> None:
    page = html.parse(site.file(f"lectures/{lecture}/")).getroot()

    (badge,) = page.xpath("//h1/following-sibling::*[position() < 3][@class='optional']")
    assert badge.text_content() == "Optional You can also go on with The causal mask."
    assert badge.xpath(".//a/@href") == ["../causal_mask/"]


def test_the_last_lecture_leads_on_to_a_training(site: Site) -> None:
    page = html.parse(site.file("lectures/windows_and_memories/")).getroot()

    assert page.xpath("//a[contains(@class, 'md-footer__link--next')]/@href") == ["../../train_a_model/"]


def test_a_link_changes_the_page_without_loading_it_anew(open_site: Open) -> None:
    page = open_site().page
    page.evaluate("window.marker = 'still here'")

    go_to_lecture(page)

    assert page.evaluate("window.marker") == "still here"


def test_the_address_and_the_title_follow_the_page(open_site: Open) -> None:
    opened = open_site()

    go_to_lecture(opened.page)

    expect(opened.page).to_have_url(opened.site.address + LECTURE)
    expect(opened.page).to_have_title(re.compile(TITLE))


def test_a_widget_works_on_a_page_that_was_reached_by_a_link(open_site: Open) -> None:
    page = open_site().page
    go_to_lecture(page)
    page.locator("softmax-temperature").scroll_into_view_if_needed()
    says = page.locator("softmax-temperature .widget-says")
    before = says.inner_text()

    page.locator("softmax-temperature input[type=range]").press("ArrowRight")

    expect(says).not_to_have_text(before)


def test_a_quiz_works_on_a_page_that_was_reached_by_a_link(open_site: Open) -> None:
    page = open_site().page
    go_to_lecture(page)
    choice = page.locator(".quiz .choice.right").first

    choice.get_by_role("radio").press("Space")  # a click would miss it where a widget that comes near moves it

    expect(choice.locator(".because p")).to_be_visible()


def test_nothing_fails_on_the_way_there_and_back(open_site: Open) -> None:
    opened = open_site()

    go_to_lecture(opened.page)
    opened.page.go_back()
    expect(opened.page).to_have_url(re.compile(r"/lectures/\w+/$"))
    opened.page.get_by_role("link", name=re.compile("^Next: ")).click()
    opened.page.wait_for_load_state("networkidle")

    assert opened.complaints == []


def test_search_finds_a_word_and_leads_to_where_it_stands(open_site: Open) -> None:
    page = open_site().page
    page.get_by_role("textbox", name="Search").click()
    page.keyboard.type("softmax")

    page.locator(".md-search-result__link").first.click()

    expect(page).to_have_url(re.compile(r"/(lectures|reference)/\w+/"))
    expect(page.locator("article mark").first).to_have_text(re.compile("softmax", re.IGNORECASE))


def test_the_search_is_reached_and_left_by_keyboard(open_site: Open) -> None:
    page = open_site().page
    page.keyboard.press("/")
    expect(page.get_by_role("textbox", name="Search")).to_be_focused()

    page.keyboard.press("Escape")

    expect(page.get_by_role("textbox", name="Search")).not_to_be_focused()


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


def test_a_heading_has_a_link_to_itself(open_site: Open) -> None:
    page = open_site(LECTURE).page
    heading = page.locator("h2").first
    heading.hover()

    heading.get_by_title("Link to this section").click()

    expect(page).to_have_url(re.compile(f"#{heading.get_attribute('id')}$"))


def test_the_first_stop_of_the_keyboard_skips_to_the_content(open_site: Open) -> None:
    page = open_site(LECTURE).page

    page.keyboard.press("Tab")

    expect(page.get_by_role("link", name="Skip to content")).to_be_focused()


HEIGHTS_OF_HEADINGS = """() => {
  const headings = [...document.querySelectorAll("article :is(h1, h2, h3, h4):has(.headerlink)")];
  const heights = headings.map(one => one.offsetHeight);
  document.querySelectorAll(".headerlink").forEach(link => { link.style.display = "none" });
  return headings.map((one, place) => [heights[place], one.offsetHeight]);
}"""


def test_the_link_to_a_heading_takes_no_line(open_site: Open) -> None:
    opened = open_site(width=375, scripts=False)
    heights = [pair for page in opened.site.lectures for pair in opened.visit(page).evaluate(HEIGHTS_OF_HEADINGS)]

    assert len(heights) > 100
    assert [(shown, without) for shown, without in heights if shown != without] == []
