"""Raises an exception with a text of twenty-five megabytes.

part1_simplified.dot_product: raised
"""

def dot_product(a, b):
    raise ValueError("\x1b[31m" * 5_000_000)
