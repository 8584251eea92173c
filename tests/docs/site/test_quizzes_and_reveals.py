"""What a reader opens and chooses: answers with their reasons, solutions behind a reveal, and code to copy."""

import re
from html import unescape
from pathlib import Path

import pytest
from built_site import ROOT, Site
from lxml import html
from opened_site import Open
from playwright.sync_api import Locator, expect
from secrets_of import lines_of_solutions, squeezed

from autograder.exam.model import Exam
from autograder.workspace import Workspace

pytestmark = pytest.mark.slow

LECTURE = "lectures/scaling/"


def test_every_question_has_exactly_one_right_answer(site: Site) -> None:
    counts = {
        page: [len(quiz.xpath(".//*[contains(@class, 'right')]")) for quiz in found(site, page, "quiz")]
        for page in site.pages
    }

    assert any(counts.values())
    assert {page: right for page, right in counts.items() if set(right) - {1}} == {}


def test_every_lecture_asks_something(site: Site) -> None:
    assert [page for page in site.lectures if not found(site, page, "quiz")] == []


def test_no_reason_stands_there_before_an_answer_is_chosen(open_site: Open) -> None:
    page = open_site(LECTURE).page

    assert page.locator(".because p").count() > 1
    assert page.locator(".because p:visible").count() == 0


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


def test_a_reveal_shows_the_code_of_the_reference(site: Site) -> None:
    reference = {line.strip() for path in (ROOT / "solutions").glob("part*.py") for line in lines(path)}
    shown = [
        line.strip()
        for page in site.lectures
        for reveal in found(site, page, "solution")
        for line in "".join(reveal.xpath(".//code//text()")).splitlines()
    ]

    assert len(shown) > 20
    assert set(shown) - reference == set()


@pytest.mark.world
def test_a_site_built_without_solutions_reveals_none(class_site: Site) -> None:
    assert [page for page in class_site.pages if found(class_site, page, "solution")] == []


@pytest.mark.world
def test_a_site_built_without_solutions_has_no_empty_reveal(class_site: Site) -> None:
    empty = [
        page
        for page in class_site.pages
        for reveal in html.parse(class_site.file(page)).xpath("//details")
        if not "".join(reveal.xpath("./*[not(self::summary)]//text()")).strip()
    ]

    assert empty == []


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


def test_a_copy_button_puts_the_code_on_the_clipboard(open_site: Open) -> None:
    page = open_site(LECTURE, permissions=("clipboard-read", "clipboard-write")).page
    block = page.locator("article > .highlight").first

    block.get_by_title("Copy to clipboard").click()

    expect(page.get_by_text("Copied to clipboard")).to_be_visible()
    assert page.evaluate("navigator.clipboard.readText()").rstrip() == block.locator("code").inner_text().rstrip()


def assert_shown(quiz: Locator, choice: Locator) -> None:
    """The reason of this choice stands there, says whether it is right, and is the only one."""
    right = "right" in (choice.get_attribute("class") or "").split()
    expect(quiz.locator(".because p:visible")).to_have_count(1)
    expect(choice.locator(".because strong").first).to_have_text("Right." if right else "No.")
    expect(choice.locator(".because p")).to_be_visible()


def found(site: Site, page: str, kind: str) -> list[html.HtmlElement]:
    """Return the elements of a class on a page."""
    return html.parse(site.file(page)).xpath(f"//*[contains(concat(' ', @class, ' '), ' {kind} ')]")


def lines(path: Path) -> list[str]:
    return path.read_text("utf-8").splitlines()


def test_letters_pressed_in_a_question_do_not_turn_the_page(open_site: Open) -> None:
    page = open_site(LECTURE).page
    page.locator(".quiz input").first.press("Space")

    page.keyboard.press("n")
    page.keyboard.press("p")

    expect(page.locator(".quiz input").first).to_be_checked()
    expect(page).to_have_title(re.compile("Why divide by"))


COPIES = """() => [...document.querySelectorAll("pre:has(nav):has(code)")].filter(one => one.querySelector("nav").offsetWidth).map(block => {
  const [code, nav] = [block.querySelector("code"), block.querySelector("nav")];
  const { paddingTop, lineHeight, paddingRight } = getComputedStyle(code);
  const below = nav.getBoundingClientRect().bottom - code.getBoundingClientRect().top - parseFloat(paddingTop);
  return {
    covers: below / parseFloat(lineHeight),
    scrolledOut: code.getBoundingClientRect().right - parseFloat(paddingRight) <= nav.getBoundingClientRect().left + 1,
    wraps: getComputedStyle(code).whiteSpace === "pre-wrap",
  };
})"""


@pytest.mark.parametrize("width", [320, 1280])
def test_the_button_that_copies_takes_room_of_the_first_line_only(open_site: Open, width: int) -> None:
    found = open_site("lectures/queries_keys_values/", width=width).page.evaluate(COPIES)

    assert len(found) > 5
    assert [one for one in found if one["covers"] > 1 or not (one["scrolledOut"] or one["wraps"])] == []


def test_commands_are_whole_on_the_narrowest_phone(open_site: Open) -> None:
    opened = open_site(width=320)
    wide = [
        opened.visit(page).evaluate(
            "() => [...document.querySelectorAll('.language-sh code')].filter(one => one.scrollWidth > one.clientWidth).length"
        )
        for page in ("", "teach_the_course/", "lectures/kv_cache/")
    ]

    assert wide == [0, 0, 0]


def test_code_of_a_lecture_fits_its_column_at_a_desk(open_site: Open) -> None:
    opened = open_site(scripts=False)
    cut = [
        (page, line)
        for page in opened.site.lectures
        for line in opened.visit(page).evaluate(
            """() => [...document.querySelectorAll(".highlight:not(.result, .task *) code")]
            .filter(one => one.scrollWidth > one.clientWidth)
            .map(one => one.textContent.split("\\n").toSorted((a, b) => b.length - a.length)[0])"""
        )
    ]

    assert cut == []


def test_code_that_goes_on_fades_at_the_edge_and_other_code_does_not(open_site: Open) -> None:
    blocks = open_site("lectures/queries_keys_values/", width=375).page.locator("article > .highlight pre > code")
    wide, masks = (
        blocks.evaluate_all(script)
        for script in (
            "all => all.map(one => one.scrollWidth > one.clientWidth)",
            "all => all.map(one => getComputedStyle(one).maskImage !== 'none')",
        )
    )

    assert {*wide} == {True, False}
    assert masks == wide
