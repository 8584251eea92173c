"""`attn watch` follows saves and keys: what stands in its window after each of them."""

from collections.abc import Callable, Iterator

import pytest
from window import Window

from autograder.exam.model import Exam
from autograder.student.progress import load_progress
from autograder.workspace import Workspace

FIRST = "part1_simplified"
READY = "marked in"
"""Stands in the last line of a screen with a verdict."""

DOT_PRODUCT = "\n\ndef dot_product(a, b):\n    return (a * b).sum()\n"
ENDLESS = "\n\ndef dot_product(a, b):\n    while True:\n        pass\n"
ONE_TOO_MANY = "\n\ndef dot_product(a, b):\n    return (a * b - a).sum()\n"
LONG = 60.0
"""Seconds that a search may take that finds something."""

OpenWindow = Callable[..., Window]


@pytest.fixture
def open_window(copy: Workspace, practice: Exam) -> Iterator[OpenWindow]:
    """Watch the copy in a window; `open_window(plain=True)` takes what `Window` takes."""
    opened: list[Window] = []

    def run(**more: object) -> Window:
        opened.append(Window(copy, practice, **more))  # type: ignore[arg-type]
        return opened[-1]

    yield run
    for window in reversed(opened):
        window.close()


@pytest.fixture
def window(open_window: OpenWindow) -> Window:
    """The watch of a fresh course, once it has marked it."""
    opened = open_window()
    opened.expect(READY)
    return opened


@pytest.fixture
def stub(practice: Exam) -> str:
    return practice.syllabus.part(FIRST).stub


@pytest.fixture
def hints(practice: Exam) -> list[str]:
    """The beginnings of the first step's hints."""
    return [hint[:60] for hint in practice.syllabus.part(FIRST).step("dot_product").hints]


def test_a_step_that_passes_leads_on_to_the_next(window: Window) -> None:
    window.append(FIRST, DOT_PRODUCT)
    window.expect("checking …")
    window.expect("✓ dot_product  2 points")
    assert "· attention_scores  not attempted" in window.expect("1 of 53 steps")


def test_a_wrong_step_shows_its_verdict_and_then_its_cause_above_the_picture(open_window: OpenWindow) -> None:
    window = open_window(seconds=LONG)
    window.expect(READY)
    window.append(FIRST, ONE_TOO_MANY)
    window.expect("✗ dot_product  wrong values")
    assert "looking for the cause …" in window.expect(READY)
    window.expect("the number differs")
    window.expect("→ Look at line")
    window.expect("^^^^^^^^^")
    window.expect("expected")


def test_a_syntax_error_is_shown_and_mended(window: Window, stub: str) -> None:
    window.append(FIRST, "\n\ndef dot_product(a, b):\n    return (a * b\n")
    window.expect("does not parse")
    window.expect(READY)
    window.save(FIRST, stub + DOT_PRODUCT)
    window.expect("✓ dot_product")


def test_a_file_that_vanishes_is_told_and_taken_up_again(copy: Workspace, window: Window, stub: str) -> None:
    copy.exercise(FIRST).unlink()
    window.expect(f"there is no exercises/{FIRST}.py.")
    window.expect(READY)
    window.save(FIRST, stub + DOT_PRODUCT)
    window.expect("✓ dot_product")


@pytest.mark.parametrize(
    ("text", "verdict"),
    [(ENDLESS, "timed out"), (ENDLESS.replace("while True", "__import__('os').abort()\n    while True"), "crashed")],
    ids=["a loop", "a crash"],
)
def test_a_step_that_ends_its_process_is_shown_and_mended(
    open_window: OpenWindow, stub: str, text: str, verdict: str
) -> None:
    window = open_window(timeout=0.5)
    window.expect(READY)
    window.append(FIRST, text)
    window.expect(f"✗ dot_product  {verdict}")
    window.expect(READY)
    window.save(FIRST, stub + DOT_PRODUCT)
    window.expect("✓ dot_product")


def test_a_save_ends_the_check_of_a_step_that_hangs(open_window: OpenWindow, stub: str) -> None:
    window = open_window(timeout=600)
    window.expect(READY)
    window.append(FIRST, ENDLESS)
    window.expect("checking … another save ends it")
    window.save(FIRST, stub + DOT_PRODUCT)
    window.expect("✓ dot_product")


def test_a_window_of_another_size_is_drawn_anew(window: Window) -> None:
    window.resize(40, 50)
    drawn = window.expect(READY)
    assert "· dot_product  not attempted" in drawn
    assert max(map(len, drawn.splitlines()[1:])) <= 50  # the first line is the end of the screen before


def test_a_hint_is_shown_and_noted(copy: Workspace, window: Window, hints: list[str]) -> None:
    window.press("h")
    window.expect(f"hint 1: {hints[0]}")
    assert load_progress(copy).hints == {f"{FIRST}.dot_product": 1}


def test_l_lists_the_steps_and_jumps(window: Window) -> None:
    window.press("l")
    assert f"→ · {FIRST}.dot_product  2 points" in window.expect("enter goes there")
    window.press("\x1b[B")
    window.expect(f"→ · {FIRST}.attention_scores")
    window.press("j")
    window.expect(f"→ · {FIRST}.softmax")
    window.press("k\n")
    window.expect("· attention_scores  not attempted")
    window.append(FIRST, "\n\ndef attention_scores(query, inputs):\n    return 2 * (inputs @ query)\n")
    window.expect("✗ attention_scores  wrong values")


def test_r_puts_the_stub_back_with_a_backup(copy: Workspace, window: Window, stub: str) -> None:
    wrong = stub.replace("raise NotImplementedError", "return 1  #", 1)
    window.save(FIRST, wrong)
    window.expect("✗ dot_product")
    window.expect(READY)
    window.press("r")
    window.expect(f"attn reset {FIRST}.dot_product --undo")
    window.expect("· dot_product  not attempted")
    assert copy.exercise(FIRST).read_text(encoding="utf-8") == stub
    assert [file.read_text(encoding="utf-8") for file in (copy.memory / "backups").iterdir()] == [wrong]


@pytest.mark.parametrize("plain", [False, True])
def test_d_runs_the_step_in_the_foreground_and_any_key_comes_back(open_window: OpenWindow, plain: bool) -> None:
    window = open_window(plain=plain)
    window.expect(READY)
    window.press("d ")
    window.expect("Any key goes back to the watch.")
    assert window.debugged == [(f"{FIRST}.dot_product", plain)]
    window.expect("dot_product")
    window.expect(READY)
    assert window.keyboard.is_taken


def test_plain_says_it_in_words_line_after_line(open_window: OpenWindow) -> None:
    window = open_window(plain=True)
    assert "0 of 53 steps have passed." in window.expect(READY)
    window.append(FIRST, DOT_PRODUCT)
    window.expect("1 of 53 steps have passed.")
    window.expect(READY)
    window.press("l")
    window.expect(f"open {FIRST}.attention_scores")
    window.press("j")
    window.expect(f"open {FIRST}.softmax")
    assert "\x1b[2J" not in window.raw
    assert not set("✓✗·━─→░█") & set(window.raw)


def test_w_tells_one_thing_more_of_the_cause_each_time(open_window: OpenWindow) -> None:
    window = open_window(seconds=LONG)
    window.expect(READY)
    window.append(FIRST, ONE_TOO_MANY)
    window.expect("2 more: press w.")
    window.press("w")
    window.expect("1 more: press w.")
