"""Returns quantized numbers.

part1_simplified.dot_product: raised
"""

import torch


def dot_product(a, b):
    return torch.quantize_per_tensor((a * b).sum(), 0.1, 0, torch.qint8)
