"""`attn watch` in a pseudo-terminal: it follows saves and keys, and leaves the terminal as it was."""

import contextlib
import os
import shutil
import signal
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from attn_process import Terminal, one_line

from autograder.cli.progress import StepProgress, load_progress
from autograder.exam.model import Exam
from autograder.workspace import Workspace

pytestmark = pytest.mark.slow

FIRST = "part1_simplified"
SECOND = "part2_trainable"
READY = "q quit"
DOT_PRODUCT = "\n\ndef dot_product(a, b):\n    return (a * b).sum()\n"


def append(path: Path, text: str) -> None:
    with path.open("a", encoding="utf-8") as file:
        file.write(text)


def replace(path: Path, text: str) -> None:
    """Save as many editors do: a new file that takes the old one's name."""
    new = path.with_name(f".{path.name}.new")
    new.write_text(text, encoding="utf-8")
    os.replace(new, path)


@pytest.fixture
def watch(copy: Workspace) -> Iterator[Terminal]:
    """The command, watching a fresh course, once it has marked it."""
    with Terminal(copy, "watch") as terminal:
        terminal.expect(READY)
        yield terminal


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
        assert f"{FIRST}.dot_product  exercises/{FIRST}.py:" in opened

        append(copy.exercise(FIRST), DOT_PRODUCT)
        terminal.expect("✓ dot_product")
        assert f"{FIRST}.attention_scores  exercises/{FIRST}.py:" in terminal.expect(READY)
        assert load_progress(copy).passed(f"{FIRST}.dot_product")

        append(copy.exercise(FIRST), "\n\ndef attention_scores(query, inputs):\n    return 2 * (inputs @ query)\n")
        terminal.expect("✗ attention_scores  wrong values")
        assert "numbers differ" in terminal.expect(READY)

        terminal.press("q")
        assert terminal.wait() == 0
        assert terminal.current_attributes == terminal.attributes


def test_a_save_by_renaming_is_seen(copy: Workspace, watch: Terminal, practice: Exam) -> None:
    replace(copy.exercise(FIRST), practice.syllabus.part(FIRST).stub + DOT_PRODUCT)
    watch.expect("✓ dot_product")
    watch.expect(READY)
    replace(copy.exercise(FIRST), practice.syllabus.part(FIRST).stub)
    watch.expect("· dot_product  not attempted")


def test_a_syntax_error_is_shown_and_mended(copy: Workspace, watch: Terminal, practice: Exam) -> None:
    append(copy.exercise(FIRST), "\n\ndef dot_product(a, b):\n    return (a * b\n")
    watch.expect(f"SyntaxError in exercises/{FIRST}.py, line")
    watch.expect(READY)
    copy.exercise(FIRST).write_text(practice.syllabus.part(FIRST).stub + DOT_PRODUCT, encoding="utf-8")
    watch.expect("✓ dot_product")


def test_an_endless_loop_is_shown_and_mended(copy: Workspace, practice: Exam) -> None:
    with Terminal(copy, "watch", "--timeout", "1") as terminal:
        terminal.expect(READY)
        append(copy.exercise(FIRST), "\n\ndef dot_product(a, b):\n    while True:\n        pass\n")
        terminal.expect("✗ dot_product  timed out")
        terminal.expect(READY)
        copy.exercise(FIRST).write_text(practice.syllabus.part(FIRST).stub + DOT_PRODUCT, encoding="utf-8")
        terminal.expect("✓ dot_product")


def test_h_reveals_one_more_hint_each_time(idle: Terminal, practice: Exam) -> None:
    hints = practice.syllabus.part(FIRST).step("dot_product").hints
    idle.press("h")
    idle.expect(f"1. {hints[0][:60]}")
    idle.press("h")
    idle.expect(f"2. {hints[1][:60]}")


def test_s_shows_what_the_step_asks(idle: Terminal) -> None:
    idle.press("s")
    idle.expect("docs/lectures/without_weights.md#dot_product")
    idle.expect("# TODO 1:")


