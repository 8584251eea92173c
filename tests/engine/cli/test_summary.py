"""What an instructor sees while a class is marked, in a terminal."""

import io
import re

import pytest
from rich.console import Console
from screen_text import SEQUENCE

from autograder.classroom.tally import Tally
from autograder.cli import summary


def test_a_terminal_shows_a_bar_with_rate_and_time_left(monkeypatch: pytest.MonkeyPatch) -> None:
    console = Console(file=io.StringIO(), force_terminal=True, width=110)
    monkeypatch.setattr(summary, "make_console", lambda stderr: console)

    with summary.Meter(13) as meter:
        for done in range(1, 13):
            meter.update(Tally(submissions=done))

    screen = SEQUENCE.sub("", console.file.getvalue())
    assert re.search(r"marking \S+ +12/13 +\d+\.\d/s +\d:\d\d:\d\d", screen)
    assert "marked, about" not in screen
