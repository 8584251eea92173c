"""The wire between the host and a child: frames of a kind, a length and a body, each bounded before it is read.

Free of NumPy: a server is started before that is imported, and imports torch meanwhile.
"""

import enum
import json
import socket
import struct
import time
from typing import Any

from autograder.runner.limits import Deadline

HEADER = struct.Struct("<cI")
LARGEST_FRAME = 8 << 20
"""Bytes. Honest answers of a step come to a few ten thousand."""

MOST_PRINTED = 4_000
"""Characters of printed text kept per step."""


class Kind(bytes, enum.Enum):
    """Kinds of frames.

    READY, REFUSED: the first frame of a child, before it is sent a line of a student's: that it is set up, or why it cannot be. What
    fails until then is the machine's fault; what comes after it, an exit code too, is the word of the student's process. GREETING,
    STAY: to a daemon, the folder and the environment of a command, and that it is over. JOB, PAPER: to a child. The others answer
    these.
    """

    READY, REFUSED = b"Y", b"N"
    GREETING, STAY = b"G", b"S"
    JOB, PAPER = b"J", b"T"
    LOADED, BEGIN, PRINTED, TRACED, ANSWERS, DONE = b"L", b"B", b"P", b"R", b"A", b"Q"


Frame = tuple[bytes, bytes]
"""Its kind and its body."""


class Closed(Exception):
    """The other end of the wire is gone."""


class Garbled(Exception):
    """The other end sent something that is no frame of this protocol."""


class Late(Exception):
    """Nothing came before the deadline."""


class Wire:
    """One end of a connection that carries frames."""

    def __init__(self, connection: socket.socket) -> None:
        self._socket = connection
        self._buffer = bytearray()

    def send(self, kind: bytes, body: bytes = b"", deadline: Deadline | float | None = None) -> None:
        """Send one frame; deadline: as `receive` takes it. Raises Closed, or Late when the other end does not take it."""
        left = memoryview(HEADER.pack(kind, len(body)) + body)
        while left:
            self._wait_until(deadline)
            try:
                left = left[self._socket.send(left) :]
            except TimeoutError:
                continue
            except OSError:
                raise Closed from None

    def receive(self, deadline: Deadline | float | None = None) -> Frame:
        """Wait for one frame; deadline: one, or a time of `time.monotonic`. Raises Closed, Late or Garbled."""
        kind, length = HEADER.unpack(self._peek(HEADER.size, deadline))
        if length > LARGEST_FRAME:
            raise Garbled(f"a frame of {length} bytes")
        body = self._peek(HEADER.size + length, deadline)[HEADER.size :]
        del self._buffer[: HEADER.size + length]
        return kind, body

    def close(self) -> None:
        """Close this end."""
        self._socket.close()

    def _peek(self, size: int, deadline: Deadline | float | None) -> bytes:
        """Return the first bytes that are not taken yet, once so many have come."""
        while len(self._buffer) < size:
            self._buffer += self._read(deadline)
        return bytes(self._buffer[:size])

    def _read(self, deadline: Deadline | float | None) -> bytes:
        while True:
            self._wait_until(deadline)
            try:
                chunk = self._socket.recv(1 << 18)
            except TimeoutError:
                continue
            except OSError:
                raise Closed from None
            if not chunk:
                raise Closed
            return chunk

    def _wait_until(self, deadline: Deadline | float | None) -> None:
        """Have the next call of the socket wait until the deadline may be over. Raises Closed, or Late once it is."""
        remaining = deadline.remaining() if isinstance(deadline, Deadline) else deadline and deadline - time.monotonic()
        if remaining is not None and remaining <= 0:
            raise Late
        try:
            self._socket.settimeout(remaining)
        except OSError:
            raise Closed from None


def encode(data: Any) -> bytes:
    """Return plain data as the body of a frame."""
    return json.dumps(data).encode()
