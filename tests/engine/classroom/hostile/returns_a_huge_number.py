"""Returns a whole number of a hundred million bits.

part1_simplified.dot_product: wrong_dtype
"""

def dot_product(a, b):
    return 1 << 100_000_000
