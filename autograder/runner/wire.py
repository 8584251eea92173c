"""The protocol between the host and a child. A message is a length and a body of that length.

This module does not import NumPy, so that the host can start a server before it imports NumPy.
"""

import socket
import struct

from autograder.runner.limits import Deadline

HEADER = struct.Struct("<I")
LARGEST = 4 << 20
"""Maximum bytes of a body. The answers of a step usually take a few tens of thousands of bytes."""

PATIENCE = 60.0
"""Seconds in which the process at the other end must read a message."""


class Closed(Exception):
    """The process at the other end has closed the connection or does not read from it."""


class Garbled(Exception):
    """A received message violates the protocol."""


class Late(Exception):
    """No complete message arrived before the deadline."""


class Wire:
    """The host's or a child's end of a connection, which sends and receives messages."""

    def __init__(self, connection: socket.socket) -> None:
        self._socket = connection
        self._buffer = bytearray()

    def send(self, body: bytes) -> None:
        """Send a message. Raises Closed, also if the message is not read within PATIENCE."""
        try:
            self._socket.settimeout(PATIENCE)
            self._socket.sendall(HEADER.pack(len(body)) + body)
        except OSError:
            raise Closed from None

    def receive(self, deadline: Deadline | None = None) -> bytes:
        """Wait for a message, and return its body. Raises Closed, Late, Garbled."""
        (length,) = HEADER.unpack(self._peek(HEADER.size, deadline))
        if length > LARGEST:
            raise Garbled(f"a message of {length} bytes")
        body = self._peek(HEADER.size + length, deadline)[HEADER.size :]
        del self._buffer[: HEADER.size + length]
        return body

    def close(self) -> None:
        """Close the socket."""
        self._socket.close()

    def _peek(self, size: int, deadline: Deadline | None) -> bytes:
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
