"""Computes one huge power, which no signal handler can stop.

part1_simplified.dot_product: timed_out
"""

def dot_product(a, b):
    return 7 ** (7 ** 11)
