"""<weighted-sum>: the weights and the context follow the query, whichever way it is moved."""

import json
import re
from collections.abc import Callable

import pytest
import torch
from chromium import violations
from playwright.sync_api import Locator, Page, expect

from course.attention.example_inputs import JOURNEY_TOKENS, journey, lecture_weights

pytestmark = pytest.mark.slow

QUERIES, KEYS, VALUES = (journey() @ weights for weights in lecture_weights())
TAG = f"""<weighted-sum query="{QUERIES[1].tolist()}" keys="{KEYS.tolist()}" values="{VALUES.tolist()}"
  labels='{json.dumps(JOURNEY_TOKENS)}' token="journey"></weighted-sum>"""


@pytest.fixture
def page(open_widget: Callable[..., Page]) -> Page:
    return open_widget(TAG)


def weights(page: Page) -> list[str]:
    return page.locator(".number").all_inner_texts()


def context(page: Page) -> Locator:
    return page.get_by_role("status")


def says(weights: torch.Tensor, context: torch.Tensor) -> re.Pattern[str]:
    largest = int(weights.argmax())
    numbers = [f"{number:.4f}".replace("-", "−") for number in (weights[largest], *context)]
    words = "The largest weight is {}, for “{}”. The context is {}, {}."
    return re.compile(re.escape(words.format(numbers[0], JOURNEY_TOKENS[largest], *numbers[1:])))


def attention(query: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    share = (KEYS @ query / 2**0.5).softmax(0)
    return share, share @ VALUES


def test_it_starts_with_the_weights_of_the_lecture(page: Page) -> None:
    assert weights(page) == ["0.1500", "0.2264", "0.2199", "0.1311", "0.0906", "0.1820"]


def test_it_starts_with_the_context_of_the_lecture(page: Page) -> None:
    expect(context(page)).to_have_text("The largest weight is 0.2264, for “journey”. The context is 0.3061, 0.8210.")


def test_the_shares_laid_head_to_tail_end_where_the_context_ends(page: Page) -> None:
    tips = page.evaluate("""() => {
        const tip = (arrow) => new DOMPoint(...arrow.getAttribute("points").split(" ")[3].split(",").map(Number))
            .matrixTransform(arrow.transform.baseVal.consolidate().matrix);
        return [tip([...document.querySelectorAll("polygon.value:not(.whole)")].at(-1)),
                tip(document.querySelector("polygon.context"))].map(({ x, y }) => [x, y]);
    }""")

    assert tips[0] == pytest.approx(tips[1])


def test_dragging_the_tip_moves_the_query(page: Page) -> None:
    knob = page.get_by_role("slider", name="Query")
    box = knob.bounding_box()
    assert box
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2

    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x + 20, y + 150, steps=5)
    page.mouse.up()

    expect(knob).to_have_attribute("aria-valuetext", re.compile("across, −"))
    expect(context(page)).to_have_text(re.compile("for “one”"))


def test_the_arrow_keys_move_the_query(page: Page) -> None:
    page.get_by_role("slider", name="Query").focus()

    for key in ["ArrowRight", "ArrowRight", "ArrowDown"]:
        page.keyboard.press(key)

    expect(context(page)).to_have_text(says(*attention(QUERIES[1] + torch.tensor([0.1, -0.05]))))


@pytest.mark.parametrize(("scheme", "width"), [("default", 1280), ("slate", 375)])
def test_axe_finds_nothing_and_nothing_overflows(
    open_widget: Callable[..., Page],
    overflow: Callable[[Page], int],
    scheme: str,
    width: int,
) -> None:
    page = open_widget(TAG, scheme=scheme, width=width)

    assert violations(page) == []
    assert overflow(page) == 0
