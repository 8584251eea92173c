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
A_FEW_LINES = 100
"""In pixels: how words wrap depends on the fonts of a machine."""


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


def test_tokens_are_shaded_where_they_were_expected(page: Page) -> None:
    shares = [
        float(span.evaluate("one => one.style.getPropertyValue('--share')"))
        for span in page.locator(".explorer-tokens span").all()
    ]

    assert max(shares[:10]) < 0.2
    assert min(shares[10:]) > 0.9


def test_what_the_model_would_say_of_the_token_on_its_way_stands_with_its_numbers(page: Page) -> None:
    says = page.locator(".live-strip > span").all_inner_texts()

    assert [words.partition(" it says ")[0] for words in says] == [
        "As it enters",
        *["After its heads", "After its feed forward"] * 2,
    ]
    assert says[-1].endswith(" it says “w”, 1.00")
    assert "“w”" not in says[2]


def test_without_its_induction_heads_the_model_does_not_come_to_know_on_the_way(page: Page) -> None:
    for name in ("2.1", "2.3", "2.2", "2.4"):
        head(page, name).click()

    expect(page.locator(".live-strip > span").last).not_to_contain_text("“w”, 1.00")


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


def test_what_was_said_with_all_heads_stands_beside_what_is_said_now(page: Page) -> None:
    head(page, "1.2").click()

    row = page.locator(".live-next tbody tr").first
    expect(row.locator("th")).to_have_text("w")
    expect(row.locator("td").nth(0)).to_have_text("1.00")
    expect(row.locator("td").nth(1)).to_have_text("0.05")


def test_an_outline_shows_how_long_a_bar_was_with_all_heads(page: Page) -> None:
    outline = page.locator(".live-before").first
    expect(outline).to_be_hidden()

    head(page, "1.2").click()

    expect(outline).to_be_visible()
    bar = page.locator(".live-next .widget-bar").first
    assert outline.evaluate("one => one.offsetWidth") > 5 * bar.evaluate("one => one.offsetWidth")


def test_all_heads_are_switched_on_at_once(page: Page) -> None:
    head(page, "1.2").click()
    head(page, "2.3").click()
    expect(status(page)).to_contain_text("Heads 1.2 and 2.3 are off.")

    page.get_by_role("button", name="All heads on").click()

    expect(page.locator(".live-head[aria-checked=true]")).to_have_count(8)
    expect(head(page, "1.1")).to_be_focused()


def test_an_earlier_token_is_chosen_and_its_next_is_shown(page: Page) -> None:
    page.get_by_role("radio", name="“i” (12)").check()

    expect(page.locator(".live-next caption")).to_have_text("What may come after “i” (12)")
    expect(page.locator(".live-next tbody th").first).to_have_text("t")
    expect(page.locator(".live-map rect").first).to_have_attribute("y", "11")


def test_it_writes_on_with_the_likeliest_at_temperature_0(page: Page) -> None:
    page.get_by_role("slider", name="Temperature").fill("0")
    page.get_by_role("button", name="Write eight").click()

    expect(field(page)).to_have_value(f"{BEGIN}wmzngpit")


def test_another_model_begins_with_the_text_of_the_page(open_widget: Callable[..., Page]) -> None:
    page = open_widget('<live-gpt model="text_model.safetensors" begin="The Room\nIn the"></live-gpt>')
    page.wait_for_selector(".live-map path", state="attached")

    expect(field(page)).to_have_value("The Room\nIn the")
    expect(page.locator(".explorer-tokens span")).to_have_text(list("The␣Room↵In␣the"))
    expect(page.get_by_role("slider", name="Top k")).to_have_value("44")
    expect(status(page)).to_contain_text(
        "All heads are on. After “e” (15) it says"
    )  # nothing of letters that come twice


def test_what_is_typed_ends_the_writing(page: Page) -> None:
    page.get_by_role("slider", name="Temperature").fill("0")
    page.evaluate("""() => {
        const [field] = document.querySelectorAll("live-gpt textarea");
        [...document.querySelectorAll("live-gpt button")].find(one => one.textContent === "Write forty").click();
        field.value = "ab";
        field.dispatchEvent(new Event("input"));
    }""")
    page.evaluate("() => new Promise(resume => requestAnimationFrame(() => requestAnimationFrame(resume)))")

    expect(field(page)).to_have_value("ab")


def test_a_drawn_token_need_not_be_the_likeliest(open_model: Callable[..., Page]) -> None:
    page = open_model(first="Math.random = () => 0.9999999")
    page.get_by_role("button", name="Write a token").click()

    expect(field(page)).to_have_value(re.compile(f"{BEGIN}[^w]"))


def test_with_top_1_a_draw_is_the_likeliest(open_model: Callable[..., Page]) -> None:
    page = open_model(first="Math.random = () => 0.9999999")
    page.get_by_role("slider", name="Top k").fill("1")
    page.get_by_role("button", name="Write a token").click()

    expect(field(page)).to_have_value(f"{BEGIN}w")


def test_what_the_model_does_not_know_is_left_out_and_told(page: Page) -> None:
    field(page).fill("Ab1ü")

    expect(page.locator(".explorer-tokens span")).to_have_text(["a", "b"])
    expect(page.locator(".live-remark")).to_contain_text("2 left out")


def test_it_reads_as_many_tokens_as_it_has_learned_to(page: Page) -> None:
    field(page).fill("abcdefgh" * 5)

    expect(page.locator(".explorer-tokens span")).to_have_count(31)
    expect(page.locator(".live-remark")).to_contain_text("It reads the last 31 tokens.")


