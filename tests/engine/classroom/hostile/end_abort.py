"""Aborts.

part1_simplified.dot_product: crashed
"""

import os


def dot_product(a, b):
    os.abort()
