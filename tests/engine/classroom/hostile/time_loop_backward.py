"""Never returns from going backward.

part1_simplified.dot_product: timed_out
"""

import torch


class Endless(torch.autograd.Function):
    @staticmethod
    def forward(context, a, b):
        return (a * b).sum()

    @staticmethod
    def backward(context, grad):
        while True:
            pass


def dot_product(a, b):
    return Endless.apply(a, b)
