"""Closes the wire and goes on for ever.

part1_simplified.dot_product: crashed
"""

import os

from targets import wire


def dot_product(a, b):
    wire().close()
    os.closerange(0, 256)
    while True:
        pass
