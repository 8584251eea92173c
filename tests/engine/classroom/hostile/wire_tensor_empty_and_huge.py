"""Sends a tensor without a number, whose sum over the first dimension would fill the memory.

part1_simplified.dot_product: crashed
message: is no answer
"""

import json
import os

from targets import answers, cases_of, wire


def dot_product(a, b):
    path = cases_of("dot_product")[0]
    output = {"dtype": "float32", "shape": [0, 2**40], "numbers": True}
    tensor = {f"{path}\noutput result": {"dtype": "F32", "shape": [0, 2**40], "data_offsets": [0, 0]}}
    header = json.dumps(tensor).encode()
    answer = {path: {"outputs": {"result": output}, "gradients": []}}
    wire().sendall(answers(json.dumps(answer).encode(), len(header).to_bytes(8, "little") + header))
    os._exit(0)
