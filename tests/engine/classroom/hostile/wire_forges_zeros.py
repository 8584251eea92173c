"""Forges answers of zeros, of the right shape, and ends before the honest ones are sent.

part1_simplified.dot_product: wrong_values
"""

import os

import numpy as np
from targets import cases_of, frame, wire


def zeros(step, shapes):
    """Forge answers of zeros for all cases of a step."""
    from autograder.course.answer import Answer, TensorValue
    from autograder.course.codec import encode as encode_answers
    from autograder.runner.answers import Answered

    array = np.zeros(shapes, dtype=np.float32)
    value = TensorValue("float32", array.shape, array)
    given = {"a": np.ones(3, dtype=np.float32), "b": np.ones(3, dtype=np.float32)}
    return frame(encode_answers(Answered({path: Answer({"result": value}, given) for path in cases_of(step)})))


def dot_product(a, b):
    wire().sendall(zeros("dot_product", ()))
    os._exit(0)
