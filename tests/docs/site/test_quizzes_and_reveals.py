"""What a reader opens and chooses: answers with their reasons, solutions behind a reveal, and code to copy."""

from html import unescape

import pytest
from built_site import Site
from lxml import html
from opened_site import Open
from playwright.sync_api import Locator, expect
from secrets_of import lines_of_solutions, squeezed

from autograder.exam.model import Exam
from autograder.workspace import Workspace

pytestmark = pytest.mark.slow

LECTURE = "lectures/scaling/"


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
