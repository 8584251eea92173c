"""Turns gradients off; the next part must not notice.

part1_simplified.dot_product: wrong_gradient
part1_simplified.attention_scores: wrong_gradient
part1_simplified.softmax: wrong_gradient
part1_simplified.context_vector: wrong_gradient
part1_simplified.simplified_self_attention: wrong_gradient
"""

import torch

torch.set_grad_enabled(False)
torch.autograd.grad = lambda outputs, inputs, **_: [torch.zeros_like(one) for one in inputs]
