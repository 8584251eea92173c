"""Reading hand-ins in a process of their own: what a stranger has packed costs that hand-in alone.

The process has so much time and memory for each, and sends one message of bounded size. Where the kernel has Landlock, it writes no file
and opens no connection. One that does not survive a hand-in is replaced.
"""

import atexit
import contextlib
import os
import signal
import struct
import subprocess
import sys
import threading
from collections.abc import Mapping, Sequence, Set
from pathlib import Path
from types import MappingProxyType
from typing import IO

import msgspec

from autograder.exam.syllabus import SyllabusPart
from autograder.submission.model import Submission, shown
from autograder.submission.reading import read_submission, unreadable

SECONDS, PATIENCE = 10, 60
"""For one hand-in: of the processor's time, and by the clock."""

MEMORY, LARGEST = 1 << 30, 1_000_000
"""Bytes for one hand-in: in memory, and of the message, in which the reference solutions take 57,000."""

SIZE = struct.Struct("<I")
TOO_MUCH = (
    f"could not be read: it takes more than {SECONDS} s or {MEMORY >> 20:,} MB, or holds more than {LARGEST:,} characters of "
    "code in all. Submit the parts and what they import, nothing else."
)


class Request(msgspec.Struct):
    """A hand-in to read. parts: of the course; none if they are those of before."""

    path: bytes
    name: str
    parts: tuple[SyllabusPart, ...]
    only_part: str
    places: dict[str, frozenset[str]]


class Reader:
    """The process that reads, started with the first hand-in."""

    def __init__(self) -> None:
        self._process: subprocess.Popen[bytes] | None = None
        self._parts: Sequence[SyllabusPart] = ()
        self._lock = threading.Lock()
        atexit.register(self.close)

    def read(
        self,
        path: Path,
        name: str,
        parts: Sequence[SyllabusPart],
        only_part: str = "",
        places: Mapping[str, Set[str]] = MappingProxyType({}),
    ) -> Submission:
        """Read one student's submission, as `read_submission` does."""
        given = {part: frozenset(folders) for part, folders in places.items()}
        request = Request(os.fsencode(path.absolute()), shown(name), tuple(parts), only_part, given)
        with self._lock:
            try:
                return msgspec.msgpack.decode(self._answer(request), type=Submission)
            except (OSError, struct.error, msgspec.DecodeError):
                self.close()
                return unreadable(name, parts, f"{shown(path.name)} {TOO_MUCH}")

    def _answer(self, request: Request) -> bytes:
        """Return what the process sends. Raises OSError and struct.error where it has ended."""
        if self._process is None:
            command, pipe, null = [sys.executable, "-P", "-m", __name__], subprocess.PIPE, subprocess.DEVNULL
            self._process = subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=null, process_group=0)
        elif request.parts == self._parts:
            request.parts = ()
        self._parts = request.parts or self._parts
        late = threading.Timer(PATIENCE, self._process.kill)
        late.start()
        try:
            assert self._process.stdin
            assert self._process.stdout
            _send(self._process.stdin, msgspec.msgpack.encode(request))
            return _receive(self._process.stdout)
        finally:
            late.cancel()

    def close(self) -> None:
        """End the process."""
        process, self._process = self._process, None
        if process:
            process.kill()
            with contextlib.suppress(OSError):
                process.communicate()


read_hand_in = Reader().read
"""Read one student's submission, as `read_submission` does."""


def _send(stream: IO[bytes], body: bytes) -> None:
    stream.write(SIZE.pack(len(body)) + body)
    stream.flush()


def _receive(stream: IO[bytes]) -> bytes:
    """Return the next message. Raises struct.error at the end."""
    (size,) = SIZE.unpack(stream.read(SIZE.size))
    return stream.read(size)


def main() -> None:
    """Read what is asked for on standard input, until that ends, or one takes too much."""
    _confine()
    parts: tuple[SyllabusPart, ...] = ()
    with contextlib.suppress(struct.error, MemoryError):
        while True:
            asked = msgspec.msgpack.decode(_receive(sys.stdin.buffer), type=Request)
            parts = asked.parts or parts
            _limit(SECONDS)
            found = read_submission(Path(os.fsdecode(asked.path)), asked.name, parts, asked.only_part, asked.places)
            body = msgspec.msgpack.encode(found)
            _limit(0)
            _send(sys.stdout.buffer, body if len(body) <= LARGEST else b"")


def _limit(seconds: int) -> None:
    """End this process after so many seconds of the processor's time; 0 for none."""
    if sys.platform != "win32":
        signal.setitimer(signal.ITIMER_PROF, seconds)


def _confine() -> None:
    """Confine this process for good, as far as the system can."""
    if sys.platform != "linux":
        return
    import resource

    from autograder.sandbox import landlock, linux

    used = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (used + MEMORY, used + MEMORY))
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))
    if landlock.version():
        linux.prctl(linux.PR_SET_NO_NEW_PRIVS, 1)
        landlock.enter(landlock.make_ruleset(("/",), ()))


if __name__ == "__main__":
    main()
