"""Keys come in by name, and screens go out: one in the place of the last, or one line after the other."""

import io
from collections.abc import Callable
from dataclasses import replace

import pytest
from screen_text import SEQUENCE

from autograder.student.watch.react import CHECKING, pressed
from autograder.student.watch.state import State
from autograder.student.watch.terminal import Keyboard, Screen, keys_in


class Stream(io.StringIO):
    """What is sent to a terminal, or into a pipe."""

    encoding = "utf-8"

    def __init__(self, is_terminal: bool = True) -> None:
        super().__init__()
        self._is_terminal = is_terminal
        self._seen = 0

    def isatty(self) -> bool:
        return self._is_terminal

    def next(self) -> str:
        """Return what was sent since this was asked last."""
        before, self._seen = self._seen, len(self.getvalue())
        return self.getvalue()[before:]


@pytest.fixture
def resize(monkeypatch: pytest.MonkeyPatch) -> Callable[[int, int], None]:
    def resize(lines: int, columns: int) -> None:
        monkeypatch.setenv("LINES", str(lines))
        monkeypatch.setenv("COLUMNS", str(columns))

    monkeypatch.setenv("TERM", "xterm-256color")
    resize(50, 100)
    return resize


@pytest.mark.parametrize(
    ("typed", "keys"),
    [
        ("h", ["h"]),
        ("Hq", ["h", "q"]),
        ("\x1b[A\x1b[Bj", ["up", "down", "j"]),
        ("\x1bOA", ["up"]),
        ("\x1b[5~\x1b[6~", ["page up", "page down"]),
        ("\xe0H\x00Q", ["up", "page down"]),
        ("\r\n", ["enter", "enter"]),
        ("\x1b", ["escape"]),
        ("h\x1b[200~entry\nq\x1b[201~h", ["h", "\x1b[200~entry\nq\x1b[201~", "h"]),
    ],
)
def test_keys_come_by_name(typed: str, keys: list[str]) -> None:
    assert keys_in(typed) == keys


def test_where_standard_input_is_no_terminal_no_key_comes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO("hq"))
    keyboard = Keyboard()
    keyboard.take()
    assert (keyboard.is_there, keyboard.read()) == (False, "")
    keyboard.give_back()


def test_a_screen_is_drawn_over_the_last_without_emptying_it(state: State, resize: Callable[[int, int], None]) -> None:
    stream = Stream()
    screen = Screen(stream, plain=False)
    screen.show(state)
    stream.next()
    screen.show(replace(state, under_way=CHECKING))
    sent = stream.next()
    assert sent.startswith("\x1b[H")
    assert "\x1b[2J" not in sent
    assert all(line.startswith(("\x1b[H", "\x1b[K")) for line in sent.split("\n")[:-1])
    assert sent.split("\n")[-1].startswith("\x1b[J")


def test_a_window_of_another_size_is_drawn_again(state: State, resize: Callable[[int, int], None]) -> None:
    stream = Stream()
    screen = Screen(stream, plain=False)
    screen.show(state)
    stream.next()
    resize(40, 50)
    screen.show(state)
    lines = SEQUENCE.sub("", stream.next()).splitlines()
    assert any(line.startswith("  · dot_product") for line in lines)
    assert max(map(len, lines)) <= 50


def test_after_another_program_had_the_terminal_it_is_emptied_and_drawn_again(
    state: State, resize: Callable[[int, int], None]
) -> None:
    stream = Stream()
    screen = Screen(stream, plain=False)
    screen.show(state)
    stream.next()
    screen.clear()
    screen.show(state)
    sent = stream.next()
    assert sent.startswith("\x1b[2J")
    assert "dot_product" in sent


def test_of_a_screen_that_is_too_high_the_middle_is_left_out(state: State, resize: Callable[[int, int], None]) -> None:
    stream = Stream()
    resize(12, 64)
    hints, _ = pressed(pressed(state, "h")[0], "h")
    Screen(stream, plain=False).show(hints)
    lines = SEQUENCE.sub("", stream.next()).split("\n")
    assert len(lines) == 12
    assert lines[2].startswith("  · dot_product")
    assert "lines left out; a taller window shows them" in lines[6]
    assert lines[-2].startswith("h hint  w why")


def test_in_a_pipe_lines_follow_each_other_without_colours(state: State) -> None:
    stream = Stream(is_terminal=False)
    Screen(stream, plain=False).show(state)
    assert "· dot_product" in stream.getvalue()
    assert "\x1b" not in stream.getvalue()


def test_line_after_line_only_what_is_not_there_yet_is_said(state: State) -> None:
    stream = Stream(is_terminal=False)
    screen = Screen(stream, plain=True)
    screen.show(state)
    stream.next()
    screen.show(replace(state, under_way=CHECKING))
    assert stream.next() == "checking …\n"
