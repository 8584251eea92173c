"""Returns what is no number.

part1_simplified.dot_product: wrong_values
"""

import torch


def dot_product(a, b):
    return (a * b).sum() * float('nan')
