"""<head-explorer>: it shows the weights of the file, says where the chosen token looks, and outlines where it should."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from chromium import violations
from playwright.sync_api import Page, expect

pytestmark = pytest.mark.slow

TAG = "<head-explorer></head-explorer>"
FILE = Path(__file__).resolve().parents[3] / "docs" / "widgets" / "trained_heads.json"
TRAINED: dict[str, Any] = json.loads(FILE.read_text(encoding="utf-8"))
TWICE = TRAINED["inputs"][0]


@pytest.fixture
def open_explorer(open_widget: Callable[..., Page]) -> Callable[..., Page]:
    """Opens the explorer, and waits for its weights."""

    def open_explorer(**settings: Any) -> Page:
        page = open_widget(TAG, **settings)
        page.wait_for_selector(".explorer-map")
        return page

    return open_explorer


@pytest.fixture
def page(open_explorer: Callable[..., Page]) -> Page:
    return open_explorer()


def test_it_begins_with_the_best_induction_head_after_training(page: Page) -> None:
    scores = [score for layer in TRAINED["scores"]["after"] for score in layer]
    chosen = page.locator(".explorer-heads label:has(:checked)")

    expect(chosen).to_contain_text(f"{max(scores):.2f}")
    expect(page.get_by_role("radio", name="after training")).to_be_checked()


def test_the_map_holds_the_weights_of_the_chosen_head(page: Page) -> None:
    choose_head(page, "1.2")

    expected = [number / 1000 for row in TWICE["after"][0][1] for number in row]
    assert shares(page, ".explorer-map i:not(.hidden)") == pytest.approx(expected)


def test_before_training_it_holds_the_weights_of_then(page: Page) -> None:
    choose_head(page, "1.2")
    page.get_by_role("radio", name="before training").check()

    expected = [number / 1000 for row in TWICE["before"][0][1] for number in row]
    assert shares(page, ".explorer-map i:not(.hidden)") == pytest.approx(expected)


def test_every_head_shows_its_induction_score_of_the_chosen_moment(page: Page) -> None:
    for words, moment in (("before training", "before"), ("after training", "after")):
        page.get_by_role("radio", name=words).check()
        shown = [text.split()[1] for text in page.locator(".explorer-heads span").all_inner_texts()]
        assert shown == [f"{score:.2f}" for layer in TRAINED["scores"][moment] for score in layer]


def test_a_chosen_token_is_read_with_its_weights(page: Page) -> None:
    choose_head(page, "2.1")
    token(page, 12).check()

    row = TWICE["after"][1][0][11]
    expect(page.get_by_role("status")).to_contain_text(f"{named(TWICE, 11)} puts")
    expect(page.get_by_role("status")).to_contain_text(f"{max(row) / 1000:.2f} on {named(TWICE, row.index(max(row)))}")
    assert shares(page, ".explorer-tokens span:not(.hidden)") == pytest.approx([number / 1000 for number in row])


def test_it_outlines_the_token_behind_the_last_occurrence(page: Page) -> None:
    token(page, 12).check()

    period = len(TWICE["tokens"]) // 2
    outlined = page.locator(".explorer-tokens .sought")
    expect(outlined).to_have_text(TWICE["tokens"][12 - period])
    expect(page.get_by_role("status")).to_contain_text(f"An induction head looks at {named(TWICE, 12 - period)}")


def test_a_token_that_has_not_come_up_before_has_nothing_to_look_for(page: Page) -> None:
    token(page, 3).check()

    expect(page.locator(".explorer-tokens .sought")).to_have_count(0)
    expect(page.get_by_role("status")).to_contain_text("has not come up before")


def test_another_input_brings_its_own_tokens(page: Page) -> None:
    page.get_by_role("radio", name="to be or not to be").check()

    expect(page.locator(".explorer-tokens span")).to_have_text(list("to␣be␣or␣not␣to␣be"))


def test_pointing_at_a_row_previews_its_token_until_the_pointer_leaves(page: Page) -> None:
    token(page, 12).check()

    page.locator(".explorer-row[data-place='4'] i").first.hover()
    expect(page.locator(".explorer-row.chosen")).to_have_attribute("data-place", "4")

    page.get_by_role("heading").hover()
    expect(page.locator(".explorer-row.chosen")).to_have_attribute("data-place", "11")
    expect(token(page, 12)).to_be_checked()


def test_a_clicked_row_stays_chosen(page: Page) -> None:
    page.locator(".explorer-row[data-place='4'] i").first.click()
    page.get_by_role("heading").hover()

    expect(token(page, 5)).to_be_checked()
    expect(page.locator(".explorer-row.chosen")).to_have_attribute("data-place", "4")


def test_another_input_ends_the_preview(page: Page) -> None:
    page.locator(".explorer-row[data-place='17'] i").first.hover()
    page.get_by_role("radio", name="to be or not to be").focus()
    page.keyboard.press("Space")

    last = len("to be or not to be") - 1
    expect(page.locator(".explorer-row.chosen")).to_have_attribute("data-place", str(last))


def test_arrow_keys_go_from_token_to_token(page: Page) -> None:
    token(page, 12).check()
    page.keyboard.press("ArrowLeft")

    expect(token(page, 11)).to_be_checked()
    expect(page.locator(".explorer-row.chosen")).to_have_attribute("data-place", "10")


def test_a_touched_token_is_chosen(open_explorer: Callable[..., Page]) -> None:
    page = open_explorer(width=375, touch=True)
    page.locator(".explorer-tokens label").nth(9).tap()

    expect(page.locator(".explorer-row.chosen")).to_have_attribute("data-place", "9")


def test_weights_that_do_not_arrive_are_told(open_widget: Callable[..., Page]) -> None:
    page = open_widget(TAG, first="globalThis.fetch = async () => new Response('no weights')")

    expect(page.get_by_role("status")).to_have_text(
        "The weights could not be loaded. Load the page again when you are online."
    )


@pytest.mark.parametrize(("scheme", "width"), [("default", 1280), ("default", 375), ("slate", 1280), ("slate", 375)])
def test_it_is_accessible(open_explorer: Callable[..., Page], scheme: str, width: int) -> None:
    assert violations(open_explorer(scheme=scheme, width=width)) == []


@pytest.mark.parametrize("read", [read["name"] for read in TRAINED["inputs"]])
def test_no_input_is_wider_than_a_phone(
    open_explorer: Callable[..., Page], overflow: Callable[[Page], int], read: str
) -> None:
    page = open_explorer(width=375)
    page.get_by_role("radio", name=read).check()

    assert overflow(page) <= 0


def choose_head(page: Page, name: str) -> None:
    page.locator(".explorer-heads label", has_text=name).get_by_role("radio").check()


def token(page: Page, number: int) -> Any:
    """The radio button of a token, counted from 1."""
    return page.locator(".explorer-tokens").get_by_role("radio").nth(number - 1)


def named(read: dict[str, Any], place: int) -> str:
    return f"“{read['tokens'][place]}” ({place + 1})"


def shares(page: Page, selector: str) -> list[float]:
    read = "found => found.map(one => Number(one.style.getPropertyValue('--share')))"
    return [float(number) for number in page.locator(selector).evaluate_all(read)]
