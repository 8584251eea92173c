"""Returns the right number, and a gradient of its own invention.

part1_simplified.dot_product: wrong_gradient
"""

import torch


class Lying(torch.autograd.Function):
    @staticmethod
    def forward(context, a, b):
        return (a * b).sum()

    @staticmethod
    def backward(context, grad):
        return torch.ones(1).expand(10**12)[:7], None


def dot_product(a, b):
    return Lying.apply(a, b)
