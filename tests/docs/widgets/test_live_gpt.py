"""<live-gpt>: it reads what is typed, says what comes next, and a head that is pressed is off."""

import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import torch
from chromium import violations
from playwright.sync_api import Locator, Page, expect

from autograder.workspace import COURSE
from workbench.induction import TOKENS, induction_task
from workbench.own_code import loaded
from workbench.packed_model import packed_file
from workbench.task import ATTENTION, MODEL, Code
from workbench.trainer import Training

pytestmark = pytest.mark.slow

TAG = "<live-gpt></live-gpt>"
BEGIN = "gpitswmzngpits"


@pytest.fixture
def open_model(open_widget: Callable[..., Page]) -> Callable[..., Page]:
    """Opens the widget, and waits for its model."""

    def open_model(**settings: Any) -> Page:
        page = open_widget(TAG, **settings)
        page.wait_for_selector(".live-map path", state="attached")
        return page

    return open_model


@pytest.fixture
def code() -> Iterator[Code]:
    with loaded(COURSE.solutions, [ATTENTION, MODEL]) as modules, torch.random.fork_rng(devices=[]):
        yield modules


@pytest.fixture
def page(open_model: Callable[..., Page]) -> Page:
    return open_model()


def test_it_begins_with_a_text_that_repeats_and_knows_what_comes_next(page: Page) -> None:
    expect(field(page)).to_have_value(BEGIN)
    expect(status(page)).to_contain_text("After “s” (14) it says “w”, 1.00.")
    expect(status(page)).to_contain_text("The model predicts 4 of 4 repeated letters.")


def test_what_is_typed_is_read(page: Page) -> None:
    field(page).fill("to be or not to b")

    expect(page.locator(".explorer-tokens span")).to_have_text(list("to␣be␣or␣not␣to␣b"))
    expect(status(page)).to_contain_text("After “b” (17) it says “e”")


def test_what_the_model_would_say_of_the_token_on_its_way_stands_with_its_numbers(page: Page) -> None:
    says = page.locator(".live-strip > span").all_inner_texts()

    assert [words.partition(" it says ")[0] for words in says] == [
        "As it enters",
        *["After its heads", "After its feed forward"] * 2,
    ]
    assert says[-1].endswith(" it says “w”, 1.00")
    assert "“w”" not in says[2]


def test_a_pressed_head_is_off_and_what_it_did_is_missing(page: Page) -> None:
    head(page, "1.2").click()

    expect(head(page, "1.2")).to_have_attribute("aria-checked", "false")
    expect(head(page, "1.1")).to_have_attribute("aria-checked", "true")
    expect(status(page)).to_contain_text("Head 1.2 is off.")
    expect(status(page)).to_contain_text("predicts 2 of 4 repeated letters, and 4 with all heads on.")


def test_a_head_is_switched_with_the_keyboard(page: Page) -> None:
    head(page, "1.2").focus()
    page.keyboard.press("Space")
    expect(head(page, "1.2")).to_have_attribute("aria-checked", "false")

    page.keyboard.press("Enter")
    expect(head(page, "1.2")).to_have_attribute("aria-checked", "true")
    expect(status(page)).to_contain_text("All heads are on.")


def test_it_writes_on_with_the_likeliest_at_temperature_0(page: Page) -> None:
    page.get_by_role("slider", name="Temperature").fill("0")
    page.get_by_role("button", name="Write eight").click()

    expect(field(page)).to_have_value(f"{BEGIN}wmzngpit")


def test_with_top_1_a_draw_is_the_likeliest(open_model: Callable[..., Page]) -> None:
    page = open_model(first="Math.random = () => 0.9999999")
    page.get_by_role("slider", name="Top k").fill("1")
    page.get_by_role("button", name="Write a token").click()

    expect(field(page)).to_have_value(f"{BEGIN}w")


def test_what_the_model_does_not_know_is_left_out_and_told(page: Page) -> None:
    field(page).fill("Ab1ü")

    expect(page.locator(".explorer-tokens span")).to_have_text(["a", "b"])
    expect(page.locator(".live-remark")).to_contain_text("2 left out")


def test_a_model_of_ones_own_is_opened_in_place_of_the_courses(page: Page, code: Code, tmp_path: Path) -> None:
    own = Training(code, induction_task(), 1, "cpu").model
    (tmp_path / "own.packed.safetensors").write_bytes(packed_file(own, TOKENS))
    opens(page, tmp_path / "own.packed.safetensors")

    expect(page.locator(".live-remark")).to_have_text("This is own.packed.safetensors.")
    field(page).fill("axY!")
    expect(page.locator(".explorer-tokens span")).to_have_text(["a", "X", "Y"])
    with torch.no_grad():
        right = own(torch.tensor([[TOKENS.index(sign) for sign in "aXY"]]))[0, -1].softmax(0).max()
    says = re.fullmatch(r".*After “Y” \(3\) it says “.”, (0\.\d\d)\.", status(page).inner_text())
    assert says is not None
    assert float(says[1]) == pytest.approx(float(right), abs=0.011)


def test_a_file_that_is_no_model_is_told_and_the_model_stays(page: Page, tmp_path: Path) -> None:
    (tmp_path / "notes.safetensors").write_bytes(b"no model at all")
    opens(page, tmp_path / "notes.safetensors")

    expect(page.locator(".live-remark")).to_have_text(
        "notes.safetensors is no model of attn train: open the file that ends in .packed.safetensors."
    )
    expect(status(page)).to_contain_text("it says “w”, 1.00.")


def test_a_model_that_does_not_arrive_is_told(open_widget: Callable[..., Page]) -> None:
    page = open_widget(TAG, first="globalThis.fetch = async () => new Response('no model')")

    expect(page.get_by_role("status")).to_have_text(
        "The model could not be loaded. Load the page again when you are online."
    )


@pytest.mark.parametrize(("scheme", "width"), [("default", 1280), ("slate", 375)])
def test_it_is_accessible(open_model: Callable[..., Page], scheme: str, width: int) -> None:
    page = open_model(scheme=scheme, width=width)
    head(page, "1.2").click()

    assert violations(page) == []


def opens(page: Page, file: Path) -> None:
    with page.expect_file_chooser() as chosen:
        page.get_by_role("button", name="Open your own model").click()
    chosen.value.set_files(file)


def field(page: Page) -> Locator:
    return page.get_by_role("textbox", name="What the model reads")


def head(page: Page, name: str) -> Locator:
    return page.get_by_role("switch", name=f"Head {name}")


def status(page: Page) -> Locator:
    """What is seen of the sentence at once; screen readers hear it after a pause."""
    return page.locator(".widget-says > span").first
