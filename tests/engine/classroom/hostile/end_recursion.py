"""Calls itself for ever.

part1_simplified.dot_product: raised
message: RecursionError
"""

def dot_product(a, b):
    return dot_product(a, b)
