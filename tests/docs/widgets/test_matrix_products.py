"""<matrix-products>: every number of attention on a sentence, and the sum that made it."""

import json
from collections.abc import Callable

import pytest
import torch
from chromium import violations
from playwright.sync_api import Locator, Page, expect

from course.attention.example_inputs import journey, lecture_weights, wars

pytestmark = pytest.mark.slow

FIRST = "Your journey starts with one step"
SECOND = "wars not make one great"
INPUTS, OTHERS = journey(), wars()
W_QUERY, W_KEY, W_VALUE = lecture_weights()
EXAMPLES = [
    {"name": name, "tokens": name.split(), "inputs": [[round(number, 2) for number in row] for row in inputs.tolist()]}
    for name, inputs in ((FIRST, INPUTS), (SECOND, OTHERS))
]
TAG = f"""<matrix-products examples='{json.dumps(EXAMPLES)}'
  w-query="{W_QUERY.tolist()}" w-key="{W_KEY.tolist()}" w-value="{W_VALUE.tolist()}"></matrix-products>"""
STAGES = ("inputs", "queries", "keys", "values", "scores", "scaled", "weights", "context")


@pytest.fixture
def page(open_widget: Callable[..., Page]) -> Page:
    return open_widget(TAG)


def go_to(page: Page, stage: str) -> None:
    page.get_by_role("list", name="Stages").get_by_role("button", name=stage).click()


def grid(page: Page) -> Locator:
    return page.get_by_role("grid")


def numbers(page: Page) -> list[list[str]]:
    """What the result of the stage shows."""
    script = (
        "grid => [...grid.tBodies[0].rows].map(row => [...row.querySelectorAll('td')].map(cell => cell.textContent))"
    )
    return grid(page).evaluate(script)


def printed(matrix: torch.Tensor) -> list[list[str]]:
    return [["−∞" if number == float("-inf") else f"{number:.4f}" for number in row] for row in matrix.tolist()]


def stages_of(inputs: torch.Tensor, causal: bool = False) -> dict[str, torch.Tensor]:
    """What torch makes of the inputs."""
    queries, keys, values = inputs @ W_QUERY, inputs @ W_KEY, inputs @ W_VALUE
    scores = queries @ keys.T
    scaled = scores / 2**0.5
    if causal:
        scaled = scaled.masked_fill(torch.ones_like(scaled).bool().triu(1), float("-inf"))
    weights = scaled.softmax(-1)
    results = (inputs, queries, keys, values, scores, scaled, weights, weights @ values)
    return dict(zip(STAGES, results, strict=True))


@pytest.mark.parametrize("stage", STAGES)
@pytest.mark.parametrize(("sentence", "inputs"), [(FIRST, INPUTS), (SECOND, OTHERS)], ids=["first", "second"])
def test_each_stage_shows_torchs_numbers(page: Page, sentence: str, inputs: torch.Tensor, stage: str) -> None:
    page.get_by_role("radio", name=sentence).check(force=True)

    go_to(page, stage)

    assert numbers(page) == printed(stages_of(inputs)[stage])


@pytest.mark.parametrize("stage", STAGES[5:])
def test_with_the_future_hidden_each_stage_shows_torchs_numbers(page: Page, stage: str) -> None:
    page.get_by_role("checkbox", name="Hide the future").check()

    go_to(page, stage)

    assert numbers(page) == printed(stages_of(INPUTS, causal=True)[stage])


@pytest.mark.parametrize(
    ("stage", "words"),
    [
        ("queries", "journey, number 2: 0.5500 × 0.5166 + 0.8700 × 0.6886 + 0.6600 × 0.8665 = 1.4551"),
        ("scores", "journey, journey: 0.4306 × 0.4433 + 1.4551 × 1.1419 = 1.8524"),
        ("scaled", "journey, journey: 1.8524 ÷ √2 = 1.3098"),
    ],
)
def test_the_sum_behind_the_chosen_number_is_written_out(page: Page, stage: str, words: str) -> None:
    go_to(page, stage)

    expect(page.get_by_role("status")).to_have_text(words)


def test_the_arrow_keys_choose_a_cell_and_the_sum_follows(page: Page) -> None:
    go_to(page, "scores")
    grid(page).locator("[tabindex='0']").focus()

    page.keyboard.press("ArrowLeft")
    page.keyboard.press("ArrowUp")

    expect(grid(page).locator("td.lit")).to_be_focused()
    expect(page.get_by_role("status")).to_contain_text("Your, Your: ")


def test_an_unknown_word_has_the_same_made_up_numbers_however_it_is_written(page: Page) -> None:
    page.get_by_role("radio", name="your own words").check(force=True)

    page.get_by_label("Your words").fill("Cat cat dog")

    cat, again, dog = numbers(page)
    assert cat == again
    assert cat != dog
    assert all(0 <= float(number) <= 1 for number in cat + dog)


def test_what_the_reader_writes_is_text_and_never_markup(page: Page) -> None:
    page.get_by_role("radio", name="your own words").check(force=True)

    page.get_by_label("Your words").fill("<img src=x onerror=alert(1)>")

    assert page.locator("matrix-products img").count() == 0


@pytest.mark.parametrize(("scheme", "width"), [("default", 1280), ("slate", 375)])
@pytest.mark.parametrize("stage", ["queries", "context"])
def test_axe_finds_nothing_and_nothing_overflows(
    open_widget: Callable[..., Page],
    overflow: Callable[[Page], int],
    stage: str,
    scheme: str,
    width: int,
) -> None:
    page = open_widget(TAG, scheme=scheme, width=width)
    page.get_by_role("radio", name="your own words").check(force=True)
    page.get_by_role("checkbox", name="Hide the future").check()
    page.get_by_label("Your words").fill("every long sentence moves sideways in its panel only")

    go_to(page, stage)

    assert violations(page) == []
    assert overflow(page) == 0
