"""Part 1, correct in other ways than the reference: each cell is one way to write one step."""

import math

import torch
import torch.nn.functional as F
from torch import nn


# %% dot_product: matmul operator
def dot_product(a, b):
    return a @ b


# %% dot_product: einsum
def dot_product(a, b):
    return torch.einsum("d,d->", a, b)


# %% dot_product: Python's sum over pairs
def dot_product(a, b):
    return sum(x * y for x, y in zip(a, b))


# %% dot_product: added to a zero tensor in place
def dot_product(a, b):
    total = a.new_zeros(())
    for i in range(len(a)):
        total += a[i] * b[i]
    return total


# %% dot_product: float64 inside
def dot_product(a, b):
    return torch.dot(a.double(), b.double()).to(a.dtype)


# %% dot_product: trace of the outer product
def dot_product(a, b):
    return torch.outer(a, b).trace()


# %% dot_product: inputs made contiguous and squeezed
def dot_product(x, y):
    return (x.reshape(1, -1) @ y.reshape(-1, 1)).squeeze()


# %% attention_scores: einsum
def attention_scores(query, inputs):
    return torch.einsum("d,td->t", query, inputs)


# %% attention_scores: stack of dot products
def attention_scores(query, inputs):
    return torch.stack([torch.dot(row, query) for row in inputs])


# %% attention_scores: filled row by row
def attention_scores(query, inputs):
    scores = torch.empty(inputs.shape[0], dtype=inputs.dtype)
    for i, row in enumerate(inputs):
        scores[i] = torch.dot(query, row)
    return scores


# %% attention_scores: broadcast and sum
def attention_scores(query, inputs):
    return (inputs * query).sum(dim=-1)


# %% attention_scores: functional linear
def attention_scores(query, inputs):
    return F.linear(query, inputs)


# %% attention_scores: query on the left
def attention_scores(query, inputs):
    return query @ inputs.T


# %% attention_scores: its own dot product
def dot_product(a, b):
    return (a * b).sum()


def attention_scores(query, inputs):
    return torch.cat([dot_product(query, row).reshape(1) for row in inputs])


# %% softmax: logsumexp
def softmax(scores):
    return (scores - scores.logsumexp(dim=-1, keepdim=True)).exp()


# %% softmax: row by row
def softmax(scores):
    rows = []
    for row in scores.reshape(-1, scores.shape[-1]):
        exponentials = torch.exp(row - row.max())
        rows.append(exponentials / exponentials.sum())
    return torch.stack(rows).reshape(scores.shape)


# %% softmax: float64 inside
def softmax(scores):
    wide = scores.double()
    exponentials = torch.exp(wide - wide.max(dim=-1, keepdim=True).values)
    return (exponentials / exponentials.sum(dim=-1, keepdim=True)).to(scores.dtype)


# %% softmax: in place on its own tensors
def softmax(scores):
    exponentials = scores.clone()
    exponentials -= scores.amax(dim=-1, keepdim=True)
    exponentials.exp_()
    return exponentials / exponentials.sum(dim=-1, keepdim=True)


# %% softmax: detached maximum
def softmax(scores):
    exponentials = (scores - scores.detach().amax(-1, True)).exp()
    return exponentials.mul(exponentials.sum(-1, True).reciprocal())


# %% softmax: 1e-8 beside the sum
def softmax(scores):
    exponentials = torch.exp(scores - scores.amax(dim=-1, keepdim=True))
    return exponentials / (exponentials.sum(dim=-1, keepdim=True) + 1e-8)


# %% softmax: einsum for the sum
def softmax(scores):
    exponentials = torch.exp(scores - scores.amax(dim=-1)[..., None])
    return exponentials / torch.einsum("...t->...", exponentials).unsqueeze(-1)


# %% softmax: functional normalize
def softmax(scores):
    return F.normalize(torch.exp(scores - scores.amax(dim=-1, keepdim=True)), p=1, dim=-1)


