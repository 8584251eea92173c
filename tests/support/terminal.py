"""The command in a pseudo-terminal that is read with a deadline."""

import codecs
import os
import pty
import subprocess
import termios
import threading
import time
from types import TracebackType
from typing import Self

from command import ATTN, OF_TERMINALS
from screen_text import SEQUENCE

from autograder.workspace import Workspace


class Terminal:
    """The command in a pseudo-terminal of 50 lines, read by a thread as it writes."""

    def __init__(self, workspace: Workspace, *arguments: str, **environment: str) -> None:
        self._master, self._slave = pty.openpty()
        termios.tcsetwinsize(self._master, (50, 110))
        self.attributes = termios.tcgetattr(self._slave)
        inherited = {name: value for name, value in os.environ.items() if name not in OF_TERMINALS}
        self.process = subprocess.Popen(
            [ATTN, *arguments],
            cwd=workspace.root,
            env={**inherited, "TERM": "xterm-256color", "ATTN_TRACEBACK": "1", **environment},
            stdin=self._slave,
            stdout=self._slave,
            stderr=self._slave,
            start_new_session=True,
        )
        self.raw = ""
        self._seen = 0
        self._news = threading.Condition()
        threading.Thread(target=self._read, daemon=True).start()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.process.kill()
        self.process.wait()
        os.close(self._slave)  # the reading thread takes what is left and closes the other end

    @property
    def screen(self) -> str:
        """All that was written so far, as plain text."""
        return SEQUENCE.sub("", self.raw).replace("\r\n", "\n")

    @property
    def current_attributes(self) -> list[int | list[bytes | int]]:
        """How the terminal is set now."""
        return termios.tcgetattr(self._slave)

    def expect(self, text: str, seconds: float = 30.0) -> str:
        """Wait until a text is written after what was expected last; return what stands before it."""
        deadline = time.monotonic() + seconds
        with self._news:
            while (found := self.screen.find(text, self._seen)) < 0:
                left = deadline - time.monotonic()
                assert left > 0, f"{text!r} did not come within {seconds:g} s:\n{self.screen[self._seen :]}"
                self._news.wait(left)
            before = self.screen[self._seen : found]
            self._seen = found + len(text)
            return before

    def press(self, keys: str) -> None:
        """Type."""
        os.write(self._master, keys.encode())

    def wait(self, seconds: float = 30.0) -> int:
        """Wait for the command's end and for the last of its output; return its exit code."""
        try:
            code = self.process.wait(seconds)
        except subprocess.TimeoutExpired:
            raise AssertionError(f"the command goes on after {seconds:g} s:\n{self.screen}") from None
        os.write(self._slave, b"\x1b[0n")  # what comes after all that the command wrote
        with self._news:
            assert self._news.wait_for(lambda: self.raw.endswith("\x1b[0n"), seconds)
            self.raw = self.raw.removesuffix("\x1b[0n")
        return code

    def _read(self) -> None:
        decode = codecs.getincrementaldecoder("utf-8")("replace").decode
        while True:
            try:
                found = os.read(self._master, 65536)
            except OSError:
                found = b""
            with self._news:
                self.raw += decode(found)
                self._news.notify_all()
            if not found:
                os.close(self._master)
                return
