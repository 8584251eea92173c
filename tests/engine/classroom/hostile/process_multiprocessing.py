"""Starts processes by multiprocessing.

part1_simplified.dot_product: passed
"""

import multiprocessing

from targets import must_fail


def dot_product(a, b):
    for method in ("fork", "spawn", "forkserver"):
        context = multiprocessing.get_context(method)
        must_fail((method, lambda context=context: context.Process(target=print).start()))
    return (a * b).sum()
