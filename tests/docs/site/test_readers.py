"""Readers navigate, search, resume and answer quizzes on the site, with scripts and without."""

import re
from html import unescape

import pytest
from built_site import Site
from lxml import html
from opened_site import Open, Opened
from playwright.sync_api import Locator, Page, expect
from secrets_of import lines_of_solutions, squeezed

from autograder.exam.model import Exam
from autograder.workspace import Workspace

pytestmark = [pytest.mark.slow, pytest.mark.world]

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


# Steps


@pytest.fixture
def steps(open_site: Open) -> Page:
    return open_site("reference/steps/").page


def test_what_is_typed_leaves_the_cards_that_hold_every_word(steps: Page) -> None:
    steps.get_by_label("Find a step").fill("softmax scores")

    cards = steps.locator("h3.step")
    shown = [card.inner_text() for card in cards.all() if card.is_visible()]
    assert any("attention_weights" in card for card in shown)
    assert 0 < len(shown) < cards.count()
    expect(steps.get_by_role("status").first).to_have_text(f"{len(shown)} of {cards.count()}")


def test_a_link_to_a_card_shows_it_whatever_is_typed(steps: Page) -> None:
    steps.get_by_label("Find a step").fill("no card has these words")
    card = steps.locator("h3.step").last
    expect(card).to_be_hidden()

    steps.evaluate("id => { location.hash = id }", card.get_attribute("id"))

    expect(card).to_be_in_viewport()
    expect(steps.get_by_label("Find a step")).to_have_value("")


# Search


EXPLAINED = {
    "self-attention": "why_attention",
    "QKV": "queries_keys_values",
    "masked attention": "causal_mask",
    "MHA": "several_heads",
    "key-value cache": "kv_cache",
    "multi-query": "shared_heads",
    "RoPE": "rotary_positions",
    "layer normalization": "transformer_block",
    "perplexity": "training",
    "induction head": "reading_heads",
}


def test_the_first_result_is_the_page_that_explains_the_word(open_site: Open) -> None:
    page = open_site().page
    search, results = page.get_by_role("textbox", name="Search"), page.locator(".md-search-result__link")
    search.click()
    found = {}
    for word in EXPLAINED:
        ask(search, "")
        expect(results).to_have_count(0)
        ask(search, word)
        results.first.wait_for()
        found[word] = (results.first.get_attribute("href") or "").partition("?")[0].rstrip("/").rpartition("/")[2]

    assert found == EXPLAINED


def ask(search: Locator, text: str) -> None:
    search.fill(text)
    search.dispatch_event("keyup")  # Material listens to keys


# What was read


def test_a_lecture_that_was_read_to_its_end_is_ticked_and_the_next_one_is_offered(first_visit: Opened) -> None:
    read_to_the_end(first_visit, "lectures/why_attention/")

    page = first_visit.visit("")

    expect(page.locator(".start")).to_contain_text(re.compile(r"You have read 1 of \d+ lectures"))
    expect(page.locator(".start a")).to_have_text("Attention with nothing to learn")
    marks = page.locator(".is-read").evaluate_all("all => all.map(one => getComputedStyle(one, '::after').content)")
    assert {*marks} == {'"\N{NO-BREAK SPACE}✓" / " (read)"'}


def test_what_was_read_is_forgotten_on_demand(first_visit: Opened) -> None:
    read_to_the_end(first_visit, "lectures/scores/")
    page = first_visit.visit("")
    page.get_by_role("button", name="Forget this").click()

    expect(page.locator(".start")).to_contain_text("Start here: Why attention")
    expect(page.locator(".is-read")).to_have_count(0)


def read_to_the_end(window: Opened, lecture: str) -> None:
    page = window.visit(lecture)
    page.locator("article > :last-child").scroll_into_view_if_needed()
    expect(page.locator(".md-nav__link.is-read")).not_to_have_count(0)


# Quizzes and reveals


def test_every_answer_that_is_clicked_shows_its_own_reason_and_whether_it_is_right(open_site: Open) -> None:
    for quiz in open_site(LECTURE).page.locator(".quiz").all():
        for choice in quiz.locator(".choice").all():
            choice.locator("label").click()
            assert_shown(quiz, choice)


def test_the_arrow_keys_choose_an_answer(open_site: Open) -> None:
    quiz = open_site(LECTURE).page.locator(".quiz").first
    first, second = quiz.locator(".choice").all()[:2]
    first.get_by_role("radio").press("Space")
    assert_shown(quiz, first)

    first.get_by_role("radio").press("ArrowDown")

    assert_shown(quiz, second)


def test_a_reveal_opens_and_closes_by_keyboard(open_site: Open) -> None:
    reveal = open_site(LECTURE).page.locator("details.solution").first
    code = reveal.locator("code").first
    expect(code).to_be_hidden()

    reveal.locator("summary").press("Enter")
    expect(code).to_be_visible()

    reveal.locator("summary").press("Enter")
    expect(code).to_be_hidden()


@pytest.mark.world
def test_a_site_built_without_solutions_holds_no_line_of_one(
    class_site: Site, course: Workspace, practice: Exam
) -> None:
    secrets = lines_of_solutions(course, practice.syllabus)
    texts = {page: "".join(html.parse(class_site.file(page)).xpath("//body//text()")) for page in class_site.pages}
    files = (path for path in class_site.folder.rglob("*") if path.suffix in (".json", ".xml", ".md", ".py", ".txt"))
    texts |= {path.name: unescape(path.read_text("utf-8")) for path in files}

    assert "search_index.json" in texts
    assert [(name, line) for name, text in texts.items() for line in secrets if line in squeezed(text)] == []


def test_the_search_of_a_site_with_solutions_shows_none(site: Site, course: Workspace, practice: Exam) -> None:
    index = squeezed(unescape((site.folder / "search" / "search_index.json").read_text("utf-8")))

    assert [line for line in lines_of_solutions(course, practice.syllabus) if line in index] == []


def assert_shown(quiz: Locator, choice: Locator) -> None:
    """The reason of this choice stands there, says whether it is right, and is the only one."""
    right = "right" in (choice.get_attribute("class") or "").split()
    expect(quiz.locator(".because p:visible")).to_have_count(1)
    expect(choice.locator(".because strong").first).to_have_text("Right." if right else "No.")
    expect(choice.locator(".because p")).to_be_visible()


# Without scripts


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
