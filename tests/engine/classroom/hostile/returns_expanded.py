"""Returns one number that is shown a trillion times.

part1_simplified.dot_product: wrong_shape
"""

import torch


def dot_product(a, b):
    return torch.zeros(1).expand(10**12)