def test_without_any_text_there_is_nothing_to_say(page: Page) -> None:
    field(page).fill("")

    expect(status(page)).to_have_text("Write something for the model to read.")
    expect(page.get_by_role("button", name="Write a token")).to_be_disabled()


def test_a_random_text_comes_twice(page: Page) -> None:
    page.get_by_role("button", name="Random letters, twice").click()

    written = field(page).input_value()
    assert len(set(written)) == 9
    assert written == written[:9] * 2


def test_a_head_says_where_the_chosen_token_looks_most(page: Page) -> None:
    expect(head(page, "2.1")).to_have_accessible_name(re.compile("“s” \\(14\\) looks most at “w” \\(6\\), "))


def test_where_the_chosen_token_looks_most_stands_below_the_map(page: Page) -> None:
    expect(head(page, "2.1").locator(".live-most")).to_have_text(re.compile(r"w \(6\) \d\.\d\d"))


def test_the_heads_of_a_model_that_is_there_for_its_words_are_folded(open_widget: Callable[..., Page]) -> None:
    page = open_widget('<live-gpt model="text_model.safetensors" begin="In the"></live-gpt>')
    page.wait_for_selector(".live-next tr")
    expect(page.locator(".live-head").first).to_be_hidden()

    page.get_by_text("Inside the model").click()

    expect(page.locator(".live-head").first).to_be_visible()


def test_what_was_typed_while_the_inside_was_folded_is_drawn_when_it_is_opened(open_model: Callable[..., Page]) -> None:
    page = open_model()
    page.get_by_text("Inside the model").click()
    field(page).fill("abcab")
    page.get_by_text("Inside the model").click()

    expect(page.locator(".live-map").first).to_have_attribute("viewBox", "0 0 5 5")
    expect(head(page, "2.1")).to_have_accessible_name(re.compile("“b” \\(5\\) looks most at "))


@pytest.mark.parametrize("tag", [TAG, '<live-gpt model="text_model.safetensors" begin="The words "></live-gpt>'])
@pytest.mark.parametrize("width", [1280, 768, 375, 320])
def test_what_follows_hardly_moves_when_the_model_is_there(
    open_widget: Callable[..., Page], tag: str, width: int
) -> None:
    page = open_widget(
        f"{tag}<p>What follows</p>",
        width=width,
        first="const later = fetch; globalThis.fetch = async (...all) => {"
        "await new Promise(resume => { globalThis.answer = resume; }); return later(...all); };",
    )
    follows = page.get_by_text("What follows")
    before = top(follows)

    page.evaluate("globalThis.answer()")
    page.wait_for_selector(".live-next tr")

    assert abs(top(follows) - before) < A_FEW_LINES


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


def test_a_model_that_a_page_asks_about_is_loaded_when_the_reader_says_so(open_widget: Callable[..., Page]) -> None:
    page = open_widget('<live-gpt ask="Load the model (125 kB)"></live-gpt>')
    requests: list[str] = []
    page.on("request", lambda request: requests.append(request.url))
    assert not page.locator(".live-map").count()

    page.get_by_role("button", name="Load the model (125 kB)").click()

    expect(field(page)).to_be_focused()
    expect(field(page)).to_have_value(BEGIN)
    assert [url.rpartition("/")[2] for url in requests] == ["trained_model.safetensors"]


def test_a_model_that_does_not_arrive_is_told(open_widget: Callable[..., Page]) -> None:
    page = open_widget(TAG, first="globalThis.fetch = async () => new Response('no model')")

    expect(page.get_by_role("status")).to_have_text(
        "The model could not be loaded. Load the page again when you are online."
    )


@pytest.mark.parametrize(("scheme", "width"), [("default", 1280), ("default", 375), ("slate", 1280), ("slate", 375)])
def test_it_is_accessible(open_model: Callable[..., Page], scheme: str, width: int) -> None:
    page = open_model(scheme=scheme, width=width)
    head(page, "1.2").click()

    assert violations(page) == []


@pytest.mark.parametrize("width", [375, 320])
def test_on_a_phone_tokens_are_large_enough_for_a_finger(open_model: Callable[..., Page], width: int) -> None:
    page = open_model(width=width)
    first, second = (span.bounding_box() for span in page.locator(".explorer-tokens span").all()[:2])
    assert first
    assert second

    assert min(first["width"], first["height"]) >= 32
    assert second["x"] - first["x"] - first["width"] >= 6


@pytest.mark.parametrize("text", ["", "a", "abcdefgh" * 5])
def test_no_text_is_wider_than_a_phone(
    open_model: Callable[..., Page], overflow: Callable[[Page], int], text: str
) -> None:
    page = open_model(width=347)
    field(page).fill(text)

    assert overflow(page) <= 0


def opens(page: Page, file: Path) -> None:
    with page.expect_file_chooser() as chosen:
        page.get_by_role("button", name="Open your own model").click()
    chosen.value.set_files(file)


def top(element: Locator) -> float:
    return float(element.evaluate("one => one.getBoundingClientRect().top"))


def field(page: Page) -> Locator:
    return page.get_by_role("textbox", name="What the model reads")


def head(page: Page, name: str) -> Locator:
    return page.get_by_role("switch", name=f"Head {name}")


def status(page: Page) -> Locator:
    """What is seen of the sentence at once; screen readers hear it after a pause."""
    return page.locator(".widget-says > span").first
