"""Tells the grader in the middle of a step that all is done.

part1_simplified.dot_product: missing
message: no answer came back
"""

from targets import frame, wire


def dot_product(a, b):
    wire().sendall(frame(b"Q"))
    return (a * b).sum()
