"""Raises an exception at the end of a chain of a hundred thousand.

part1_simplified.dot_product: raised
"""

def dot_product(a, b):
    last = None
    for number in range(100_000):
        error = ValueError(number)
        error.__context__ = error.__cause__ = last
        last = error
    raise last
