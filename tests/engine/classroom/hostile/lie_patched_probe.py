"""Replaces the function that observes its answers by one that finds zeros.

part1_simplified.dot_product: wrong_shape
part1_simplified.attention_scores: wrong_shape
part1_simplified.softmax: wrong_shape
part1_simplified.context_vector: wrong_shape
part1_simplified.simplified_self_attention: wrong_shape
"""

import sys

import numpy as np

child = sys.modules["autograder.runner.child"]


def observe(*_, **__):
    from autograder.course.answer import Answer, TensorValue

    return Answer({"result": TensorValue("float32", (1,), np.zeros(1, dtype=np.float32))})


child.observe = sys.modules["autograder.course.probing"].observe = observe
sys.modules["autograder.course.answer"].close = lambda *_: True
