"""<head-split>: every stage holds what torch holds, and only the exchange back makes merging give the input again."""

import json
from collections.abc import Callable

import pytest
import torch
from chromium import violations
from playwright.sync_api import Page, expect
from torch import Tensor

pytestmark = pytest.mark.slow

X = torch.tensor(
    [
        [-0.2705, -0.3346, -0.4582, 0.6342, -0.0257, 0.6895],
        [-0.2823, -0.6065, -0.6140, 0.4528, 0.0178, 0.6942],
        [-0.2511, -0.3628, -0.4498, 0.2973, -0.0592, 0.5851],
    ],
    dtype=torch.float64,
)
LABELS = ["token 1", "token 2", "token 3"]
TAG = f"<head-split x='{X.tolist()}' labels='{json.dumps(LABELS)}' heads='2'></head-split>"
MERGED = 6


@pytest.fixture
def page(open_widget: Callable[..., Page]) -> Page:
    return open_widget(TAG)


def stages(heads: int) -> list[Tensor]:
    split = X.view(3, heads, 6 // heads)
    grouped = split.transpose(0, 1)
    back = grouped.transpose(0, 1)
    return [X, split, grouped, grouped, back, back.reshape(3, 6)]


@pytest.mark.parametrize("heads", [1, 2, 3, 6])
def test_every_stage_holds_the_numbers_of_torch(page: Page, heads: int) -> None:
    choose_heads(page, heads)
    for number, tensor in enumerate(stages(heads), start=1):
        go_to(page, number)
        assert shown(page) == printed(tensor)


def test_every_stage_names_its_shape_and_its_dimensions(page: Page) -> None:
    headings = []
    for stage in range(1, MERGED + 1):
        go_to(page, stage)
        headings.append(page.locator(".head-heading").inner_text())
    assert headings == [
        "(3, 6) token, number",
        "(3, 2, 3) token, head, number",
        "(2, 3, 3) head, token, number",
        "2 × (3, 3) token, number",
        "(3, 2, 3) token, head, number",
        "(3, 6) token, number",
    ]


def test_the_number_of_heads_is_one_of_the_divisors(page: Page) -> None:
    offered = page.get_by_role("group", name="Heads", exact=True).get_by_role("radio")
    assert [one.input_value() for one in offered.all()] == ["1", "2", "3", "6"]


def test_more_heads_are_shorter_heads(page: Page) -> None:
    go_to(page, 4)
    choose_heads(page, 3)
    expect(page.locator(".head-heading")).to_have_text("3 × (3, 2) token, number")


def test_numbers_have_the_colour_of_their_head(page: Page) -> None:
    go_to(page, 3)
    colours = page.locator("td").evaluate_all("cells => cells.map(cell => cell.className)")
    assert colours == ["head-1"] * 9 + ["head-2"] * 9


def test_merging_gives_back_the_input_and_says_so(page: Page) -> None:
    go_to(page, MERGED)
    expect(page.get_by_role("status")).to_contain_text("All 18 numbers are back where they were: exactly the input.")


def test_merged_without_exchanging_back_the_numbers_are_those_that_torch_scrambles(page: Page) -> None:
    page.get_by_role("button", name="Merge without exchanging back").click()
    go_to(page, MERGED)
    assert shown(page) == printed(scrambled())


def test_exactly_the_scrambled_numbers_are_marked_and_counted(page: Page) -> None:
    page.get_by_role("button", name="Merge without exchanging back").click()
    go_to(page, MERGED)
    marked = page.locator("td").evaluate_all("cells => cells.map(cell => cell.classList.contains('astray'))")
    assert marked == (scrambled() != X).flatten().tolist()
    expect(page.get_by_role("status")).to_contain_text("12 of 18 numbers are astray (≠)")


def test_it_says_which_tokens_the_scrambled_first_row_mixes(page: Page) -> None:
    page.get_by_role("button", name="Merge without exchanging back").click()
    go_to(page, MERGED)
    expect(page.get_by_role("status")).to_contain_text("the first row now mixes tokens 1 and 2.")


def test_without_the_exchange_back_the_heads_still_stand_in_front(page: Page) -> None:
    page.get_by_role("button", name="Merge without exchanging back").click()
    go_to(page, 5)
    expect(page.locator(".head-heading")).to_have_text("(2, 3, 3) head, token, number")


def test_the_switch_says_whether_it_is_on(page: Page) -> None:
    switch = page.get_by_role("button", name="Merge without exchanging back")
    switch.click()
    expect(switch).to_have_attribute("aria-pressed", "true")
    switch.click()
    expect(switch).to_have_attribute("aria-pressed", "false")


@pytest.mark.parametrize("stage", [1, 2, 3, 4])
def test_before_the_exchange_back_the_switch_leads_to_where_it_shows(page: Page, stage: int) -> None:
    go_to(page, stage)
    page.get_by_role("button", name="Merge without exchanging back").click()
    expect(page.get_by_role("slider", name="Stage")).to_have_value(str(MERGED))
    assert shown(page) == printed(scrambled())


def test_with_one_head_forgetting_the_exchange_does_no_harm(page: Page) -> None:
    choose_heads(page, 1)
    page.get_by_role("button", name="Merge without exchanging back").click()
    go_to(page, MERGED)
    expect(page.get_by_role("status")).to_contain_text("exactly the input. One head has nothing to exchange.")


def test_arrow_keys_move_through_the_stages_and_name_them(page: Page) -> None:
    page.get_by_role("slider", name="Stage").focus()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowRight")
    expect(page.get_by_role("slider")).to_have_attribute("aria-valuetext", "3 of 6: grouped by head")
    assert shown(page) == printed(stages(2)[2])


def test_a_row_is_found_by_the_label_of_its_token(open_widget: Callable[..., Page]) -> None:
    page = open_widget("""<head-split x="[[1, 2], [3, 4]]" labels='["Your", "journey"]' heads="2"></head-split>""")
    go_to(page, 3)
    row = page.get_by_role("table", name="head 2").get_by_role("row", name="journey")
    expect(row.get_by_role("cell")).to_have_text("4")


def test_whole_numbers_are_shown_without_decimals(open_widget: Callable[..., Page]) -> None:
    page = open_widget("""<head-split x="[[1, 2], [3, 4]]" labels='["Your", "journey"]' heads="2"></head-split>""")
    assert shown(page) == ["1", "2", "3", "4"]


def test_numbers_glide_to_their_new_places(page: Page) -> None:
    go_to(page, 3)
    assert page.evaluate("document.getAnimations().length") == X.numel()


def test_nothing_glides_for_readers_who_want_less_motion(open_widget: Callable[..., Page]) -> None:
    page = open_widget(TAG, calm=True)
    go_to(page, 3)
    assert page.evaluate("document.getAnimations().length") == 0


@pytest.mark.parametrize(("scheme", "width"), [("default", 1280), ("slate", 375)])
def test_it_is_accessible(open_widget: Callable[..., Page], scheme: str, width: int) -> None:
    page = open_widget(TAG, scheme=scheme, width=width, calm=True)
    page.get_by_role("button", name="Merge without exchanging back").click()
    go_to(page, MERGED)
    assert violations(page) == []


@pytest.mark.parametrize("heads", [1, 2, 3, 6])
def test_no_stage_is_wider_than_a_phone(
    open_widget: Callable[..., Page], overflow: Callable[[Page], int], heads: int
) -> None:
    page = open_widget(TAG, width=375, calm=True)
    choose_heads(page, heads)
    for stage in range(1, MERGED + 1):
        go_to(page, stage)
        assert overflow(page) <= 0


def go_to(page: Page, stage: int) -> None:
    page.get_by_role("slider", name="Stage").fill(str(stage))


def choose_heads(page: Page, heads: int) -> None:
    page.get_by_role("group", name="Heads", exact=True).get_by_role("radio", name=str(heads)).check()


def scrambled() -> Tensor:
    return X.view(3, 2, 3).transpose(0, 1).reshape(3, 6)


def shown(page: Page) -> list[str]:
    """The numbers on the screen, in reading order."""
    return [text.split()[0] for text in page.locator(".head-screen td").all_inner_texts()]


def printed(tensor: Tensor) -> list[str]:
    return [f"{number:.4f}".replace("-", "−") for number in tensor.flatten().tolist()]