def test_r_and_y_put_the_stub_back_with_a_backup(copy: Workspace, watch: Terminal, practice: Exam) -> None:
    wrong = practice.syllabus.part(FIRST).stub.replace("raise NotImplementedError", "return 1  #", 1)
    copy.exercise(FIRST).write_text(wrong, encoding="utf-8")
    watch.expect("✗ dot_product")
    watch.expect(READY)
    watch.press("r")
    watch.expect(f"Put back the stub of {FIRST}.dot_product?")
    watch.press("y")
    watch.expect("· dot_product  not attempted")
    assert copy.exercise(FIRST).read_text(encoding="utf-8") == practice.syllabus.part(FIRST).stub
    assert [file.read_text(encoding="utf-8") for file in (copy.memory / "backups").iterdir()] == [wrong]


def test_r_and_n_leave_the_file_alone(idle_course: Workspace, idle: Terminal) -> None:
    before = idle_course.exercise(FIRST).read_bytes()
    idle.press("r")
    idle.expect("y or n")
    idle.press("n")
    idle.expect("Nothing has been changed.")
    assert idle_course.exercise(FIRST).read_bytes() == before


def test_a_save_while_r_waits_for_its_answer_is_marked(copy: Workspace, watch: Terminal) -> None:
    watch.press("r")
    watch.expect("y or n")
    append(copy.exercise(FIRST), DOT_PRODUCT)
    with contextlib.suppress(AssertionError):  # whether the save is taken for an answer, or the question stands
        watch.expect("Nothing has been changed.", seconds=1)
    watch.press("n")
    watch.expect("✓ dot_product", seconds=5)


def test_an_unknown_key_is_passed_over(idle: Terminal) -> None:
    idle.press("x?s")
    idle.expect("# TODO 1:")


def test_ctrl_c_leaves_the_terminal_as_it_was(watch: Terminal) -> None:
    assert watch.current_attributes != watch.attributes
    watch.process.send_signal(signal.SIGINT)
    watch.press(" ")  # Python notices a signal that comes just before it begins to wait only when it wakes up
    assert watch.wait() == 0
    assert watch.current_attributes == watch.attributes


def test_a_finished_part_leads_on_to_the_next(copy: Workspace, practice: Exam) -> None:
    solution = (copy.solutions / f"{FIRST}.py").read_text(encoding="utf-8")
    with Terminal(copy, "watch") as terminal:
        terminal.expect(READY)
        copy.exercise(FIRST).write_text(solution, encoding="utf-8")
        terminal.expect("· project_qkv  not attempted")


def test_a_finished_part_is_said_to_be_complete(copy: Workspace, practice: Exam) -> None:
    shutil.copy(copy.solutions / f"{SECOND}.py", copy.exercise(SECOND))
    with Terminal(copy, "watch", "2") as terminal:
        terminal.expect(f"{SECOND} is complete: {practice.syllabus.part(SECOND).points:g} points.")


def test_it_opens_on_the_first_step_that_has_not_passed(copy: Workspace) -> None:
    progress = load_progress(copy)
    append(copy.exercise(FIRST), DOT_PRODUCT)
    progress.steps[f"{FIRST}.dot_product"] = StepProgress("passed", 2.0, "2026-11-21T00:00:00+00:00", "")
    progress.save()
    with Terminal(copy, "watch") as terminal:
        assert "· attention_scores  not attempted" in terminal.expect(READY)


def test_a_part_is_watched_alone(copy: Workspace) -> None:
    with Terminal(copy, "watch", "2") as terminal:
        assert f"{SECOND}.project_qkv  exercises/{SECOND}.py:" in terminal.expect(READY)


def test_without_the_exercises_folder_it_ends_with_a_message(copy: Workspace) -> None:
    shutil.rmtree(copy.exercises)
    with Terminal(copy, "watch") as terminal:
        terminal.expect("there is no folder", seconds=5)
        assert terminal.wait() == 2


def test_without_the_practice_exam_it_ends_with_a_message(copy: Workspace) -> None:
    copy.practice_exam.unlink()
    with Terminal(copy, "watch") as terminal:
        assert terminal.wait() == 2
        assert "`git checkout exams`" in one_line(terminal.screen)
        assert "Traceback" not in terminal.screen
