"""Raises exceptions that cause each other.

part1_simplified.dot_product: raised
message: ValueError: one
"""

def dot_product(a, b):
    one, other = ValueError("one"), ValueError("other")
    one.__cause__, other.__cause__ = other, one
    raise one