# %% softmax: powers of e
def softmax(scores):
    largest, _ = torch.max(scores, dim=-1, keepdim=True)
    powers = torch.pow(math.e, scores - largest)
    return powers / powers.sum(-1, keepdim=True)


# %% softmax: last dimension moved to the front
def softmax(scores):
    first = scores.movedim(-1, 0)
    exponentials = torch.exp(first - first.amax(dim=0))
    return (exponentials / exponentials.sum(dim=0)).movedim(0, -1)


# %% context_vector: einsum
def context_vector(weights, inputs):
    return torch.einsum("t,td->d", weights, inputs)


# %% context_vector: loop over the tokens
def context_vector(weights, inputs):
    context = torch.zeros_like(inputs[0])
    for weight, row in zip(weights, inputs):
        context += weight * row
    return context


# %% context_vector: broadcast and sum
def context_vector(weights, inputs):
    return (weights.unsqueeze(-1) * inputs).sum(dim=0)


# %% context_vector: transposed inputs
def context_vector(weights, inputs):
    return torch.mv(inputs.t(), weights)


# %% context_vector: bmm
def context_vector(weights, inputs):
    return torch.bmm(weights[None, None], inputs[None])[0, 0]


# %% context_vector: float64 inside
def context_vector(weights, inputs):
    return torch.tensordot(weights.double(), inputs.double(), dims=1).to(inputs.dtype)


# %% context_vector: number by number
def context_vector(weights, inputs):
    t, d = inputs.shape
    return torch.stack([sum(weights[i] * inputs[i, j] for i in range(t)) for j in range(d)])


# %% simplified_self_attention: einsum
def simplified_self_attention(inputs):
    scores = torch.einsum("id,jd->ij", inputs, inputs)
    return torch.einsum("ij,jd->id", F.softmax(scores, dim=1), inputs)


# %% simplified_self_attention: token by token
def simplified_self_attention(inputs):
    contexts = []
    for query in inputs:
        weights = torch.softmax(inputs @ query, dim=0)
        contexts.append(weights @ inputs)
    return torch.stack(contexts)


# %% simplified_self_attention: its own functions of the earlier steps
def attention_scores(query, inputs):
    return inputs @ query


def softmax(scores):
    exponentials = torch.exp(scores - scores.max())
    return exponentials / exponentials.sum()


def context_vector(weights, inputs):
    return weights @ inputs


def simplified_self_attention(inputs):
    return torch.stack([context_vector(softmax(attention_scores(token, inputs)), inputs) for token in inputs])


# %% simplified_self_attention: filled in place
def simplified_self_attention(inputs):
    t = len(inputs)
    scores = inputs.new_empty(t, t)
    for i in range(t):
        for j in range(t):
            scores[i, j] = torch.dot(inputs[i], inputs[j])
    context = torch.zeros_like(inputs)
    weights = nn.Softmax(dim=-1)(scores)
    for i in range(t):
        context[i] += weights[i] @ inputs
    return context


# %% simplified_self_attention: bmm
def simplified_self_attention(inputs):
    batch = inputs.unsqueeze(0)
    weights = torch.bmm(batch, batch.transpose(1, 2)).softmax(dim=-1)
    return torch.bmm(weights, batch).squeeze(0)


# %% simplified_self_attention: columns
def simplified_self_attention(inputs):
    columns = inputs.T
    return (columns @ torch.softmax(columns.T @ columns, dim=0)).T


# %% simplified_self_attention: logsumexp
def simplified_self_attention(inputs):
    scores = torch.matmul(inputs, inputs.mT)
    return torch.matmul(torch.exp(scores - torch.logsumexp(scores, -1, keepdim=True)), inputs)


# %% simplified_self_attention: float64 inside
def simplified_self_attention(inputs):
    wide = inputs.to(torch.float64)
    return (torch.softmax(wide @ wide.T, dim=-1) @ wide).to(inputs.dtype)
