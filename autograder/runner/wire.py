"""The wire between the host and a child: frames of a kind, a length and a body, each bounded before it is read.

NumPy is imported with the first answers: a warm process is started before that, and imports torch meanwhile.
"""

from __future__ import annotations

import json
import math
import socket
import struct
import time
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import TYPE_CHECKING, Annotated, Any, cast

import msgspec

from autograder.runner.deadline import Deadline

if TYPE_CHECKING:
    from autograder.course.answer import Answer, Failure
    from autograder.course.trace import Trace

HEADER = struct.Struct("<cI")
LARGEST_FRAME = 8 << 20
LARGEST_HEADER = 1 << 20
LARGEST_TRACE = 5 << 20
LARGEST_SITTING = 16 << 20
"""Bounds in bytes: of a frame, of JSON in it, of a trace, and of all that one child sends. Honest answers of a
step come to a few ten thousand. `Limits` bounds what all children of a submission send."""

MOST_ANSWERS = 1_000
"""Answers in a frame."""

MOST_PRINTED = 4_000
"""Characters of printed text kept per step."""

MOST_NOTES = 5
"""Lines that raised while a part was loaded, and are told."""

READY, REFUSED = b"Y", b"N"
"""The first frame of a child, before it is sent a line of a student's: that it is set up, or why it cannot be. What fails until then is
the machine's fault; what comes after it, an exit code too, is the word of the student's process."""

JOB, PAPER = b"J", b"T"
LOADED, BEGIN, PRINTED, TRACED, ANSWERS, DONE = b"L", b"B", b"P", b"R", b"A", b"Q"

Frame = tuple[bytes, bytes]
"""Its kind and its body."""

Meter = Callable[[int], None]
"""Called with the size of each frame; what it raises keeps the frame from being read."""


def _nobody_counts(_: int) -> None:
    pass


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
        self._left: float = math.inf
        self._meter: Meter = _nobody_counts

    def limit(self, size: int, meter: Meter) -> None:
        """Take no more than so many bytes from now on, and tell how many each frame has before it is read."""
        self._left, self._meter = size, meter

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
        kind, length = HEADER.unpack(self._take(HEADER.size, deadline))
        self._left -= HEADER.size + length
        if length > LARGEST_FRAME or self._left < 0:
            raise Garbled(f"a frame of {length} bytes")
        self._meter(HEADER.size + length)
        return kind, self._take(length, deadline)

    def close(self) -> None:
        """Close this end."""
        self._socket.close()

    def _take(self, size: int, deadline: Deadline | float | None) -> bytes:
        while len(self._buffer) < size:
            self._buffer += self._read(deadline)
        taken = bytes(self._buffer[:size])
        del self._buffer[:size]
        return taken

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


def decode(body: bytes) -> Any:
    """Read plain data from the body of a frame. Raises Garbled."""
    try:
        return json.loads(body)
    except (ValueError, RecursionError) as error:
        raise Garbled(str(error)) from error


def encode_answers(answers: Mapping[str, Answer]) -> bytes:
    """Return answers by case as the body of a frame."""
    from autograder.course import codec

    return codec.encode(answers)


def decode_answers(body: bytes, asked: Collection[str] | None = None) -> dict[str, Answer]:
    """Read answers by case; asked: the cases of which they are wanted. Raises Garbled."""
    from autograder.course import codec
    from autograder.course.answer import Answer, check

    try:
        few = Annotated[dict[str, Answer], msgspec.Meta(max_length=MOST_ANSWERS)]
        every = codec.decode(body, cast("type[dict[str, Answer]]", few))
        answers = {name: answer for name, answer in every.items() if asked is None or name in asked}
        for answer in answers.values():
            check(answer)
    except ValueError as error:
        raise Garbled(f"no answers: {error}") from error
    return answers


def encode_loaded(failure: Failure | None, notes: Sequence[str]) -> bytes:
    """Return how loading went as the body of a frame: how it failed, if it did, and what lines raised that did not keep it from going on."""
    if not failure and not notes:
        return encode(None)
    return encode({"failure": vars(failure) if failure else None, "notes": [*notes[:MOST_NOTES]]})


def decode_loaded(body: bytes) -> tuple[Failure | None, tuple[str, ...]]:
    """Read how loading went. Raises Garbled."""
    from autograder.course.answer import LONGEST_TEXT, Failure

    found = decode(body[:LARGEST_HEADER])
    if found is None:
        return None, ()
    notes = found.get("notes") if isinstance(found, dict) else None
    if not isinstance(notes, list) or not all(isinstance(note, str) and note.strip() for note in notes):
        raise Garbled("no word on how loading went")
    try:
        return msgspec.convert(found.get("failure"), Failure | None), tuple(
            note[:LONGEST_TEXT] for note in notes[:MOST_NOTES]
        )
    except ValueError as error:
        raise Garbled(str(error)) from error


def encode_trace(case: str, trace: Trace) -> bytes:
    """Return the trace of a case as the body of a frame."""
    from autograder.course import codec

    return codec.encode((case, trace))


def decode_trace(body: bytes) -> tuple[str, Trace]:
    """Read a case and its trace. Raises Garbled."""
    from autograder.course import codec
    from autograder.course.trace import Trace, check

    if len(body) > LARGEST_TRACE:
        raise Garbled("a trace that is too long")
    try:
        case, trace = codec.decode(body, tuple[str, Trace])
        check(trace)
    except ValueError as error:
        raise Garbled(f"no trace: {error}") from error
    return case, trace
