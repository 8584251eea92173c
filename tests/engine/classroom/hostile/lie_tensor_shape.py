"""Returns a tensor that lies about its shape and size.

part1_simplified.dot_product: raised
message: another shape or dtype than its tensor
"""

import torch


class Lying(torch.Tensor):
    def __new__(cls, data):
        return torch.Tensor._make_subclass(cls, data)

    @property
    def shape(self):
        return ()

    def numel(self):
        return 1


def dot_product(a, b):
    return Lying(torch.zeros(100_000))
