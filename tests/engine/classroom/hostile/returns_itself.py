"""Returns its own argument.

part1_simplified.dot_product: wrong_shape
"""

import torch


def dot_product(a, b):
    return a.requires_grad_()
