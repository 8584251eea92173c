"""With scripts switched off the lectures are read, the quizzes answered and the pages found."""

import re
from collections.abc import Callable
from dataclasses import dataclass

import pytest
from opened_site import Open, Opened, Reader
from playwright.sync_api import Page, expect

pytestmark = pytest.mark.slow

LECTURE = "lectures/scaling/"

LEFT_OVER = """() => [...document.querySelectorAll("button, input, select, textarea, label, [role=button]")]
  .filter(control => control.checkVisibility({ visibilityProperty: true, opacityProperty: true }))
  .filter(control => !control.closest(".quiz") && !control.matches("[for=__drawer], [for=__toc], [for^=__nav]"))
  .map(control => control.outerHTML.slice(0, 120))"""


@dataclass(frozen=True)
class Lecture:
    """What a reader without scripts sees of a lecture. instead: for each widget, the words that stand in its place."""

    heading: bool
    characters: int
    instead: list[str]


@pytest.fixture(scope="module")
def lectures(windows: Callable[[Reader], Opened]) -> dict[str, Lecture]:
    opened = windows(Reader(scripts=False))
    return {path: seen(opened.visit(path)) for path in opened.site.lectures}


def seen(page: Page) -> Lecture:
    return Lecture(
        page.get_by_role("heading", level=1).is_visible(),
        len(page.locator("article").inner_text()),
        [
            widget.inner_text() if widget.locator(".instead").is_visible() else ""
            for widget in page.locator(".widget").all()
        ],
    )


def test_every_lecture_can_be_read(lectures: dict[str, Lecture]) -> None:
    assert len(lectures) > 20
    assert [path for path, seen in lectures.items() if not seen.heading or seen.characters <= 1000] == []


def test_a_widget_is_replaced_by_words(lectures: dict[str, Lecture]) -> None:
    widgets = [(path, words) for path, seen in lectures.items() for words in seen.instead]

    assert len(widgets) > 1
    assert [path for path, words in widgets if len(words) <= 20] == []


def test_a_reader_goes_on_to_the_next_lecture(open_site: Open) -> None:
    page = open_site(LECTURE, scripts=False).page
    heading = page.get_by_role("heading", level=1).inner_text()

    page.get_by_role("link", name=re.compile("^Next: ")).click()

    expect(page.get_by_role("heading", level=1)).not_to_have_text(heading)


def test_the_menu_of_a_phone_opens_and_leads_on(open_site: Open) -> None:
    opened = open_site("lectures/why_attention/", width=375, scripts=False)
    opened.page.locator("label.md-header__button[for=__drawer]").click()

    opened.page.get_by_role("link", name="Why divide by a square root").first.click()

    expect(opened.page).to_have_url(opened.site.address + LECTURE)


def test_an_answer_that_is_chosen_shows_its_reason(open_site: Open) -> None:
    choice = open_site(LECTURE, scripts=False).page.locator(".quiz .choice").first
    expect(choice.locator(".because p")).to_be_hidden()

    choice.get_by_role("radio").check()

    expect(choice.locator(".because p")).to_be_visible()


def test_a_reveal_opens(open_site: Open) -> None:
    reveal = open_site(LECTURE, scripts=False).page.locator("details.solution").first

    reveal.locator("summary").click()

    expect(reveal.locator("code").first).to_be_visible()


@pytest.mark.parametrize("width", [375, 1280])
def test_no_control_is_shown_that_would_do_nothing(open_site: Open, width: int) -> None:
    opened = open_site(width=width, scripts=False)
    left = {path: opened.visit(path).evaluate(LEFT_OVER) for path in ("", LECTURE)}

    assert left == {"": [], LECTURE: []}
