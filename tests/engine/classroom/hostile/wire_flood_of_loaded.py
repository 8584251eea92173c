"""Tells for ever that the part is loaded.

part1_simplified.dot_product: crashed
"""

from targets import frame, wire


def dot_product(a, b):
    while True:
        wire().sendall(frame(b"L", b"null"))
