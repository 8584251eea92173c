"""The wire bounds what it reads, and carries answers exactly."""

import socket
import struct
import threading
from collections.abc import Iterator

import msgspec
import numpy as np
import pytest
from msgspec.msgpack import Ext

from autograder.course import codec
from autograder.course.answer import LONGEST, Answer, Failure, PlainValue, TensorValue
from autograder.runner.answers import Answered, decode_reply
from autograder.runner.limits import Deadline
from autograder.runner.wire import LARGEST, Closed, Garbled, Late, Wire

Ends = tuple[socket.socket, Wire]


@pytest.fixture
def ends() -> Iterator[Ends]:
    ours, theirs = socket.socketpair()
    yield theirs, Wire(ours)
    ours.close()
    theirs.close()


def test_frames_arrive_whole_and_in_order(ends: Ends) -> None:
    theirs, wire = ends
    Wire(theirs).send(b"one")
    Wire(theirs).send(b"two" * 100)

    assert [wire.receive(), wire.receive()] == [b"one", b"two" * 100]


def test_a_frame_in_pieces_arrives_whole(ends: Ends) -> None:
    theirs, wire = ends
    frame = struct.pack("<I", 4) + b"word"
    theirs.sendall(frame[:3])
    theirs.sendall(frame[3:])

    assert wire.receive() == b"word"


def test_a_frame_that_claims_too_much_is_refused_unread(ends: Ends) -> None:
    theirs, wire = ends
    theirs.sendall(struct.pack("<I", LARGEST + 1))

    with pytest.raises(Garbled, match="message of"):
        wire.receive()


def test_silence_ends_at_the_deadline(ends: Ends) -> None:
    with pytest.raises(Late):
        ends[1].receive(Deadline(0.01))


def test_a_slow_drip_does_not_put_the_deadline_off(ends: Ends) -> None:
    theirs, wire = ends
    theirs.sendall(b"A")

    with pytest.raises(Late):
        wire.receive(Deadline(0.05))


def test_the_end_of_the_other_side_is_noticed(ends: Ends) -> None:
    ends[0].close()

    with pytest.raises(Closed):
        ends[1].receive()


def decode_answers(body: bytes) -> dict[str, Answer]:
    reply = decode_reply(body)
    assert isinstance(reply, Answered)
    return reply.answers


def test_answers_arrive_as_they_were() -> None:
    answer = Answer(
        outputs={
            "result": TensorValue("float32", (2, 1), np.array([[1.5], [np.nan]], dtype=np.float32)),
            "large": TensorValue("float32", (1000, 1000), None),
            "plain": PlainValue("bool", True),
        },
        gradients={"x": np.array([1.0, 2.0]), "y": None},
        changed_inputs=("x",),
        gradient_error="cut",
    )

    found = decode_answers(codec.encode(Answered({"case": answer})))["case"]

    assert found.outputs["plain"] == PlainValue("bool", True)
    assert found.outputs["large"] == TensorValue("float32", (1000, 1000), None)
    assert isinstance(found.outputs["result"], TensorValue)
    np.testing.assert_array_equal(found.outputs["result"].array, [[1.5], [np.nan]])
    np.testing.assert_array_equal(found.gradients["x"], [1.0, 2.0])
    assert (found.gradients["y"], found.changed_inputs, found.gradient_error) == (None, ("x",), "cut")


def test_a_failure_arrives_as_it_was() -> None:
    failure = Failure("raised", "ValueError: no", "ValueError", "line 1")

    assert decode_answers(codec.encode(Answered({"case": Answer(failure=failure)})))["case"].failure == failure


def _body(answer: object, *arrays: object) -> bytes:
    return msgspec.msgpack.encode([arrays, msgspec.msgpack.encode({"type": "Answered", "answers": {"c": answer}})])


def _claimed(**fields: object) -> dict[str, object]:
    return {"outputs": {"r": {"kind": "TensorValue", "dtype": "float32", "shape": [1], "array": None} | fields}}


FIRST = Ext(codec.ARRAY, bytes(4))

NO_ANSWERS = {
    "nothing": b"",
    "not MessagePack": b"no",
    "a list": codec.encode([1]),
    "an output without its tensor": _body(_claimed(array=FIRST)),
    "another shape than it claims": _body(_claimed(array=FIRST), ["<f4", [2], bytes(8)]),
    "fewer bytes than its shape has": _body(_claimed(array=FIRST), ["<f4", [1], b""]),
    "an unknown failure": _body({"failure": {"x": 1}}),
    "a failure that passes": _body({"failure": {"kind": "passed", "message": ""}}),
}


@pytest.mark.parametrize("body", NO_ANSWERS.values(), ids=NO_ANSWERS)
def test_a_body_that_holds_no_answers_is_refused(body: bytes) -> None:
    with pytest.raises(Garbled):
        decode_answers(body)


def test_texts_of_a_failure_are_cut_when_they_come() -> None:
    long = "x" * 100_000

    found = decode_answers(codec.encode(Answered({"failed": Answer(failure=Failure("raised", long, long, long))})))

    assert found["failed"].failure == Failure("raised", long[:LONGEST], long[:LONGEST], long[:LONGEST])


def test_a_deadline_of_receiving_is_none_of_sending(ends: Ends) -> None:
    theirs, wire = ends
    with pytest.raises(Late):
        wire.receive(Deadline(0.01))
    reader = threading.Timer(0.2, lambda: Wire(theirs).receive())
    reader.start()

    wire.send(bytes(2 << 20))  # more than a socket holds: it waits for who reads

    reader.join()


@pytest.mark.parametrize(
    "body",
    [
        b"",
        codec.encode([]),
        codec.encode({"type": "Traced", "case": "case", "trace": 1}),
        codec.encode({"type": "Traced", "case": "case", "trace": {"operations": 1}}),
        codec.encode({"type": "Traced", "case": "case", "trace": {}}) + b"no",
    ],
)
def test_what_is_no_trace_is_refused(body: bytes) -> None:
    with pytest.raises(Garbled):
        decode_reply(body)
