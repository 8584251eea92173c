"""Encode data with NumPy arrays as MessagePack, and decode and validate messages with msgspec."""

from typing import Any, TypeVar

import msgspec
import numpy as np
from msgspec.msgpack import Ext

from autograder.course.answer import CARRIED, Array

T = TypeVar("T")

ARRAY = 1
"""The MessagePack extension type of an array. Its content is an index in `Message.arrays`."""

DTYPES = {dtype.str: dtype for dtype in CARRIED.values()}

Packed = tuple[str, tuple[int, ...], bytes]
"""The NumPy name of the dtype, the shape and the bytes of an array."""


class Message(msgspec.Struct, array_like=True):
    """Encoded data. arrays: each array once. body: the data, with an index in place of each array."""

    arrays: list[Packed]
    body: bytes


def encode(data: Any) -> bytes:
    """Encode data. The same data always give the same bytes. Raises TypeError for unknown types."""
    numbers: dict[Packed, int] = {}

    def packed(array: Any) -> Ext:
        if not isinstance(array, np.ndarray) or array.dtype.str not in DTYPES:
            raise TypeError(f"no encoding for {getattr(array, 'dtype', type(array))}")
        entry = array.dtype.str, array.shape, array.tobytes()
        return Ext(ARRAY, numbers.setdefault(entry, len(numbers)).to_bytes(4, "big"))

    body = msgspec.msgpack.encode(data, enc_hook=packed)
    return msgspec.msgpack.encode(Message([*numbers], body))


def decode(content: bytes, kind: type[T]) -> T:
    """Decode data of the type `kind`. Equal arrays become one object. Raises ValueError."""
    try:
        message = msgspec.msgpack.decode(content, type=Message)
        arrays = [np.frombuffer(bytearray(data), DTYPES[dtype]).reshape(shape) for dtype, shape, data in message.arrays]

        def numbered(_: int, number: memoryview) -> Array:
            return arrays[int.from_bytes(number, "big")]

        return msgspec.msgpack.decode(message.body, type=kind, ext_hook=numbered, dec_hook=_checked)
    except Exception as error:  # any error that msgspec and NumPy raise on untrusted bytes
        raise ValueError(str(error)) from error


def _checked(_: type, array: Any) -> Array:
    if not isinstance(array, np.ndarray):
        raise ValueError("Expected an array")
    return array
