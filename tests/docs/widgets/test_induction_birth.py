"""<induction-birth>: a step and a head are chosen, shown and kept in the address; playing is quiet."""

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from chromium import violations
from playwright.sync_api import Page, expect

pytestmark = pytest.mark.slow

TAG = "<induction-birth></induction-birth>"
FILE = Path(__file__).resolve().parents[3] / "docs" / "widgets" / "induction_birth.json"
BIRTH: dict[str, Any] = json.loads(FILE.read_text(encoding="utf-8"))
FALL, FALLEN = BIRTH["fall"]
LAST = BIRTH["every"] * (len(BIRTH["moments"]) - 1)
REST = 1000  # milliseconds, more than a reader rests before the address is written

PUT_IN_AGAIN = """async ([tag, fragment]) => {
    history.replaceState(null, "", fragment || location.pathname);
    document.querySelector("main").innerHTML = `<h1>One widget</h1>${tag}`;
}"""


def at(step: int) -> dict[str, Any]:
    moment = BIRTH["moments"][step // BIRTH["every"]]
    assert isinstance(moment, dict)
    return moment


@pytest.fixture
def open_birth(open_widget: Callable[..., Page]) -> Callable[..., Page]:
    """Opens the widget at an address that ends in a fragment, and waits for its data."""

    def open_birth(fragment: str = "", above: str = "", **settings: Any) -> Page:
        page = open_widget(TAG, **settings)
        page.evaluate(PUT_IN_AGAIN, [above + TAG, fragment])
        page.wait_for_selector(".birth-large")
        return page

    return open_birth


@pytest.fixture
def page(open_birth: Callable[..., Page]) -> Page:
    return open_birth()


def test_it_begins_where_the_loss_begins_to_fall_with_the_best_induction_head(page: Page) -> None:
    expect(page.get_by_role("slider")).to_have_value(str(FALL))
    expect(page.get_by_role("radio", name="2.1")).to_be_checked()
    expect(page.get_by_role("status")).to_contain_text(f"Step {FALL}: loss {at(FALL)['loss']:.2f}.")


def test_a_map_holds_the_weights_of_its_head(page: Page) -> None:
    for name, layer, head in (("2.1", 1, 0), ("1.2", 0, 1)):
        choose(page, name)
        assert opacities(page, ".birth-large") == pytest.approx(weights(FALL, layer, head))


def test_every_small_map_is_that_of_its_head(page: Page) -> None:
    page.get_by_role("button", name="After it").click()

    assert opacities(page, ".birth-choice") == pytest.approx(
        [weight for layer in range(2) for head in range(4) for weight in weights(FALLEN, layer, head)]
    )


def test_the_guesses_of_a_step_are_shown_and_those_that_are_right_are_marked(page: Page) -> None:
    slide(page, LAST)

    expect(page.locator(".birth-large li b")).to_have_text(list(at(LAST)["guesses"]))
    expect(page.locator(".birth-large li.right b")).to_have_text(list("uestionq"))
    expect(page.get_by_role("listitem").nth(8)).to_have_text(f"after q: u {at(LAST)['percent'][8]}%, right")


def test_where_a_guess_is_wrong_the_right_token_stands_behind_it(page: Page) -> None:
    slide(page, FALL)

    wrong = page.locator(".birth-large li:not(.right)").filter(has_text="≠")
    right = at(FALL)["guesses"][8:]
    assert [text[-1] for text in wrong.all_inner_texts()] == [
        token for token, guess in zip("uestionq", right, strict=True) if token != guess
    ]


def test_a_dot_on_each_line_marks_the_step_that_is_reached(page: Page) -> None:
    slide(page, LAST)

    dot = page.locator(".birth-lane .dot.birth-line-loss")
    expect(dot).to_have_attribute("x1", str(LAST // BIRTH["every"]))
    loss = 4 - float(dot.get_attribute("y1") or 0)
    assert loss == pytest.approx(at(LAST)["loss"])


def test_an_axis_says_what_its_ticks_count(page: Page) -> None:
    lane = page.locator(".birth-lane").first

    expect(lane.locator(".birth-title")).to_have_text("loss")
    expect(lane.locator(".birth-tick")).to_have_text(["0", "2", "4"])
    boxes = [one.bounding_box() for one in [*lane.locator(".birth-title, .birth-tick").all(), lane.locator("svg")]]
    title, zero, _, four, picture = [box for box in boxes if box]
    assert title["x"] + title["width"] <= zero["x"]
    assert zero["x"] + zero["width"] <= picture["x"] + 1
    assert four["y"] < picture["y"] < picture["y"] + picture["height"] < zero["y"] + zero["height"]


def test_arrow_keys_go_from_moment_to_moment(page: Page) -> None:
    page.get_by_role("slider").focus()
    page.keyboard.press("ArrowRight")

    expect(page.get_by_role("status")).to_contain_text(f"Step {FALL + 10}:")


def test_a_press_on_the_curve_goes_to_its_step(page: Page) -> None:
    box = page.locator(".birth-lane svg").first.bounding_box()
    assert box
    page.mouse.click(box["x"] + box["width"] / 2, box["y"] + 20)

    expect(page.get_by_role("slider")).to_have_value(str(LAST // 2))


def test_the_curve_can_be_stroked(page: Page) -> None:
    box = page.locator(".birth-lane svg").last.bounding_box()
    assert box
    page.mouse.move(box["x"] + box["width"] / 2, box["y"] + 10)
    page.mouse.down()
    page.mouse.move(box["x"] + 2 * box["width"], box["y"] + 10)

    expect(page.get_by_role("slider")).to_have_value(str(LAST))
    page.mouse.up()


def test_the_address_names_what_is_shown_and_the_way_back_is_not_flooded(page: Page) -> None:
    long = page.evaluate("history.length")
    slide(page, 170)
    choose(page, "1.2")
    slide(page, 180)

    expect(page).to_have_url(re.compile(r"#step=180&head=1\.2$"))
    assert page.evaluate("history.length") == long


def test_an_address_leads_to_its_step_and_head(open_birth: Callable[..., Page]) -> None:
    page = open_birth("#step=170&head=1.4")

    expect(page.get_by_role("slider")).to_have_value("170")
    expect(page.get_by_role("radio", name="1.4")).to_be_checked()


def test_an_address_leads_to_a_widget_far_below(open_birth: Callable[..., Page]) -> None:
    page = open_birth("#step=170&head=1.4", above="<div style='height: 5000px'></div>")

    expect(page.get_by_role("slider")).to_have_value("170")
    expect(page.locator(".birth-legend").first).to_be_in_viewport()


def test_an_address_that_changes_is_followed(page: Page) -> None:
    page.evaluate("location.hash = '#step=200&head=2.3'")

    expect(page.get_by_role("slider")).to_have_value("200")
    expect(page.get_by_role("radio", name="2.3")).to_be_checked()


def test_once_the_page_has_gone_the_address_is_left_alone(open_birth: Callable[..., Page]) -> None:
    page = open_birth(stopped=True)
    slide(page, 170)
    page.evaluate("document.querySelector('main').replaceChildren()")
    page.clock.run_for(REST)

    assert "#" not in page.url


def test_play_goes_on_quietly_to_the_end_and_then_says_where_it_is(open_birth: Callable[..., Page]) -> None:
    page = open_birth(stopped=True)
    page.get_by_role("button", name="Play").click()
    page.clock.run_for(160)
    expect(page.get_by_role("slider")).to_have_value(str(FALL + 10))
    expect(page.locator("[role=status]")).to_have_attribute("aria-live", "off")

    page.clock.run_for(60_000)
    expect(page.get_by_role("button", name="Play")).to_be_visible()
    expect(page.locator("[role=status]")).not_to_have_attribute("aria-live", "off")
    expect(page.get_by_role("status")).to_contain_text(f"Step {LAST}:")


def test_for_who_wants_less_motion_a_step_stays_for_a_second(open_birth: Callable[..., Page]) -> None:
    page = open_birth(stopped=True, calm=True)
    page.get_by_role("button", name="Play").click()
    page.clock.run_for(990)
    expect(page.get_by_role("slider")).to_have_value(str(FALL))

    page.clock.run_for(20)
    expect(page.get_by_role("slider")).to_have_value(str(FALL + 10))


def test_a_hand_on_the_slider_stops_playing(open_birth: Callable[..., Page]) -> None:
    page = open_birth(stopped=True)
    page.get_by_role("button", name="Play").click()
    slide(page, 50)
    page.clock.run_for(REST)

    expect(page.get_by_role("slider")).to_have_value("50")
    expect(page.get_by_role("button", name="Play")).to_be_visible()


@pytest.mark.parametrize(
    ("fragment", "found"),
    [
        ("#step=170&head=2.1", {"step": 170, "head": "2.1"}),
        ("#head=1.4&step=173", {"step": 170, "head": "1.4"}),
        ("#step=99999", {"step": 600}),
        ("#step=-10&head=3.1", {}),
        ("#step=&head=", {}),
        ("#stages", {}),
        ("", {}),
    ],
)
def test_of_an_address_is_taken_what_there_is(page: Page, fragment: str, found: dict[str, Any]) -> None:
    script = """async fragment => (await import("/widgets/address.mjs"))
        .choiceIn(fragment, { every: 10, last: 600, heads: ["1.4", "2.1"] })"""

    assert page.evaluate(script, fragment) == found


def test_a_map_is_read_row_by_row(page: Page) -> None:
    rows = page.evaluate("async text => (await import('/widgets/birth_moments.mjs')).rowsOf(text)", "/fgAA/")

    assert [[round(63 * weight) for weight in row] for row in rows] == [[63], [31, 32], [0, 0, 63]]


def test_a_training_that_does_not_arrive_is_told(open_widget: Callable[..., Page]) -> None:
    page = open_widget(TAG, first="globalThis.fetch = async () => new Response('no training')")

    expect(page.get_by_role("status")).to_have_text(
        "The training could not be loaded. Load the page again when you are online."
    )


@pytest.mark.parametrize(("scheme", "width"), [("default", 1280), ("slate", 1280), ("slate", 375), ("default", 320)])
def test_it_is_accessible_and_stays_in_the_page(
    open_birth: Callable[..., Page], overflow: Callable[[Page], int], scheme: str, width: int
) -> None:
    page = open_birth(scheme=scheme, width=width)
    slide(page, LAST)

    assert violations(page) == []
    assert overflow(page) <= 0


def choose(page: Page, head: str) -> None:
    page.get_by_role("radio", name=head).check()


def slide(page: Page, step: int) -> None:
    page.get_by_role("slider").fill(str(step))


def weights(step: int, layer: int, head: int) -> list[float]:
    digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
    return [digits.index(digit) / 63 for digit in at(step)["maps"][layer][head]]


def opacities(page: Page, part: str) -> list[float]:
    read = "found => found.map(one => Number(one.getAttribute('opacity')))"
    found = page.locator(f"{part} .heat-map rect:not(.outline)").evaluate_all(read)
    assert isinstance(found, list)
    return found
