"""With scripts switched off the lectures are read and the quizzes answered."""

import pytest
from opened_site import Open
from playwright.sync_api import expect

pytestmark = pytest.mark.slow

LECTURE = "lectures/scaling/"


def test_a_lecture_can_be_read_and_words_replace_its_widgets(open_site: Open) -> None:
    page = open_site(LECTURE, scripts=False).page

    assert page.get_by_role("heading", level=1).is_visible()
    assert len(page.locator("article").inner_text()) > 1000
    instead = page.locator(".widget .instead").all_inner_texts()
    assert len(instead) == page.locator(".widget").count() > 1
    assert min(map(len, instead)) > 20


def test_an_answer_that_is_chosen_shows_its_reason(open_site: Open) -> None:
    choice = open_site(LECTURE, scripts=False).page.locator(".quiz .choice").first
    expect(choice.locator(".because p")).to_be_hidden()

    choice.get_by_role("radio").check()

    expect(choice.locator(".because p")).to_be_visible()
