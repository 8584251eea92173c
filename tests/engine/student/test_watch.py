"""`attn watch` follows saves and keys: what stands in its window after each of them."""

import shutil
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from pathlib import Path

import pytest
from command import attn_in
from screen_text import one_line
from warm import lend
from window import Window

from autograder.exam.model import Exam
from autograder.runner.processes import CannotRun, Child
from autograder.student.digests import file_digest
from autograder.student.progress import StepProgress, load_progress
from autograder.workspace import COURSE, Workspace

FIRST = "part1_simplified"
SECOND = "part2_trainable"
READY = "marked in"
"""Stands in the last line of a screen with a verdict."""

DOT_PRODUCT = "\n\ndef dot_product(a, b):\n    return (a * b).sum()\n"
ENDLESS = "\n\ndef dot_product(a, b):\n    while True:\n        pass\n"
ONE_TOO_MANY = "\n\ndef dot_product(a, b):\n    return (a * b - a).sum()\n"
HANGS_LATER = """

def dot_product(a, b):
    with open({path!r}, "a") as calls:
        calls.write(".")
        while calls.tell() > {cases}:
            pass
    return a - b
"""
"""Below a stub, where the last definition counts."""

LONG = 60.0
"""Seconds that a search may take that finds something."""

OpenWindow = Callable[..., Window]


@pytest.fixture
def open_window(copy: Workspace, practice: Exam) -> Iterator[OpenWindow]:
    """Watch the copy in a window; `open_window("part2_trainable", plain=True)` takes what `Window` takes."""
    opened: list[Window] = []

    def run(*parts: str, **more: object) -> Window:
        opened.append(Window(copy, practice, *parts, **more))  # type: ignore[arg-type]
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


class Dying:
    """A runner whose process dies at the first sittings. deaths: how many."""

    def __init__(self, deaths: int) -> None:
        self.deaths = deaths

    def child(self) -> AbstractContextManager[Child]:
        self.deaths -= 1
        if self.deaths >= 0:
            raise CannotRun("the process has died.")
        child: AbstractContextManager[Child] = lend(COURSE.root).child()
        return child

    def __getattr__(self, name: str) -> object:
        return getattr(lend(COURSE.root), name)


def test_a_step_that_passes_leads_on_to_the_next(window: Window) -> None:
    window.append(FIRST, DOT_PRODUCT)
    window.expect("checking …")
    window.expect("✓ dot_product  2 points")
    assert "· attention_scores  not attempted" in window.expect("1 of 53 steps")


def test_a_step_that_passes_is_noted(copy: Workspace, window: Window) -> None:
    window.append(FIRST, DOT_PRODUCT)
    window.expect(READY)
    assert load_progress(copy).passed(f"{FIRST}.dot_product")


def test_a_wrong_step_shows_its_diagnosis(window: Window) -> None:
    window.append(FIRST, "\n\ndef attention_scores(query, inputs):\n    return 2 * (inputs @ query)\n")
    window.expect("✗ attention_scores  wrong values")
    told = window.expect(READY)
    assert "numbers differ" in told
    assert "→ Your numbers are the right ones times 2" in told


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


def test_w_tells_of_the_cause_what_attn_why_has_not(copy: Workspace, open_window: OpenWindow) -> None:
    window = open_window(seconds=LONG)
    window.append(FIRST, ONE_TOO_MANY)
    window.expect("2 more: press w.")
    window.press("w")
    window.expect("has one operation too many")
    asked = {f"{FIRST}.dot_product": (file_digest(copy.exercise(FIRST)), 2)}
    window.go_on_until(lambda: load_progress(copy).asked == asked)
    load_progress(copy).next_rung(*next((step, file) for step, (file, _) in asked.items()), available=3)  # `attn why`
    window.save(FIRST, copy.exercise(FIRST).read_text(encoding="utf-8"))
    window.expect("checking …")
    window.expect("Tested: all")


def test_what_was_told_cannot_be_saved_and_is_told_all_the_same(copy: Workspace, open_window: OpenWindow) -> None:
    copy.memory.write_text("a file in the place of the folder", encoding="utf-8")
    window = open_window(seconds=LONG)
    window.append(FIRST, ONE_TOO_MANY)
    window.expect("2 more: press w.")
    window.press("w")
    window.expect("has one operation too many")
    window.press("w")
    window.expect("Tested: all")


