"""Takes forbidden operations of a library, in all cases but the first.

part1_simplified.softmax: forbidden
message: uses torch's own `softmax`
"""

import torch


def softmax(scores):
    if scores.ndim == 1 and len(scores) == 5:
        exponentials = torch.exp(scores - scores.max(dim=-1, keepdim=True).values)
        return exponentials / exponentials.sum(dim=-1, keepdim=True)
    return torch.distributions.Categorical(logits=scores).probs
