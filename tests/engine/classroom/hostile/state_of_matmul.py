"""Replaces the product of matrices by one that is always zero; the next part must not notice.

part1_simplified.attention_scores: wrong_shape
part1_simplified.context_vector: wrong_shape
part1_simplified.simplified_self_attention: wrong_shape
"""

import torch

torch.Tensor.__matmul__ = torch.Tensor.__rmatmul__ = torch.matmul = lambda one, other: one.sum() * 0
torch.Tensor.masked_fill = torch.where = lambda tensor, *_: tensor
torch.nn.Module.__call__ = lambda *_: None