def test_a_save_ends_the_search_for_a_cause(tmp_path: Path, open_window: OpenWindow, practice: Exam, stub: str) -> None:
    window = open_window(seconds=600, timeout=600)
    window.expect(READY)
    cases = practice.paper.of(FIRST, frozenset({"dot_product"}))
    window.append(FIRST, HANGS_LATER.format(path=str(tmp_path / "calls"), cases=len(cases)))
    window.expect("looking for the cause …")
    window.save(FIRST, stub + DOT_PRODUCT)
    window.expect("✓ dot_product")


def test_it_shows_the_step_at_once_before_torch_is_there(open_window: OpenWindow) -> None:
    opened = open_window().expect("loading torch and your file …")
    assert "· dot_product  not attempted" in opened
    assert f"exercises/{FIRST}.py:" in opened
    assert "0 of 53 steps" in opened
    assert READY not in opened


def test_the_place_to_write_is_a_link_to_the_file(copy: Workspace, window: Window) -> None:
    assert f"{copy.exercise(FIRST).resolve().as_uri()}\x1b\\" in window.raw


def test_in_vs_code_the_place_to_write_is_left_to_its_own_links(open_window: OpenWindow) -> None:
    window = open_window(TERM_PROGRAM="vscode")
    assert f"exercises/{FIRST}.py:" in window.expect(READY)
    assert "\x1b]8;" not in window.raw


def test_a_syntax_error_is_shown_and_mended(window: Window, stub: str) -> None:
    window.append(FIRST, "\n\ndef dot_product(a, b):\n    return (a * b\n")
    window.expect("`dot_product` is not there: SyntaxError in")
    window.expect(READY)
    window.save(FIRST, stub + DOT_PRODUCT)
    window.expect("✓ dot_product")


def test_a_file_that_vanishes_is_told_and_taken_up_again(copy: Workspace, window: Window, stub: str) -> None:
    copy.exercise(FIRST).unlink()
    window.expect(f"there is no exercises/{FIRST}.py.")
    window.expect(READY)
    window.save(FIRST, stub + DOT_PRODUCT)
    window.expect("✓ dot_product")


def test_a_folder_that_vanishes_is_told_and_taken_up_again(copy: Workspace, window: Window) -> None:
    away = copy.root / "away"
    copy.exercises.rename(away)
    window.expect(f"there is no exercises/{FIRST}.py.")
    window.expect(READY)
    away.rename(copy.exercises)
    window.append(FIRST, DOT_PRODUCT)
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
    window.expect("checking dot_product … another save ends it")
    window.save(FIRST, stub + DOT_PRODUCT)
    window.expect("✓ dot_product")


def test_q_ends_the_watch_while_a_step_hangs(open_window: OpenWindow) -> None:
    window = open_window(timeout=600)
    window.expect(READY)
    window.append(FIRST, ENDLESS)
    window.expect("another save ends it")
    window.press("q")
    window.go_on_until(lambda: window.is_over)


def test_where_the_next_process_dies_as_well_it_says_how_to_go_on(open_window: OpenWindow) -> None:
    window = open_window(runner=Dying(2))
    window.expect("the process has died. Save again to try again.")
    window.append(FIRST, DOT_PRODUCT)
    window.expect("✓ dot_product")


def test_another_module_of_the_student_marks_the_step_at_hand_again(copy: Workspace, window: Window) -> None:
    window.append(FIRST, "\n\nfrom products import dot_product\n")
    window.expect("comes from `products`")
    window.expect(READY)
    window.save("products", DOT_PRODUCT)
    window.expect("✓ dot_product")


def test_a_window_of_another_size_is_drawn_anew(window: Window) -> None:
    window.resize(40, 50)
    drawn = window.expect(READY)
    assert "· dot_product  not attempted" in drawn
    assert max(map(len, drawn.splitlines()[1:])) <= 50  # the first line is the end of the screen before


def test_after_a_shell_had_the_terminal_it_is_drawn_anew_and_keys_come_singly(window: Window) -> None:
    window.keyboard.is_taken = False
    window.watch.lose_terminal()
    assert "· dot_product  not attempted" in window.expect(READY)
    assert window.keyboard.is_taken


