"""The wire between the host and a child: frames of a kind, a length and a body, each bounded before it is read.

Free of NumPy: a server is started before that is imported, and imports torch meanwhile.
"""

import enum
import json
import socket
import struct
from typing import Any

from autograder.runner.limits import Deadline

HEADER = struct.Struct("<cI")
LARGEST_FRAME = 4 << 20
"""Bytes. Honest answers of a step come to a few ten thousand."""

PATIENCE = 60.0
"""Seconds in which the other end must take a frame."""

MOST_PRINTED = 4_000
"""Characters of printed text kept per step."""


class Kind(bytes, enum.Enum):
    """Kinds of frames.

    READY: the first frame of a child, before it is sent a line of a student's. What fails until then is the machine's fault; what
    comes after it, an exit code too, is the word of the student's process. A daemon greets a command with READY, too. JOB, PAPER: to a
    child. The others answer these.
    """

    READY, JOB, PAPER = b"Y", b"J", b"T"
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

    def send(self, kind: bytes, body: bytes = b"") -> None:
        """Send one frame. Raises Closed, also when the other end does not take it."""
        try:
            self._socket.settimeout(PATIENCE)
            self._socket.sendall(HEADER.pack(kind, len(body)) + body)
        except OSError:
            raise Closed from None

    def receive(self, deadline: Deadline | None = None) -> Frame:
        """Wait for one frame. Raises Closed, Late or Garbled."""
        kind, length = HEADER.unpack(self._peek(HEADER.size, deadline))
        if length > LARGEST_FRAME:
            raise Garbled(f"a frame of {length} bytes")
        body = self._peek(HEADER.size + length, deadline)[HEADER.size :]
        del self._buffer[: HEADER.size + length]
        return kind, body

    def close(self) -> None:
        """Close this end."""
        self._socket.close()

    def _peek(self, size: int, deadline: Deadline | None) -> bytes:
        """Return the first bytes that are not taken yet, once so many have come."""
        while len(self._buffer) < size:
            remaining = deadline.remaining() if deadline else None
            if remaining == 0:
                raise Late
            try:
                self._socket.settimeout(remaining)
                chunk = self._socket.recv(1 << 18)
            except TimeoutError:
                continue
            except OSError:
                raise Closed from None
            if not chunk:
                raise Closed
            self._buffer += chunk
        return bytes(self._buffer[:size])


def encode(data: Any) -> bytes:
    """Return plain data as the body of a frame."""
    return json.dumps(data).encode()
