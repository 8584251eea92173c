"""The protocol between the host and a child: messages of a kind, a length and a body.

The length is checked before the body is read. Does not import NumPy: the host starts a server first
and imports NumPy while the server imports torch.
"""

import enum
import json
import socket
import struct
from typing import Any

from autograder.runner.limits import Deadline

HEADER = struct.Struct("<cI")
LARGEST_FRAME = 4 << 20
"""Maximum bytes of a body. The answers of a step usually take a few tens of thousands of bytes."""

PATIENCE = 60.0
"""Seconds in which the receiver must read a message."""

MOST_PRINTED = 4_000
"""Maximum characters of printed text kept per step."""


class Kind(bytes, enum.Enum):
    """The kinds of messages.

    READY: a child's first message, sent before the child receives any student's code. Also sent by
    a daemon to each command. A failure before READY is the fault of the machine. After READY, the
    student's code may have caused or forged all messages and the exit code of the child.
    JOB, PAPER: what to run, and the cases. Replies: LOADED: a part is loaded. BEGIN: a step begins.
    PRINTED: printed text. TRACED: a case's trace. ANSWERS: a step's answers. DONE: the job is done.
    """

    READY, JOB, PAPER = b"Y", b"J", b"T"
    LOADED, BEGIN, PRINTED, TRACED, ANSWERS, DONE = b"L", b"B", b"P", b"R", b"A", b"Q"


Frame = tuple[bytes, bytes]
"""The kind and the body of a message."""


class Closed(Exception):
    """The process at the other end of the connection has closed it or does not read."""


class Garbled(Exception):
    """A received message violates the protocol."""


class Late(Exception):
    """No complete message arrived before the deadline."""


class Wire:
    """The host's or a child's end of a connection, which sends and receives messages."""

    def __init__(self, connection: socket.socket) -> None:
        self._socket = connection
        self._buffer = bytearray()

    def send(self, kind: bytes, body: bytes = b"") -> None:
        """Send a message. Raises Closed, also if the message is not read within PATIENCE."""
        try:
            self._socket.settimeout(PATIENCE)
            self._socket.sendall(HEADER.pack(kind, len(body)) + body)
        except OSError:
            raise Closed from None

    def receive(self, deadline: Deadline | None = None) -> Frame:
        """Wait for a message. Return its kind and body. Raises Closed, Late, Garbled."""
        kind, length = HEADER.unpack(self._peek(HEADER.size, deadline))
        if length > LARGEST_FRAME:
            raise Garbled(f"a frame of {length} bytes")
        body = self._peek(HEADER.size + length, deadline)[HEADER.size :]
        del self._buffer[: HEADER.size + length]
        return kind, body

    def close(self) -> None:
        """Close the socket."""
        self._socket.close()

    def _peek(self, size: int, deadline: Deadline | None) -> bytes:
        """Wait for `size` bytes and return them without removing them from the buffer."""
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
    """Encode plain data as JSON, for the body of a message."""
    return json.dumps(data).encode()