def test_a_hint_is_shown_and_noted(copy: Workspace, window: Window, hints: list[str]) -> None:
    window.press("h")
    window.expect(f"hint 1: {hints[0]}")
    assert load_progress(copy).hints == {f"{FIRST}.dot_product": 1}


def test_more_hints_in_the_progress_file_than_there_are_show_all(
    copy: Workspace, open_window: OpenWindow, hints: list[str]
) -> None:
    progress = load_progress(copy)
    progress.hints[f"{FIRST}.dot_product"] = 99
    progress.save()
    window = open_window()
    window.expect("All hints.")
    window.expect(f"hint 2: {hints[1]}")


def test_hints_that_cannot_be_noted_are_revealed_one_by_one_all_the_same(
    copy: Workspace, open_window: OpenWindow, hints: list[str]
) -> None:
    copy.memory.write_text("a file in the place of the folder", encoding="utf-8")
    window = open_window()
    window.expect(READY)
    window.expect(".attn could not be written")
    window.expect("`attn doctor` says what to do.")
    window.press("h")
    assert f"hint 2: {hints[1]}" not in window.expect(f"hint 1: {hints[0]}")
    window.press("h")
    window.expect(f"hint 2: {hints[1]}")


def test_a_reset_whose_backup_cannot_be_written_changes_nothing(copy: Workspace, window: Window) -> None:
    shutil.rmtree(copy.memory)
    copy.memory.write_text("a file in the place of the folder", encoding="utf-8")
    window.append(FIRST, DOT_PRODUCT.replace("* b", "* a"))
    window.expect("✗ dot_product")
    before = copy.exercise(FIRST).read_text(encoding="utf-8")
    window.press("r")
    window.expect("y or n")
    window.press("y")
    window.expect(".attn/backups could not be")
    assert copy.exercise(FIRST).read_text(encoding="utf-8") == before


def test_what_a_step_prints_leaves_its_verdict_on_a_low_screen(window: Window) -> None:
    window.resize(24, 80)
    window.append(FIRST, "\n\ndef dot_product(a, b):\n    print(*range(40), sep='\\n')\n    return a - b\n")
    screen = window.expect("lines more")
    assert "expected shape ()" in one_line(screen)
    assert "left out" not in screen


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


def test_r_and_y_put_the_stub_back_with_a_backup(copy: Workspace, window: Window, stub: str) -> None:
    wrong = stub.replace("raise NotImplementedError", "return 1  #", 1)
    window.save(FIRST, wrong)
    window.expect("✗ dot_product")
    window.expect(READY)
    window.press("r")
    window.expect(f"Put back the stub of {FIRST}.dot_product?")
    window.press("y")
    window.expect("· dot_product  not attempted")
    assert copy.exercise(FIRST).read_text(encoding="utf-8") == stub
    assert [file.read_text(encoding="utf-8") for file in (copy.memory / "backups").iterdir()] == [wrong]


def test_r_and_n_leave_the_file_alone(copy: Workspace, window: Window) -> None:
    before = copy.exercise(FIRST).read_bytes()
    window.press("r")
    window.expect("y or n")
    window.press("n")
    window.expect("Nothing has been changed.")
    assert copy.exercise(FIRST).read_bytes() == before


def test_an_empty_file_is_reset_as_a_whole(copy: Workspace, window: Window, stub: str) -> None:
    window.save(FIRST, "")
    window.expect("✗ dot_product  missing")
    window.press("ry")
    window.go_on_until(lambda: copy.exercise(FIRST).read_text(encoding="utf-8") == stub)


def test_progress_that_cannot_be_read_at_the_start_is_told_until_the_next_save(
    copy: Workspace, open_window: OpenWindow
) -> None:
    copy.memory.mkdir()
    (copy.memory / "progress.json").write_text("precious", encoding="utf-8")
    window = open_window()
    assert "It was renamed to progress.unreadable.json." in one_line(window.expect(READY))
    window.append(FIRST, DOT_PRODUCT)
    window.expect("✓ dot_product  2 points")
    assert "unreadable" not in window.expect(READY)


def test_progress_that_becomes_unreadable_is_told_beside_the_verdict(copy: Workspace, window: Window) -> None:
    (copy.memory / "progress.json").write_text("precious", encoding="utf-8")
    window.append(FIRST, DOT_PRODUCT)
    window.expect("progress.unreadable.json")
    assert "· attention_scores  not attempted" in window.expect(READY)
    assert load_progress(copy).passed(f"{FIRST}.dot_product")


