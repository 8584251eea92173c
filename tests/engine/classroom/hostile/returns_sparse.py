"""Returns a sparse tensor of a million rows and columns.

part1_simplified.dot_product: wrong_shape
"""

import torch


def dot_product(a, b):
    return torch.sparse_coo_tensor([[0], [0]], [1.0], (10**6, 10**6))
