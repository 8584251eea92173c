"""Tells for ever that the part is loaded.

part1_simplified.dot_product: crashed
"""

from targets import reply, wire


def dot_product(a, b):
    while True:
        wire().sendall(reply("Loaded", failure=None, notes=[]))
