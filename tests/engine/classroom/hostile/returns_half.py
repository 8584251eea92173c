"""Returns numbers of half the length.

part1_simplified.dot_product: wrong_dtype
"""

import torch


def dot_product(a, b):
    return (a * b).sum().bfloat16()
