"""Announces a frame of four gigabytes.

part1_simplified.dot_product: crashed
message: is no answer
"""

from targets import wire


def dot_product(a, b):
    wire().sendall(b"A\xff\xff\xff\xff")
    return (a * b).sum()
