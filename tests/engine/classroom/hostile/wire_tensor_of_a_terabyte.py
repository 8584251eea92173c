"""Sends the header of a tensor that is far larger than what follows.

part1_simplified.dot_product: crashed
message: is no answer
"""

from targets import answers, wire


def dot_product(a, b):
    wire().sendall(answers({}, [["<f4", [1_000_000, 1_000_000], bytes(4)]]))
    return (a * b).sum()
