"""Tells the grader in the middle of a step that all is done.

part1_simplified.dot_product: missing
message: no answer came back
"""

from targets import reply, wire


def dot_product(a, b):
    wire().sendall(reply("Done"))
    return (a * b).sum()
