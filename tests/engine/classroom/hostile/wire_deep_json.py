"""Sends JSON that is nested half a million times.

part1_simplified.dot_product: crashed
message: is no answer
"""

from targets import answers, wire


def dot_product(a, b):
    wire().sendall(answers(b"[" * 500_000))
    return (a * b).sum()