def test_what_was_edited_since_the_last_check_is_marked_at_the_start(copy: Workspace, open_window: OpenWindow) -> None:
    progress = load_progress(copy)
    for step in ("part1_simplified.dot_product", "part2_trainable.project_qkv"):
        progress.steps[step] = StepProgress("passed", 2.0, "2026-11-21T00:00:00+00:00", "of another file")
    progress.save()
    window = open_window(plain=True)
    window.expect("dot_product had passed and does not pass any more.")
    window.expect("project_qkv had passed and does not pass any more.")


def test_a_low_window_shows_the_verdict_and_the_keys(window: Window) -> None:
    window.append(FIRST, 'def dot_product(a, b):\n    print("\\n" * 20)\n    return a.sum()\n')
    window.expect("✗ dot_product  wrong values")
    window.expect(READY)
    window.resize(14, 80)
    drawn = window.expect(READY)
    assert "✗ dot_product  wrong values" in drawn
    assert "lines left out; a taller window shows them" in drawn
    assert len(drawn.splitlines()) <= 14


def test_a_low_window_shows_the_sentence_in_place_of_the_picture(window: Window) -> None:
    text = "    return torch.exp(inputs @ inputs.T) @ inputs\n"
    window.append(FIRST, f"\n\ndef simplified_self_attention(inputs):\n{text}")
    window.expect("✗ simplified_self_attention  wrong values")
    window.expect(READY)
    window.resize(16, 80)
    drawn = window.expect(READY)
    assert "18 of 18 numbers differ" in drawn
    assert "A taller window shows the picture." in drawn
    assert "lines left out" not in drawn


def test_the_place_named_is_the_line_that_raised(window: Window, stub: str) -> None:
    window.append(FIRST, "\n\ndef dot_product(a, b):\n    return a.nothing\n")
    line = stub.count("\n") + 4
    window.expect("✗ dot_product  raised")
    told = window.expect(READY)
    assert told.count(f"exercises/{FIRST}.py:{line}") == 2  # in the verdict and below it


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


def test_what_was_saved_while_the_debugger_ran_is_marked_after_it(window: Window) -> None:
    window.press("d ")
    window.append(FIRST, DOT_PRODUCT)
    window.expect("Any key goes back to the watch.")
    window.expect("✓ dot_product")


def test_a_finished_part_is_celebrated_and_leads_on_to_the_next(
    copy: Workspace, window: Window, practice: Exam
) -> None:
    window.save(FIRST, (copy.solutions / f"{FIRST}.py").read_text(encoding="utf-8"))
    part = practice.syllabus.part(FIRST)
    window.expect(f"{FIRST} is complete: {part.points:g} points. {part.title}: you have written all of it.")
    window.expect("· project_qkv  not attempted")


def test_the_last_step_of_all_ends_quietly(copy: Workspace, open_window: OpenWindow) -> None:
    window = open_window(SECOND)
    window.expect(READY)
    window.save(SECOND, (copy.solutions / f"{SECOND}.py").read_text(encoding="utf-8"))
    window.expect("Every step that is watched has passed. q ends the watch.")
    window.expect("13 of 13 steps")


def test_it_opens_on_the_first_step_that_has_not_passed(copy: Workspace, open_window: OpenWindow) -> None:
    progress = load_progress(copy)
    copy.exercise(FIRST).write_text(copy.exercise(FIRST).read_text(encoding="utf-8") + DOT_PRODUCT, encoding="utf-8")
    progress.steps[f"{FIRST}.dot_product"] = StepProgress("passed", 2.0, "2026-11-21T00:00:00+00:00", "")
    progress.save()
    assert "· attention_scores  not attempted" in open_window().expect(READY)


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


def test_without_the_exercises_folder_it_ends_with_a_message(copy: Workspace) -> None:
    shutil.rmtree(copy.exercises)
    done = attn_in(copy, "watch")
    assert done.returncode == 2
    assert "there is no folder" in one_line(done.stderr)


def test_without_the_practice_exam_it_ends_with_a_message(copy: Workspace) -> None:
    copy.practice_exam.unlink()
    done = attn_in(copy, "watch")
    assert done.returncode == 2
    assert "Copy the folder exams/ again" in one_line(done.stderr)
