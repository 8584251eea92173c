"""Raises what torch says of a shape, of one that has no sizes.

part1_simplified.dot_product: raised
message: is invalid for input
"""

def dot_product(a, b):
    raise RuntimeError("shape '[, ]' is invalid for input of size 4")
