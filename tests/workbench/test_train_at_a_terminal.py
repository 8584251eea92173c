"""`attn train` at a real terminal."""

import signal

import pytest
from screen_text import one_line
from terminal import Terminal

from autograder.workspace import Workspace


@pytest.mark.world
@pytest.mark.slow
def test_ctrl_c_leaves_a_real_terminal_as_it_was(copy: Workspace) -> None:
    with Terminal(copy, "train", "--reference", "--steps", "100000") as terminal:
        terminal.expect("/100000")
        terminal.expect("loss 3.")
        terminal.expect("loss 3.")  # the bar moves on
        terminal.process.send_signal(signal.SIGINT)

        assert terminal.wait() == 130
        assert "of 100,000 steps: `--resume` continues." in one_line(terminal.screen)
        assert terminal.current_attributes == terminal.attributes
        assert terminal.raw.rfind("\x1b[?25h") > terminal.raw.rfind("\x1b[?25l")  # the cursor is shown again
