"""The box in which readers write a line: what they see, hear and press."""

from collections.abc import Callable

import pytest
from chromium import violations
from playwright.sync_api import Page, expect

from autograder.site.written_line import write
from autograder.workspace import COURSE

pytestmark = pytest.mark.slow

OpenWidget = Callable[..., Page]


@pytest.fixture(scope="module")
def tag() -> str:
    COURSE.course.at_home()
    drawn = write("part2_trainable.attention_scores", "Write the scores.", cases=("journey", "batch"))
    return drawn.page.removeprefix("<div>").removesuffix("</div>")


@pytest.fixture
def page(open_widget: OpenWidget, tag: str) -> Page:
    return open_widget(tag)


def typed(page: Page, text: str) -> None:
    page.get_by_role("textbox", name="Write the scores.").fill(text)


def says(page: Page) -> str:
    return page.locator(".widget-says span").first.inner_text()


def table(page: Page, name: str) -> list[list[str]]:
    rows = page.locator("table", has_text=name).first.locator("tr:has(td:not(:empty))")
    return [row.locator("td:not(:empty)").all_inner_texts() for row in rows.all()]


def test_what_is_expected_is_drawn_before_anything_is_written(page: Page) -> None:
    assert len(table(page, "expected (6, 6)")) == 6
    expect(page.locator(".line-nothing")).to_have_text("yours: nothing yet")
    assert says(page).startswith("Nothing is written yet.")


def test_what_comes_out_is_drawn_beside_what_is_expected_as_one_types(page: Page) -> None:
    page.get_by_role("textbox").press_sequentially("queries @ keys.mT")

    assert table(page, "yours (6, 6)") == table(page, "expected (6, 6)")
    assert says(page).startswith("Right")


def test_a_problem_is_underlined_where_it_is(page: Page) -> None:
    typed(page, "queries @ kyes.mT")

    expect(page.locator("mark")).to_have_text("kyes")
    expect(page.get_by_role("textbox")).to_have_attribute("aria-invalid", "true")


def test_the_verdict_is_read_aloud_without_signs_of_markup(page: Page) -> None:
    typed(page, "queries @ keys.T")

    expect(page.get_by_role("status").filter(has_text="Swap only the last two")).to_contain_text(
        "Swap only the last two dimensions of the keys: keys.transpose(-2, -1)."
    )


def test_with_the_keyboard_one_goes_from_the_line_to_the_hint(page: Page) -> None:
    page.get_by_role("textbox").focus()
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")

    expect(page.locator(".line-hints li")).to_have_count(1)


def test_hints_come_one_at_a_time_and_end(page: Page) -> None:
    step = COURSE.course.part("part2_trainable").step("attention_scores")
    hint = page.get_by_role("button", name="Hint")
    for number in range(1, len(step.hints) + 1):
        hint.click()
        expect(page.locator(".line-hints li")).to_have_count(number)

    expect(hint).to_be_disabled()
    assert page.locator(".line-hints li").all_inner_texts() == [text.replace("`", "") for text in step.hints]


@pytest.mark.parametrize(("scheme", "width"), [("default", 1280), ("slate", 375)])
@pytest.mark.parametrize("line", ["queries @ keys.mT", "queries @ kyes"])
def test_it_is_accessible_and_stays_in_the_page(
    open_widget: OpenWidget, overflow: Callable[[Page], int], tag: str, scheme: str, width: int, line: str
) -> None:
    page = open_widget(tag, scheme=scheme, width=width)
    typed(page, line)
    page.get_by_role("button", name="Hint").click()
    page.get_by_text("The numbers that go in").click()

    assert violations(page) == []
    assert overflow(page) <= 0
