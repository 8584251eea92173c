"""`attn watch` in a pseudo-terminal: it follows saves and keys, and leaves the terminal as it was."""

import contextlib
import os
import shutil
import signal
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from command import ATTN
from command import attn_process as attn_in
from processes import children, descendants, eventually
from terminal import Terminal, one_line

from autograder.cli.progress import StepProgress, load_progress
from autograder.exam.model import Exam
from autograder.workspace import Workspace

pytestmark = pytest.mark.slow

FIRST = "part1_simplified"
SECOND = "part2_trainable"
READY = "marked in"
"""Stands in the last line of a screen with a verdict."""

DOT_PRODUCT = "\n\ndef dot_product(a, b):\n    return (a * b).sum()\n"
ENDLESS = "\n\ndef dot_product(a, b):\n    while True:\n        pass\n"
"""Below a stub, where the last definition counts."""


def append(path: Path, text: str) -> None:
    with path.open("a", encoding="utf-8") as file:
        file.write(text)


def replace(path: Path, text: str) -> None:
    """Save as many editors do: a new file that takes the old one's name."""
    new = path.with_name(f".{path.name}.new")
    new.write_text(text, encoding="utf-8")
    os.replace(new, path)


def move_away_and_write(path: Path, text: str) -> None:
    """Save as other editors do: the old file becomes a backup, and for a moment there is none."""
    path.rename(path.with_name(f"{path.name}~"))
    path.write_text(text, encoding="utf-8")


@pytest.fixture
def watch(copy: Workspace) -> Iterator[Terminal]:
    """The command, watching a fresh course, once it has marked it."""
    with Terminal(copy, "watch") as terminal:
        terminal.expect(READY)
        yield terminal


@pytest.fixture
def stub(practice: Exam) -> str:
    return practice.syllabus.part(FIRST).stub


@pytest.fixture(scope="module")
def idle_course(new_course: Callable[..., Workspace]) -> Workspace:
    """A course whose files nobody changes."""
    return new_course()


@pytest.fixture(scope="module")
def idle(idle_course: Workspace) -> Iterator[Terminal]:
    """The command, watching a course whose files nobody changes."""
    with Terminal(idle_course, "watch") as terminal:
        terminal.expect(READY)
        yield terminal


def test_a_session_from_the_first_step_on(copy: Workspace) -> None:
    with Terminal(copy, "watch") as terminal:
        opened = terminal.expect(READY)
        assert "· dot_product  not attempted" in opened
        assert f"exercises/{FIRST}.py:" in opened
        assert "0 of 53 steps" in opened

        append(copy.exercise(FIRST), DOT_PRODUCT)
        terminal.expect("checking …")
        terminal.expect("✓ dot_product  2 points")
        assert "· attention_scores  not attempted" in terminal.expect("1 of 53 steps")
        terminal.expect(READY)
        assert eventually(lambda: load_progress(copy).passed(f"{FIRST}.dot_product"))

        append(copy.exercise(FIRST), "\n\ndef attention_scores(query, inputs):\n    return 2 * (inputs @ query)\n")
        terminal.expect("✗ attention_scores  wrong values")
        told = terminal.expect(READY)
        assert "numbers differ" in told
        assert "→ Your numbers are the right ones times 2" in told

        terminal.press("q")
        assert terminal.wait() == 0
        assert terminal.current_attributes == terminal.attributes


def test_it_shows_the_step_at_once_before_torch_is_there(copy: Workspace) -> None:
    with Terminal(copy, "watch") as terminal:
        opened = terminal.expect("starting torch …")
        assert "· dot_product  not attempted" in opened
        assert READY not in opened


def test_the_place_to_write_is_a_link_to_the_file(copy: Workspace, watch: Terminal) -> None:
    assert f"{copy.exercise(FIRST).resolve().as_uri()}\x1b\\" in watch.raw


def test_in_vs_code_the_place_to_write_is_left_to_its_own_links(copy: Workspace) -> None:
    with Terminal(copy, "watch", TERM_PROGRAM="vscode") as terminal:
        assert f"exercises/{FIRST}.py:" in terminal.expect(READY)
        assert "\x1b]8;" not in terminal.raw


