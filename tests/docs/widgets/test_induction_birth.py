"""<induction-birth>: a step and a head are chosen, shown and kept in the address; playing is quiet."""

import json
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


def test_a_map_holds_the_weights_of_its_head(page: Page) -> None:
    for name, layer, head in (("2.1", 1, 0), ("1.2", 0, 1)):
        choose(page, name)
        assert opacities(page, ".birth-large") == pytest.approx(weights(FALL, layer, head))


def test_the_guesses_of_a_step_are_shown_and_those_that_are_right_are_marked(page: Page) -> None:
    slide(page, LAST)

    expect(page.locator(".birth-large li b")).to_have_text(list(at(LAST)["guesses"]))
    expect(page.locator(".birth-large li.right b")).to_have_text(list("uestionq"))
    expect(page.get_by_role("listitem").nth(8)).to_have_text(f"after q: u {at(LAST)['percent'][8]}%, right")


def test_arrow_keys_go_from_moment_to_moment(page: Page) -> None:
    page.get_by_role("slider").focus()
    page.keyboard.press("ArrowRight")

    expect(page.get_by_role("status")).to_contain_text(f"Step {FALL + 10}:")


def test_an_address_leads_to_its_step_and_head(open_birth: Callable[..., Page]) -> None:
    page = open_birth("#step=170&head=1.4")

    expect(page.get_by_role("slider")).to_have_value("170")
    expect(page.get_by_role("radio", name="1.4")).to_be_checked()


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


def test_a_training_that_does_not_arrive_is_told(open_widget: Callable[..., Page]) -> None:
    page = open_widget(TAG, first="globalThis.fetch = async () => new Response('no training')")

    expect(page.get_by_role("status")).to_have_text(
        "The training could not be loaded. Load the page again when you are online."
    )


@pytest.mark.parametrize(("scheme", "width"), [("default", 1280), ("slate", 375)])
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
