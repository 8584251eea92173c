"""Sends a number of a million digits.

part1_simplified.dot_product: crashed
message: is no answer
"""

from targets import frame, wire


def dot_product(a, b):
    wire().sendall(frame(b"9" * 1_000_000))
    return (a * b).sum()
