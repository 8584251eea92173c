"""Sends a tensor without a number, whose sum over the first dimension would fill the memory.

part1_simplified.dot_product: wrong_shape
message: expected shape ()
"""

import os

from msgspec.msgpack import Ext
from targets import answers, cases_of, wire


def dot_product(a, b):
    path = cases_of("dot_product")[0]
    output = {"kind": "TensorValue", "dtype": "float32", "shape": [0, 2**40], "array": Ext(1, bytes(4))}
    wire().sendall(answers({path: {"outputs": {"result": output}}}, [["<f4", [0, 2**40], b""]]))
    os._exit(0)
