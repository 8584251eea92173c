"""Raises what torch says of dimensions, of a billion of them.

part1_simplified.dot_product: raised
message: Dimension out of range
"""

def dot_product(a, b):
    raise IndexError("Dimension out of range (expected to be in range of [-9999999999, 9999999998], but got 5)")
