"""Makes a tensor of fifty gigabytes.

part1_simplified.dot_product: out_of_memory
"""

import torch


def dot_product(a, b):
    return torch.ones(50 * 2**30, dtype=torch.uint8).sum()