@pytest.mark.parametrize("save", [replace, move_away_and_write])
def test_a_save_by_renaming_is_seen(
    copy: Workspace, watch: Terminal, stub: str, save: Callable[[Path, str], None]
) -> None:
    save(copy.exercise(FIRST), stub + DOT_PRODUCT)
    watch.expect("✓ dot_product")
    watch.expect(READY)
    save(copy.exercise(FIRST), stub)
    watch.expect("· dot_product  not attempted")


def test_a_syntax_error_is_shown_and_mended(copy: Workspace, watch: Terminal, stub: str) -> None:
    append(copy.exercise(FIRST), "\n\ndef dot_product(a, b):\n    return (a * b\n")
    watch.expect(f"SyntaxError in exercises/{FIRST}.py, line")
    watch.expect(READY)
    copy.exercise(FIRST).write_text(stub + DOT_PRODUCT, encoding="utf-8")
    watch.expect("✓ dot_product")


def test_a_file_that_vanishes_is_told_and_taken_up_again(copy: Workspace, watch: Terminal, stub: str) -> None:
    copy.exercise(FIRST).unlink()
    watch.expect(f"there is no exercises/{FIRST}.py.")
    watch.expect(READY)
    copy.exercise(FIRST).write_text(stub + DOT_PRODUCT, encoding="utf-8")
    watch.expect("✓ dot_product")


def test_a_folder_that_vanishes_is_told_and_taken_up_again(copy: Workspace, watch: Terminal) -> None:
    away = copy.root / "away"
    copy.exercises.rename(away)
    watch.expect(f"there is no exercises/{FIRST}.py.")
    watch.expect(READY)
    append(away / f"{FIRST}.py", DOT_PRODUCT)
    away.rename(copy.exercises)
    watch.expect("✓ dot_product")


def test_an_endless_loop_is_shown_as_a_time_out_and_mended(copy: Workspace, stub: str) -> None:
    with Terminal(copy, "watch", "--timeout", "5") as terminal:
        terminal.expect(READY)
        append(copy.exercise(FIRST), ENDLESS)
        terminal.expect("✗ dot_product  timed out")
        terminal.expect(READY)
        copy.exercise(FIRST).write_text(stub + DOT_PRODUCT, encoding="utf-8")
        terminal.expect("✓ dot_product")


def test_a_save_ends_the_check_of_a_step_that_hangs(copy: Workspace, stub: str) -> None:
    with Terminal(copy, "watch", "--timeout", "600") as terminal:
        terminal.expect(READY)
        append(copy.exercise(FIRST), ENDLESS)
        terminal.expect("checking dot_product … another save ends it")
        copy.exercise(FIRST).write_text(stub + DOT_PRODUCT, encoding="utf-8")
        terminal.expect("✓ dot_product")


def test_what_is_under_way_takes_one_line_of_a_narrow_window(copy: Workspace) -> None:
    with Terminal(copy, "watch", "--timeout", "600", columns=36) as terminal:
        terminal.expect(READY)
        append(copy.exercise(FIRST), ENDLESS)
        terminal.expect("checking dot_product … another save")
        terminal.press("x")
        assert "ends it" not in terminal.screen


def test_q_ends_the_watch_while_a_step_hangs(copy: Workspace) -> None:
    with Terminal(copy, "watch", "--timeout", "600") as terminal:
        terminal.expect(READY)
        append(copy.exercise(FIRST), ENDLESS)
        terminal.expect("another save ends it")
        terminal.press("q")
        assert terminal.wait() == 0


def test_a_step_that_crashes_is_shown_and_mended(copy: Workspace, watch: Terminal, stub: str) -> None:
    append(copy.exercise(FIRST), "\n\nimport os\n\ndef dot_product(a, b):\n    os.abort()\n")
    watch.expect("✗ dot_product  crashed")
    watch.expect(READY)
    copy.exercise(FIRST).write_text(stub + DOT_PRODUCT, encoding="utf-8")
    watch.expect("✓ dot_product")


def test_a_warm_process_that_is_killed_is_replaced(copy: Workspace, watch: Terminal) -> None:
    append(copy.exercise(FIRST), "\n# nothing new\n")
    watch.expect(READY)
    (warm,) = children(watch.process.pid)
    os.kill(warm, signal.SIGKILL)
    append(copy.exercise(FIRST), DOT_PRODUCT)
    watch.expect("✓ dot_product")


