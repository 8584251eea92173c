"""Returns a tensor without numbers.

part1_simplified.dot_product: raised
"""

import torch


def dot_product(a, b):
    return torch.zeros((), device='meta')
