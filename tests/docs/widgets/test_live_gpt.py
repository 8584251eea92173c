"""<live-gpt>: it reads what is typed, says what comes next, and a head that is pressed is off."""

import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import torch
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
        page.wait_for_selector(".heat-map path", state="attached")
        return page

    return open_model


@pytest.fixture
def code() -> Iterator[Code]:
    with loaded(COURSE.solutions, [ATTENTION, MODEL]) as modules, torch.random.fork_rng(devices=[]):
        yield modules


@pytest.fixture
def page(open_model: Callable[..., Page]) -> Page:
    return open_model()


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


@pytest.mark.world
def test_a_model_of_ones_own_is_opened_in_place_of_the_courses(page: Page, code: Code, tmp_path: Path) -> None:
    own = Training(code, induction_task(), 1).model
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