def test_while_no_process_is_warm_it_says_that_torch_is_started(copy: Workspace, watch: Terminal) -> None:
    for warm in descendants(watch.process.pid):
        with contextlib.suppress(ProcessLookupError):  # it has ended with the one before it
            os.kill(warm, signal.SIGKILL)
    append(copy.exercise(FIRST), DOT_PRODUCT)
    watch.expect("checking …")
    watch.expect("starting torch …")
    watch.expect("✓ dot_product")


def test_files_are_looked_at_where_no_events_come(copy: Workspace, tmp_path: Path) -> None:
    elsewhere = tmp_path / "part.py"
    shutil.move(copy.exercise(FIRST), elsewhere)
    copy.exercise(FIRST).symlink_to(elsewhere)  # a link's target may change without a word from the folder of the link
    with Terminal(copy, "watch") as terminal:
        terminal.expect(READY)
        append(elsewhere, "\n\ndef dot_product(a, b):\n    return a.sum()\n")
        terminal.expect("✗ dot_product")
        terminal.expect(READY)
        append(elsewhere, DOT_PRODUCT)
        terminal.expect("✓ dot_product")
        terminal.expect(READY)
        append(elsewhere, "\n# nothing new\n")
        assert "This folder does not tell of saves" in one_line(terminal.expect(READY))


def test_another_module_of_the_student_marks_the_step_at_hand_again(copy: Workspace, watch: Terminal) -> None:
    append(copy.exercise(FIRST), "\n\nfrom products import dot_product\n")
    watch.expect("No module named 'products'")
    watch.expect(READY)
    (copy.exercises / "products.py").write_text(DOT_PRODUCT, encoding="utf-8")
    watch.expect("✓ dot_product")


def test_a_resized_terminal_is_drawn_anew(watch: Terminal) -> None:
    watch.resize(40, 50)
    drawn = watch.expect(READY)
    assert "· dot_product  not attempted" in drawn
    assert max(map(len, drawn.splitlines())) <= 50


def test_h_reveals_one_more_hint_each_time(idle: Terminal, practice: Exam) -> None:
    hints = practice.syllabus.part(FIRST).step("dot_product").hints
    idle.press("h")
    idle.expect(f"hint 1: {hints[0][:60]}")
    idle.press("h")
    idle.expect("All hints. The lecture: docs/lectures/")
    idle.expect(f"hint 2: {hints[1][:60]}")


def test_a_hint_is_shown_below_what_the_step_asks(copy: Workspace, practice: Exam) -> None:
    hints = practice.syllabus.part(FIRST).step("dot_product").hints
    with Terminal(copy, "watch") as terminal:
        terminal.expect(READY)
        terminal.press("s")
        terminal.expect("# TODO 1:")
        terminal.press("h")
        terminal.expect(f"hint 1: {hints[0][:60]}")


def test_more_hints_in_the_progress_file_than_there_are_show_all(copy: Workspace, practice: Exam) -> None:
    progress = load_progress(copy)
    progress.hints[f"{FIRST}.dot_product"] = 99
    progress.save()
    with Terminal(copy, "watch") as terminal:
        terminal.expect("All hints.")
        terminal.expect(f"hint 2: {practice.syllabus.part(FIRST).step('dot_product').hints[1][:60]}")


def test_in_a_low_window_the_last_hint_is_there(copy: Workspace, watch: Terminal, practice: Exam) -> None:
    watch.resize(16, 60)
    watch.press("hh")
    watch.expect(f"hint 2: {practice.syllabus.part(FIRST).step('dot_product').hints[1][:40]}")
    watch.expect(READY)


def test_hints_that_cannot_be_noted_are_revealed_one_by_one_all_the_same(copy: Workspace, practice: Exam) -> None:
    hints = practice.syllabus.part(FIRST).step("dot_product").hints
    copy.memory.write_text("a file in the place of the folder", encoding="utf-8")
    with Terminal(copy, "watch") as terminal:
        terminal.expect(READY)
        terminal.press("h")
        assert f"hint 2: {hints[1][:60]}" not in terminal.expect(f"hint 1: {hints[0][:60]}")
        terminal.expect("could not be noted in")
        terminal.press("h")
        terminal.expect(f"hint 2: {hints[1][:60]}")


