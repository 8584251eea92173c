"""Returns a nested tensor.

part1_simplified.dot_product: raised
"""

import torch


def dot_product(a, b):
    return torch.nested.nested_tensor([torch.zeros(2), torch.zeros(3)])
