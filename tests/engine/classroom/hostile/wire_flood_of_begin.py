"""Begins the same step for ever, for a new allowance of time each.

part1_simplified.dot_product: crashed
"""

from targets import reply, wire


def dot_product(a, b):
    while True:
        wire().sendall(reply("Begun", step="dot_product"))
