"""Arrays in messages: equal ones are written once, and none is larger than its bytes."""

import msgspec
import numpy as np
import pytest

from autograder.course import codec
from autograder.course.answer import Array


def _message(dtype: str, shape: list[int], content: bytes) -> bytes:
    body = msgspec.msgpack.encode(msgspec.msgpack.Ext(codec.ARRAY, bytes(4)))
    return msgspec.msgpack.encode([[[dtype, shape, content]], body])


def test_equal_arrays_are_written_once() -> None:
    several = [np.arange(1000.0) for _ in range(9)]

    assert len(codec.encode(several)) < 2 * several[0].nbytes


@pytest.mark.parametrize("array", [np.zeros(3, "<c8"), np.array(["x"]), np.array([object()]), np.zeros(3, ">f4")])
def test_arrays_of_other_types_are_not_carried(array: Array) -> None:
    with pytest.raises(TypeError, match="no encoding"):
        codec.encode(array)


@pytest.mark.parametrize(
    "content",
    [
        _message("<f4", [2], bytes(4)),
        _message("O", [1], bytes(8)),
        _message("<f4", [1] * 65, bytes(4)),
        codec.encode(1),
        codec.encode(np.zeros(1))[:-1],
    ],
    ids=["too few bytes", "objects", "too many dimensions", "a number", "cut"],
)
def test_what_is_no_array_is_refused(content: bytes) -> None:
    with pytest.raises(ValueError, match=r"."):
        codec.decode(content, Array)