def test_a_reset_whose_backup_cannot_be_written_changes_nothing(copy: Workspace) -> None:
    before = copy.exercise(FIRST).read_text(encoding="utf-8") + DOT_PRODUCT
    copy.exercise(FIRST).write_text(before, encoding="utf-8")
    copy.memory.write_text("a file in the place of the folder", encoding="utf-8")
    with Terminal(copy, "watch", "1") as terminal:
        terminal.expect(READY)
        terminal.press("r")
        terminal.expect("y or n")
        terminal.press("y")
        terminal.expect("Nothing has been changed.")
    assert copy.exercise(FIRST).read_text(encoding="utf-8") == before


def test_what_a_step_prints_leaves_its_verdict_on_a_low_screen(copy: Workspace, watch: Terminal) -> None:
    watch.resize(24, 80)
    append(copy.exercise(FIRST), "\n\ndef dot_product(a, b):\n    print(*range(40), sep='\\n')\n    return a - b\n")
    screen = watch.expect("lines more")
    assert "expected shape ()" in one_line(screen)
    assert "left out" not in screen


def test_s_shows_what_the_step_asks(idle: Terminal) -> None:
    idle.press("s")
    idle.expect("docs/lectures/without_weights.md#dot_product")
    idle.expect("# TODO 1:")


def test_l_lists_the_steps_and_jumps(copy: Workspace, watch: Terminal) -> None:
    watch.press("l")
    assert f"→ · {FIRST}.dot_product  2 points" in watch.expect("enter goes there")
    watch.press("\x1b[Bj")
    watch.expect(f"→ · {FIRST}.softmax")
    watch.press("k\n")
    watch.expect("· attention_scores  not attempted")
    append(copy.exercise(FIRST), "\n\ndef attention_scores(query, inputs):\n    return 2 * (inputs @ query)\n")
    watch.expect("✗ attention_scores  wrong values")


def test_a_step_that_has_passed_stays_when_it_was_chosen(copy: Workspace, watch: Terminal) -> None:
    append(copy.exercise(FIRST), DOT_PRODUCT)
    watch.expect("· attention_scores  not attempted")
    watch.expect(READY)
    watch.press("l")
    watch.expect("enter goes there")
    watch.press("k\n")
    watch.expect("✓ dot_product")
    watch.expect("✓ dot_product")  # once more with its marks
    watch.press("s")
    watch.expect("without_weights.md#dot_product")
    append(copy.exercise(FIRST), "\n")
    watch.expect("· attention_scores  not attempted")


def test_the_page_keys_move_ten_steps_in_the_list(idle: Terminal) -> None:
    idle.press("l")
    idle.expect("enter goes there")
    idle.press("\x1b[6~\x1b[6~\x1b[5~\x1b[A")
    idle.expect("→ · part2_trainable.attention_weights")


def test_escape_leaves_the_list(idle: Terminal) -> None:
    idle.press("l")
    idle.expect("enter goes there")
    idle.press("\x1b")
    idle.expect("h hint")


def test_r_and_y_put_the_stub_back_with_a_backup(copy: Workspace, watch: Terminal, stub: str) -> None:
    wrong = stub.replace("raise NotImplementedError", "return 1  #", 1)
    copy.exercise(FIRST).write_text(wrong, encoding="utf-8")
    watch.expect("✗ dot_product")
    watch.expect(READY)
    watch.press("r")
    watch.expect(f"Put back the stub of {FIRST}.dot_product?")
    watch.press("y")
    watch.expect("· dot_product  not attempted")
    assert copy.exercise(FIRST).read_text(encoding="utf-8") == stub
    assert [file.read_text(encoding="utf-8") for file in (copy.memory / "backups").iterdir()] == [wrong]


def test_a_reset_is_told_with_the_place_of_the_backup(copy: Workspace, watch: Terminal) -> None:
    watch.press("ry")
    watch.expect("dot_product is a stub again. What was there: ")
    assert ".attn/backups/" in one_line(watch.expect("· dot_product"))


def test_an_empty_file_is_reset_as_a_whole(copy: Workspace, watch: Terminal, stub: str) -> None:
    copy.exercise(FIRST).write_text("", encoding="utf-8")
    watch.expect("✗ dot_product  missing")
    watch.expect(READY)
    watch.press("ry")
    watch.expect("· dot_product  not attempted")
    assert copy.exercise(FIRST).read_text(encoding="utf-8") == stub


