"""Sends bytes that are no frame.

part1_simplified.dot_product: crashed
message: is no answer
"""

from targets import wire


def dot_product(a, b):
    wire().sendall(b"\xff" * 4096)
    return (a * b).sum()
