"""Prints a hundred thousand lines.

part1_simplified.dot_product: passed
"""

def dot_product(a, b):
    if not a.requires_grad:
        for number in range(100_000):
            print(number)
    return (a * b).sum()