def test_progress_that_cannot_be_read_at_the_start_is_told_until_the_next_save(copy: Workspace) -> None:
    copy.memory.mkdir()
    (copy.memory / "progress.json").write_text("precious", encoding="utf-8")
    with Terminal(copy, "watch") as terminal:
        assert "It is now called progress.unreadable.json." in one_line(terminal.expect(READY))
        append(copy.exercise(FIRST), DOT_PRODUCT)
        terminal.expect("✓ dot_product  2 points")
        assert "unreadable" not in terminal.expect(READY)


def test_progress_that_becomes_unreadable_is_told_beside_the_verdict(copy: Workspace, watch: Terminal) -> None:
    file = copy.memory / "progress.json"
    assert eventually(file.exists)
    file.write_text("precious", encoding="utf-8")
    append(copy.exercise(FIRST), DOT_PRODUCT)
    watch.expect("progress.unreadable.json")
    assert "· attention_scores  not attempted" in watch.expect(READY)
    assert eventually(lambda: load_progress(copy).passed(f"{FIRST}.dot_product"))


def test_what_was_edited_since_the_last_check_is_marked_at_the_start(copy: Workspace) -> None:
    progress = load_progress(copy)
    for step in ("part1_simplified.dot_product", "part2_trainable.project_qkv"):
        progress.steps[step] = StepProgress("passed", 2.0, "2026-11-21T00:00:00+00:00", "of another file")
    progress.save()
    with Terminal(copy, "watch", "--plain") as terminal:
        terminal.expect("dot_product had passed and does not pass any more.")


def test_the_step_that_was_worked_on_is_shown(copy: Workspace, watch: Terminal) -> None:
    append(copy.exercise(FIRST), "\n\ndef softmax(scores):\n    return scores\n")
    watch.expect("✗ softmax  wrong values")


def test_another_step_that_was_worked_on_with_it_is_told_once(copy: Workspace, watch: Terminal) -> None:
    told = "softmax is tried, too: wrong values. The list, l, goes there."
    append(
        copy.exercise(FIRST),
        "\n\ndef softmax(scores):\n    return scores\n\ndef dot_product(a, b):\n    return a - b\n",
    )
    watch.expect(told)
    watch.expect("✗ dot_product  wrong shape")
    watch.expect(READY)
    append(copy.exercise(FIRST), "\n\ndef dot_product(a, b):\n    return (a - b).sum()\n")
    watch.expect("✗ dot_product  wrong values")
    assert told not in watch.expect(READY)


def test_the_step_that_was_asked_about_is_reset_though_the_screen_has_moved_on(
    copy: Workspace, watch: Terminal
) -> None:
    watch.press("r")
    watch.expect("Put back the stub of part1_simplified.dot_product?")
    append(copy.exercise(FIRST), DOT_PRODUCT)
    watch.expect("attention_scores  not attempted")
    watch.expect("Put back the stub of part1_simplified.dot_product?")
    watch.press("y")
    watch.expect("dot_product is a stub again.")
    assert "(a * b).sum()" not in copy.exercise(FIRST).read_text(encoding="utf-8")


def test_a_low_window_shows_the_verdict_and_the_keys(copy: Workspace, watch: Terminal) -> None:
    append(copy.exercise(FIRST), 'def dot_product(a, b):\n    print("\\n" * 20)\n    return a.sum()\n')
    watch.expect("✗ dot_product  wrong values")
    watch.expect(READY)
    watch.resize(14, 80)
    drawn = watch.expect(READY)
    assert "✗ dot_product  wrong values" in drawn
    assert "lines left out; a higher window shows them" in drawn
    assert len(drawn.splitlines()) <= 14


def test_a_low_window_shows_the_sentence_in_place_of_the_picture(copy: Workspace, watch: Terminal) -> None:
    text = "    return torch.exp(inputs @ inputs.T) @ inputs\n"
    append(copy.exercise(FIRST), f"\n\ndef simplified_self_attention(inputs):\n{text}")
    watch.expect("✗ simplified_self_attention  wrong values")
    watch.expect(READY)
    watch.resize(16, 80)
    drawn = watch.expect(READY)
    assert "18 of 18 numbers differ" in drawn
    assert "A higher window shows the picture." in drawn
    assert "lines left out" not in drawn


