"""Answers for the steps that follow, with zeros, and ends.

part1_simplified.dot_product: wrong_values
part1_simplified.attention_scores: wrong_shape
part1_simplified.softmax: wrong_shape
part1_simplified.context_vector: wrong_shape
part1_simplified.simplified_self_attention: wrong_shape
"""

import os

import numpy as np
from targets import cases_of, frame, reply, wire


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
    for step in ("attention_scores", "softmax", "context_vector", "simplified_self_attention"):
        wire().sendall(reply("Begun", step=step) + zeros(step, (1,)))
    wire().sendall(reply("Done"))
    os._exit(0)
