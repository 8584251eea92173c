"""Returns a tensor without a number, whose sum over the first dimension would fill the memory.

part1_simplified.dot_product: wrong_shape
"""

import torch


def dot_product(a, b):
    return torch.empty(0, 2**40)
