"""Single keys from a terminal, without Enter."""

import contextlib
import os
import re
import sys
import threading
import time
from collections.abc import Iterator
from typing import Any, Protocol

from autograder.cli.watching.events import Pressed, Tell

WAIT = 0.1
"""Seconds for which a key is waited for at a time."""

NAMES = {
    "\x1b[A": "up",
    "\x1b[B": "down",
    "\x1bOA": "up",
    "\x1bOB": "down",
    "\x00H": "up",
    "\x00P": "down",
    "\xe0H": "up",
    "\xe0P": "down",
    "\x1b[5~": "page up",
    "\x1b[6~": "page down",
    "\x00I": "page up",
    "\x00Q": "page down",
    "\xe0I": "page up",
    "\xe0Q": "page down",
    "\x03": "q",
    "\r": "enter",
    "\n": "enter",
    "\x1b": "escape",
}
KEY = re.compile(r"\x1b[\[O][0-9;]*[A-Za-z~]|[\x00\xe0].|.", re.DOTALL)


class Keyboard(Protocol):
    """A terminal's keys. As a context it hands them out singly, and leaves the terminal as it was."""

    def __enter__(self) -> object: ...

    def __exit__(self, *_: object) -> None: ...

    def read(self) -> str:
        """Return what is typed, empty after a while without a key."""
        ...


class Keys:
    """Tells of each key that is pressed, except while the keyboard is lent to another program."""

    def __init__(self, tell: Tell, keyboard: Keyboard | None) -> None:
        self._tell = tell
        self._keyboard = keyboard
        self._free = threading.Event()
        self._reading = threading.Lock()

    @property
    def come(self) -> bool:
        """Whether there is a keyboard."""
        return self._keyboard is not None

    @contextlib.contextmanager
    def singly(self) -> Iterator[None]:
        """Let keys come through without Enter."""
        with self._keyboard or contextlib.nullcontext():
            self._free.set()
            try:
                yield
            finally:
                self._free.clear()

    @contextlib.contextmanager
    def lent(self) -> Iterator[None]:
        """Leave the keyboard to another program, as it was before `singly`."""
        assert self._keyboard
        self._free.clear()
        with self._reading:
            self._keyboard.__exit__()
            try:
                yield
            finally:
                self._keyboard.__enter__()
                self._free.set()

    def again(self) -> None:
        """Let keys come through singly again, after a shell has had the terminal."""
        if self._keyboard:
            self._keyboard.__enter__()

    def follow(self, stop: threading.Event) -> None:
        """Tell of keys until told to stop."""
        while self._keyboard and not stop.is_set():
            self._free.wait(WAIT)
            with self._reading:
                typed = self._keyboard.read() if self._free.is_set() else ""
            for key in keys_in(typed):
                self._tell(Pressed(key))


def keys_in(typed: str) -> list[str]:
    """Return the names of the keys that a terminal sends as this."""
    return [NAMES.get(key, key.lower()) for key in KEY.findall(typed)]


def open_keyboard() -> Keyboard | None:
    """Return the keyboard of the terminal that standard input is, None where it is none."""
    if not sys.stdin or not sys.stdin.isatty():
        return None
    return _WindowsKeyboard() if sys.platform == "win32" else _PosixKeyboard()


class _PosixKeyboard:
    def __init__(self) -> None:
        self._terminal = sys.stdin.fileno()
        self._before: list[Any] = []

    def __enter__(self) -> None:
        import termios
        import tty

        self._before = self._before or termios.tcgetattr(self._terminal)
        tty.setcbreak(self._terminal)

    def __exit__(self, *_: object) -> None:
        import termios

        termios.tcsetattr(self._terminal, termios.TCSADRAIN, self._before)

    def read(self) -> str:
        import select

        ready, _, _ = select.select([self._terminal], [], [], WAIT)
        return os.read(self._terminal, 1024).decode("utf-8", "replace") if ready else ""


class _WindowsKeyboard:
    def __enter__(self) -> None:
        """Nothing to do: `msvcrt` reads single keys anyway."""

    def __exit__(self, *_: object) -> None:
        """Nothing to undo."""

    def read(self) -> str:
        import msvcrt

        typed = ""
        while msvcrt.kbhit():  # type: ignore[attr-defined,unused-ignore]
            typed += msvcrt.getwch()  # type: ignore[attr-defined,unused-ignore]
        if not typed:
            time.sleep(WAIT / 2)
        return typed