def test_after_a_stop_and_a_continuation_keys_come_singly_again(watch: Terminal) -> None:
    singly = watch.current_attributes
    watch.process.send_signal(signal.SIGSTOP)
    watch.set_attributes(watch.attributes)  # as a shell does
    watch.process.send_signal(signal.SIGCONT)
    watch.expect(READY)
    assert watch.current_attributes == singly


def test_the_place_named_is_the_line_that_raised(copy: Workspace, watch: Terminal, stub: str) -> None:
    append(copy.exercise(FIRST), "\n\ndef dot_product(a, b):\n    return a.nothing\n")
    line = stub.count("\n") + 4
    watch.expect("✗ dot_product  raised")
    told = watch.expect(READY)
    assert told.count(f"exercises/{FIRST}.py:{line}") == 2  # in the verdict and below it


def test_ctrl_c_ends_a_loop_in_the_foreground(copy: Workspace) -> None:
    with Terminal(copy, "watch", "--timeout", "0.5") as terminal:
        terminal.expect(READY)
        append(
            copy.exercise(FIRST),
            'def dot_product(a, b):\n    print("looping", flush=True)\n    while True:\n        pass\n',
        )
        terminal.expect("✗ dot_product  timed out")
        terminal.expect(READY)
        terminal.press("d")
        terminal.expect("looping")
        os.killpg(terminal.process.pid, signal.SIGINT)
        terminal.expect("you stopped the step, so nothing has been marked.")
        terminal.expect("Any key goes back to the watch.")


def test_r_and_n_leave_the_file_alone(idle_course: Workspace, idle: Terminal) -> None:
    before = idle_course.exercise(FIRST).read_bytes()
    idle.press("r")
    idle.expect("y or n")
    idle.press("n")
    idle.expect("Nothing has been changed.")
    assert idle_course.exercise(FIRST).read_bytes() == before


def test_d_debugs_in_the_foreground_and_comes_back(copy: Workspace, watch: Terminal) -> None:
    append(copy.exercise(FIRST), "\n\ndef dot_product(a, b):\n    breakpoint()\n    return (a * b).sum()\n")
    watch.expect(READY)
    watch.press("d")
    watch.expect("(Pdb)")
    watch.press("p a.shape\n")
    watch.expect("torch.Size([3])")
    watch.expect("(Pdb)")
    watch.press("q\n")
    watch.expect("you left the debugger, so nothing has been marked.")
    watch.expect("Any key goes back to the watch.")
    watch.press(" ")
    watch.expect("dot_product")
    watch.expect(READY)
    watch.press("q")
    assert watch.wait() == 0


def test_ctrl_c_in_the_debugger_does_not_end_the_watch(copy: Workspace, watch: Terminal) -> None:
    append(copy.exercise(FIRST), "\n\ndef dot_product(a, b):\n    breakpoint()\n")
    watch.expect(READY)
    watch.press("d")
    watch.expect("(Pdb)")
    os.killpg(watch.process.pid, signal.SIGINT)
    watch.press("\n")  # Python notices a Ctrl-C that comes just before it waits for a key at the next key
    watch.expect("(Pdb)")
    watch.press("q\n")
    watch.expect("Any key goes back to the watch.")
    watch.press(" ")
    watch.expect(READY)


def test_keys_that_mean_nothing_change_nothing(idle: Terminal) -> None:
    idle.press("x?l")
    idle.expect("enter goes there")
    idle.press("l")
    idle.expect(READY)


def test_ctrl_c_leaves_the_terminal_as_it_was(watch: Terminal) -> None:
    assert watch.current_attributes != watch.attributes
    watch.process.send_signal(signal.SIGINT)
    assert watch.wait() == 0
    assert watch.current_attributes == watch.attributes


def test_a_finished_part_is_celebrated_and_leads_on_to_the_next(copy: Workspace, practice: Exam) -> None:
    solution = (copy.solutions / f"{FIRST}.py").read_text(encoding="utf-8")
    with Terminal(copy, "watch") as terminal:
        terminal.expect(READY)
        copy.exercise(FIRST).write_text(solution, encoding="utf-8")
        part = practice.syllabus.part(FIRST)
        terminal.expect(f"{FIRST} is complete: {part.points:g} points. {part.title}: you have written all of it.")
        terminal.expect("· project_qkv  not attempted")


