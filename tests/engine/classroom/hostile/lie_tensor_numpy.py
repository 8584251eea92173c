"""Returns a tensor whose `numpy` lies.

part1_simplified.dot_product: wrong_values
"""

import numpy as np
import torch


class Lying(torch.Tensor):
    def __new__(cls, data):
        return torch.Tensor._make_subclass(cls, data)

    def numpy(self, *_, **__):
        return np.array(float("nan"), dtype=np.float32)

    def __eq__(self, other):
        return True

    __hash__ = None


def dot_product(a, b):
    return Lying(torch.zeros(()))
