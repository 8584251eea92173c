"""Returns the right number without its gradient.

part1_simplified.dot_product: wrong_gradient
"""

import torch


def dot_product(a, b):
    return (a * b).sum().detach().requires_grad_()
