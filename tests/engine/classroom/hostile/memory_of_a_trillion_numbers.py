"""Makes a tensor of a trillion numbers.

part1_simplified.dot_product: out_of_memory
"""

import torch


def dot_product(a, b):
    return torch.zeros(10**12)
