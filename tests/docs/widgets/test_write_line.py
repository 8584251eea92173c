"""The box in which readers write a line: what they see, hear and press."""

import re
from collections.abc import Callable

import pytest
import torch
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


def test_the_heads_of_a_sentence_stand_in_one_row(open_widget: OpenWidget) -> None:
    two = {"queries": torch.ones(2, 2, 3, 3), "keys": torch.ones(2, 2, 3, 3)}
    drawn = write("part4_multihead.head_scores", "Write them.", cases=(two,))
    page = open_widget(drawn.page.removeprefix("<div>").removesuffix("</div>"))

    tables = page.locator(".line-matrices").first.locator("table")
    expect(tables).to_have_count(4)
    corners = tables.evaluate_all("all => all.map(one => one.getBoundingClientRect()).map(({ x, y }) => [x, y])")
    (first, second, third, fourth) = corners
    assert first[1] == second[1] < third[1] == fourth[1]
    assert (first[0], second[0]) == (third[0], fourth[0])


def test_tensors_have_the_colours_of_their_roles(page: Page) -> None:
    page.get_by_text("The numbers that go in").click()
    roles = {
        name: page.locator(".widget-scroll", has_text=name).first.get_attribute("class")
        for name in ("expected", "queries", "keys")
    }

    assert roles == {"expected": "widget-scroll weight", "queries": "widget-scroll query", "keys": "widget-scroll key"}


def test_what_is_hidden_is_hatched(page: Page) -> None:
    typed(page, "torch.ones(6, 6).triu(1).bool()")

    expect(page.locator("td.hidden", has_text="True")).to_have_count(15)
    expect(page.locator("td.hidden", has_text="False")).to_have_count(0)


def test_an_empty_field_shows_what_a_line_is(page: Page) -> None:
    expect(page.get_by_role("textbox")).to_have_attribute("placeholder", "such as queries + 1")


def test_what_comes_out_is_drawn_beside_what_is_expected_as_one_types(page: Page) -> None:
    page.get_by_role("textbox").press_sequentially("queries @ keys.mT")

    assert table(page, "yours (6, 6)") == table(page, "expected (6, 6)")
    assert says(page).startswith("Right")


def test_numbers_that_differ_are_marked_for_the_eye_and_aloud(page: Page) -> None:
    typed(page, "(queries @ keys.mT).tril()")

    expect(page.locator("td.line-wrong")).to_have_count(15)
    assert page.locator("td.line-wrong").first.inner_text().split() == ["0.0000", "differs"]


def test_a_problem_is_underlined_where_it_is(page: Page) -> None:
    typed(page, "queries @ kyes.mT")

    expect(page.locator("mark")).to_have_text("kyes")
    expect(page.get_by_role("textbox")).to_have_attribute("aria-invalid", "true")


def test_a_problem_that_is_mended_is_underlined_no_more(page: Page) -> None:
    typed(page, "queries @ kyes.mT")
    typed(page, "queries @ keys.mT")

    expect(page.locator("mark")).to_have_text("")
    expect(page.get_by_role("textbox")).to_have_attribute("aria-invalid", "false")


def test_the_verdict_is_read_aloud_without_signs_of_markup(page: Page) -> None:
    typed(page, "queries @ keys.T")

    expect(page.get_by_role("status").filter(has_text="Swap only the last two")).to_contain_text(
        "Swap only the last two dimensions of the keys: keys.transpose(-2, -1)."
    )


def test_where_only_the_batch_is_wrong_the_batch_is_drawn(page: Page) -> None:
    typed(page, "queries @ keys.T")

    expect(page.locator(".line-names")).to_contain_text("You have in “batch” queries (2, 4, 3)")
    expect(page.locator("caption").first).to_have_text("expected (2, 4, 5) at [0]")


def test_a_press_on_a_name_writes_it_at_the_caret(page: Page) -> None:
    typed(page, " @ ")
    page.get_by_role("textbox").press("Home")
    page.get_by_role("button", name="queries").click()
    page.get_by_role("textbox").press("End")
    page.get_by_role("button", name="keys").click()

    expect(page.get_by_role("textbox")).to_have_value("queries @ keys")
    expect(page.get_by_role("textbox")).to_be_focused()


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


def test_clear_takes_the_line_away(page: Page) -> None:
    typed(page, "queries")
    page.get_by_role("button", name="Clear").click()

    expect(page.get_by_role("textbox")).to_have_value("")
    assert says(page).startswith("Nothing is written yet.")


def test_the_numbers_that_go_in_can_be_looked_at(page: Page) -> None:
    page.get_by_text("The numbers that go in").click()

    expect(page.locator(".line-inputs caption")).to_have_text(["queries (6, 2)", "keys (6, 2)"])


def test_several_lines_make_the_field_higher(page: Page) -> None:
    field = page.get_by_role("textbox")
    low = field.bounding_box()
    typed(page, "turned = keys.mT\nqueries @ turned")
    high = field.bounding_box()

    assert low is not None
    assert high is not None
    assert high["height"] > 1.5 * low["height"]
    assert says(page).startswith("Right")


def test_the_underlined_copy_breaks_its_lines_as_the_field_does(open_widget: OpenWidget, tag: str) -> None:
    page = open_widget(tag, width=375)
    typed(page, "queries @ keys.transpose(-2, -1) @ queries @ kyes.transpose(-2, -1) " * 2)

    field = page.get_by_role("textbox")
    assert field.evaluate("field => [field.scrollHeight <= field.clientHeight, field.scrollTop]") == [True, 0]


@pytest.mark.parametrize(("scheme", "width"), [("default", 1280), ("slate", 375), ("slate", 320)])
@pytest.mark.parametrize("line", ["", "queries @ keys.T", "queries @ keys.mT", "queries @ kyes"])
def test_it_is_accessible_and_stays_in_the_page(
    open_widget: OpenWidget, overflow: Callable[[Page], int], tag: str, scheme: str, width: int, line: str
) -> None:
    page = open_widget(tag, scheme=scheme, width=width)
    typed(page, line)
    page.get_by_role("button", name="Hint").click()
    page.get_by_text("The numbers that go in").click()

    assert violations(page) == []
    assert overflow(page) <= 0


def test_on_the_narrowest_phone_rows_keep_their_names_and_yours_stands_below(open_widget: OpenWidget, tag: str) -> None:
    page = open_widget(tag, width=320)
    typed(page, "queries")
    expected, yours = page.locator(".line-tensors").first.locator(".line-side").all()

    names = expected.locator("th[scope=row]")
    sizes = names.evaluate_all("all => all.map(one => parseFloat(getComputedStyle(one).fontSize))")
    assert names.all_inner_texts() == ["Your", "journey", "starts", "with", "one", "step"]
    assert min(sizes) >= 12
    assert expected.evaluate("side => side.getBoundingClientRect().bottom") <= yours.evaluate(
        "side => side.getBoundingClientRect().top"
    )


def test_its_names_are_described_to_who_hears_the_field(page: Page) -> None:
    expect(page.get_by_role("textbox")).to_have_accessible_description(re.compile("You have queries .*keys"))
