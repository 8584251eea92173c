"""Sends a tensor of four million dimensions.

part1_simplified.dot_product: crashed
message: is no answer
"""

from targets import answers, wire


def dot_product(a, b):
    wire().sendall(answers({}, [["<f4", [1] * 3_900_000, bytes(4)]]))
    return (a * b).sum()
