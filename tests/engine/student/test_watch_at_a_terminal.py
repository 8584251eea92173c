"""The watch at a terminal: it notices saves, has processes of its own, and leaves the terminal as it was."""

import os
import signal
import subprocess
from pathlib import Path

import pytest
from command import ATTN
from processes import eventually
from terminal import Terminal

from autograder.workspace import Workspace

pytestmark = pytest.mark.slow

FIRST = "part1_simplified"
READY = "marked in"
"""Stands in the last line of a screen with a verdict."""

DOT_PRODUCT = "\n\ndef dot_product(a, b):\n    return (a * b).sum()\n"


def append(path: Path, text: str) -> None:
    with path.open("a", encoding="utf-8") as file:
        file.write(text)


def test_from_the_start_to_a_verdict_and_the_end(copy: Workspace) -> None:
    with Terminal(copy, "watch", "--timeout", "600") as terminal:
        assert "· dot_product  not attempted" in terminal.expect("loading torch and your file …")
        terminal.expect(READY)
        append(copy.exercise(FIRST), DOT_PRODUCT)
        terminal.expect("✓ dot_product  2 points")
        assert "· attention_scores  not attempted" in terminal.expect("1 of 53 steps")

        append(copy.exercise(FIRST), "\n\ndef attention_scores(query, inputs):\n    while True:\n        pass\n")
        terminal.expect("checking … another save ends it")
        terminal.press("q")
        assert terminal.wait() == 0
        assert terminal.current_attributes == terminal.attributes


def test_ctrl_c_leaves_the_terminal_as_it_was(copy: Workspace) -> None:
    with Terminal(copy, "watch") as terminal:
        terminal.expect("loading torch and your file …")
        assert terminal.current_attributes != terminal.attributes
        terminal.process.send_signal(signal.SIGINT)
        assert terminal.wait() == 0
        assert terminal.current_attributes == terminal.attributes


@pytest.mark.world
def test_d_debugs_in_the_foreground_where_ctrl_c_does_not_end_the_watch(copy: Workspace) -> None:
    append(copy.exercise(FIRST), "\n\ndef dot_product(a, b):\n    breakpoint()\n    return (a * b).sum()\n")
    with Terminal(copy, "watch") as watch:
        watch.expect(READY)
        watch.press("d")
        watch.expect("(Pdb)")
        watch.press("p a.shape\n")
        watch.expect("torch.Size([3])")
        watch.expect("(Pdb)")
        os.killpg(watch.process.pid, signal.SIGINT)
        watch.press("\n")  # Python notices a Ctrl-C that comes just before it waits for a key at the next key
        watch.expect("(Pdb)")
        watch.press("q\n")
        watch.expect("you stopped the step, so nothing has been marked.")
        watch.expect("Any key goes back to the watch.")
        watch.press(" ")
        watch.expect(READY)


@pytest.mark.world
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