def test_the_last_step_of_all_ends_quietly(copy: Workspace) -> None:
    with Terminal(copy, "watch", "2") as terminal:
        terminal.expect(READY)
        shutil.copy(copy.solutions / f"{SECOND}.py", copy.exercise(SECOND))
        terminal.expect("Every step that is watched has passed. q ends the watch.")
        terminal.expect("13 of 13 steps")


def test_a_step_that_passes_no_longer_comes_first(copy: Workspace, watch: Terminal, stub: str) -> None:
    append(copy.exercise(FIRST), DOT_PRODUCT)
    watch.expect("· attention_scores")
    watch.expect(READY)
    append(copy.exercise(FIRST), "\n\ndef dot_product(a, b):\n    return a.sum()\n")
    watch.expect("dot_product had passed and does not pass any more.")
    watch.expect("✗ dot_product  wrong values")


def test_it_opens_on_the_first_step_that_has_not_passed(copy: Workspace) -> None:
    progress = load_progress(copy)
    append(copy.exercise(FIRST), DOT_PRODUCT)
    progress.steps[f"{FIRST}.dot_product"] = StepProgress("passed", 2.0, "2026-11-21T00:00:00+00:00", "")
    progress.save()
    with Terminal(copy, "watch") as terminal:
        assert "· attention_scores  not attempted" in terminal.expect(READY)


def test_a_part_is_watched_alone(copy: Workspace) -> None:
    with Terminal(copy, "watch", "2") as terminal:
        assert f"exercises/{SECOND}.py:" in terminal.expect(READY)


def test_plain_says_it_in_words_line_after_line(copy: Workspace) -> None:
    with Terminal(copy, "watch", "--plain") as terminal:
        assert "0 of 53 steps have passed." in terminal.expect(READY)
        append(copy.exercise(FIRST), DOT_PRODUCT)
        terminal.expect("1 of 53 steps have passed.")
        terminal.expect(READY)
        terminal.press("l")
        terminal.expect(f"open {FIRST}.attention_scores")
        terminal.press("j")
        terminal.expect(f"open {FIRST}.softmax")
        assert "\x1b[2J" not in terminal.raw
        assert not set("✓✗·━─→░█") & set(terminal.raw)


def test_plain_is_plain_in_the_foreground_too(copy: Workspace) -> None:
    with Terminal(copy, "watch", "--plain") as terminal:
        terminal.expect(READY)
        append(copy.exercise(FIRST), "\n\ndef dot_product(a, b):\n    return a - b\n")
        terminal.expect("wrong")
        terminal.expect(READY)
        terminal.press("d")
        told = terminal.expect("Any key goes back to the watch.")
        assert "wrong" in told
        assert not set("✓✗·━─→░█") & set(told)


def test_without_a_terminal_it_follows_saves_line_after_line(copy: Workspace, tmp_path: Path) -> None:
    out = tmp_path / "out.txt"

    def written() -> str:
        return out.read_text(encoding="utf-8")

    with out.open("wb") as file:
        process = subprocess.Popen([ATTN, "watch"], cwd=copy.root, stdin=subprocess.DEVNULL, stdout=file, stderr=file)
    try:
        assert eventually(lambda: READY in written())
        append(copy.exercise(FIRST), DOT_PRODUCT)
        assert eventually(lambda: "✓ dot_product  2 points" in written())
        assert "\x1b" not in written()
    finally:
        process.send_signal(signal.SIGINT)
        assert process.wait(30) == 0


def test_without_the_exercises_folder_it_ends_with_a_message(copy: Workspace) -> None:
    shutil.rmtree(copy.exercises)
    done = attn_in(copy, "watch")
    assert done.returncode == 2
    assert "there is no folder" in one_line(done.stderr)


def test_without_the_practice_exam_it_ends_with_a_message(copy: Workspace) -> None:
    copy.practice_exam.unlink()
    with Terminal(copy, "watch") as terminal:
        assert terminal.wait() == 2
        assert "Take the folder exams/ once more" in one_line(terminal.screen)
        assert "Traceback" not in terminal.screen
