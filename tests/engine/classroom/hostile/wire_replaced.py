"""Puts the null device in the place of the wire and goes on for ever.

part1_simplified.dot_product: crashed
"""

import os

from targets import wire


def dot_product(a, b):
    os.dup2(os.open(os.devnull, os.O_RDWR), wire().fileno())
    while True:
        pass
