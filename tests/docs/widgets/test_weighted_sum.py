"""<weighted-sum>: the weights and the context follow the query, whichever way it is moved."""

import json
import re
from collections.abc import Callable

import pytest
import torch
from chromium import violations
from playwright.sync_api import Locator, Page, expect

pytestmark = pytest.mark.slow

LABELS = ["Your", "journey", "starts", "with", "one", "step"]
INPUTS = torch.tensor(
    [
        [0.43, 0.15, 0.89],
        [0.55, 0.87, 0.66],
        [0.57, 0.85, 0.64],
        [0.22, 0.58, 0.33],
        [0.77, 0.25, 0.10],
        [0.05, 0.80, 0.55],
    ]
)
QUERIES, KEYS, VALUES = INPUTS @ torch.rand(3, 3, 2, generator=torch.Generator().manual_seed(123))
TAG = f"""<weighted-sum query="{QUERIES[1].tolist()}" keys="{KEYS.tolist()}" values="{VALUES.tolist()}"
  labels='{json.dumps(LABELS)}' token="journey"></weighted-sum>"""

NAMES_ON_DOTS = """() => {
  const dots = [...document.querySelectorAll("circle.key")].map(dot => dot.getBoundingClientRect());
  const names = [...document.querySelector(".weighted-sum-plane").querySelectorAll("text")];
  const apart = ({ x, y, width }, box) => Math.hypot(
    Math.max(box.left - (x + width / 2), 0, x + width / 2 - box.right),
    Math.max(box.top - (y + width / 2), 0, y + width / 2 - box.bottom)) - width / 2;
  return names.filter(name => dots.some(dot => apart(dot, name.getBoundingClientRect()) < -2)).map(name => name.textContent);
}"""
NAMES_OUTSIDE = """() => [...document.querySelectorAll(".weighted-sum-plane text")].filter(name => {
  const [box, all] = [name.getBoundingClientRect(), name.ownerSVGElement.getBoundingClientRect()];
  return box.left < all.left || box.right > all.right || box.top < all.top - 3 || box.bottom > all.bottom + 3;
}).map(name => name.textContent)"""


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
    return re.compile(re.escape(words.format(numbers[0], LABELS[largest], *numbers[1:])))


def attention(query: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    share = (KEYS @ query / 2**0.5).softmax(0)
    return share, share @ VALUES


def test_it_starts_with_the_weights_of_the_lecture(page: Page) -> None:
    assert weights(page) == ["0.1500", "0.2264", "0.2199", "0.1311", "0.0906", "0.1820"]


def test_it_starts_with_the_context_of_the_lecture(page: Page) -> None:
    expect(context(page)).to_have_text("The largest weight is 0.2264, for “journey”. The context is 0.3061, 0.8210.")


def test_the_area_of_a_keys_dot_is_its_weight(page: Page) -> None:
    radii = page.locator("circle.key").evaluate_all("dots => dots.map(dot => Number(dot.getAttribute('r')))")

    area = torch.tensor(radii).square()
    torch.testing.assert_close(area / area.sum(), attention(QUERIES[1])[0], rtol=1e-4, atol=1e-4)


def test_no_name_lies_on_a_dot_however_large_it_is(open_widget: Callable[..., Page]) -> None:
    keys = [[2.0, 0.0], [1.0, 1.7], [-1.0, 1.7], [-2.0, 0.0], [-1.0, -1.7], [1.0, -1.7]]
    page = open_widget(f"""<weighted-sum query="[1.2, 1.25]" keys="{keys}" values="{VALUES.tolist()}"
      labels='{json.dumps(LABELS)}'></weighted-sum>""")

    for degrees in range(0, 360, 60):
        page.get_by_role("slider", name="Direction").fill(str(degrees))
        page.get_by_role("slider", name="Length").fill("2")
        assert page.evaluate(NAMES_ON_DOTS) == []
        assert page.evaluate(NAMES_OUTSIDE) == []


def test_the_query_starts_inside_the_circle_and_cannot_leave_it(page: Page) -> None:
    knob = page.get_by_role("slider", name="Query")
    reach = float(knob.get_attribute("aria-valuemax") or 0)
    assert float(QUERIES[1].norm()) <= reach <= 1.5 * float(KEYS.norm(dim=1).max())

    knob.focus()
    for _ in range(60):
        page.keyboard.press("ArrowRight")

    expect(knob).to_have_attribute("aria-valuenow", f"{reach:.2f}")


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


def test_the_sliders_set_direction_and_length(page: Page) -> None:
    page.get_by_role("slider", name="Direction").fill("180")
    page.get_by_role("slider", name="Length").fill("1.5")

    expect(context(page)).to_have_text(says(*attention(torch.tensor([-1.5, 0.0]))))


def test_the_button_leads_back_to_the_start(page: Page) -> None:
    page.get_by_role("slider", name="Direction").fill("270")

    page.get_by_role("button", name="Back to journey").click()

    assert weights(page) == ["0.1500", "0.2264", "0.2199", "0.1311", "0.0906", "0.1820"]


def test_without_a_named_token_the_button_leads_back_to_the_start(open_widget: Callable[..., Page]) -> None:
    page = open_widget(TAG.replace('token="journey"', ""))

    expect(page.get_by_role("button", name="Back to the start")).to_be_visible()


def test_undivided_scores_are_the_dot_products_and_stand_beside_their_weights(open_widget: Callable[..., Page]) -> None:
    page = open_widget(TAG.replace("<weighted-sum", '<weighted-sum undivided="true"'))

    scores = KEYS @ QUERIES[1]
    rows = torch.stack([scores, scores.softmax(0)], dim=-1)
    assert weights(page) == [f"{number:.4f}" for number in rows.flatten().tolist()]


def test_on_a_phone_the_sliders_stand_between_the_pictures(open_widget: Callable[..., Page]) -> None:
    page = open_widget(TAG, width=375)

    parts = (".weighted-sum-plane >> nth=0", ".widget-controls >> nth=0", ".weighted-sum-plane >> nth=1")
    boxes = [page.locator(part).bounding_box() for part in parts]
    tops = [box["y"] for box in boxes if box]
    assert len(tops) == 3
    assert tops == sorted(tops)


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


def test_names_stand_at_the_tips_where_there_is_room_and_in_a_column_where_there_is_none(
    open_widget: Callable[..., Page],
) -> None:
    compass = "[[1, 0], [0, 1], [-1, 0], [0, -1]]"
    tag = f"""<weighted-sum query="[1, 1]" keys="{compass}" values="{compass}" labels='["east", "north", "west", "south"]'></weighted-sum>"""

    assert open_widget(tag).locator(".leader").count() == 0
    assert open_widget(TAG).locator(".leader").count() == 2 * len(LABELS)
