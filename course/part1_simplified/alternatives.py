"""Part 1, correct in other ways than the reference: a cell holds ways to write one step."""

import math

import torch
import torch.nn.functional as F


# %% dot_product: each return
def dot_product(a, b):
    return a @ b  # matmul operator
    return torch.einsum("d,d->", a, b)  # einsum
    return sum(x * y for x, y in zip(a, b))  # Python's sum over pairs
    return torch.dot(a.double(), b.double()).to(a.dtype)  # float64 inside
    return torch.outer(a, b).trace()  # trace of the outer product

    total = a.new_zeros(())
    for i in range(len(a)):
        total += a[i] * b[i]
    return total  # added to a zero tensor in place


# %% dot_product: inputs made contiguous and squeezed
def dot_product(x, y):
    return (x.reshape(1, -1) @ y.reshape(-1, 1)).squeeze()


# %% attention_scores: each return
def attention_scores(query, inputs):
    return torch.einsum("d,td->t", query, inputs)  # einsum
    return torch.stack([torch.dot(row, query) for row in inputs])  # stack of dot products
    return (inputs * query).sum(dim=-1)  # broadcast and sum
    return F.linear(query, inputs)  # functional linear
    return query @ inputs.T  # query on the left

    scores = torch.empty(inputs.shape[0], dtype=inputs.dtype)
    for i, row in enumerate(inputs):
        scores[i] = torch.dot(query, row)
    return scores  # filled row by row


# %% attention_scores: its own dot product
def dot_product(a, b):
    return (a * b).sum()


def attention_scores(query, inputs):
    return torch.cat([dot_product(query, row).reshape(1) for row in inputs])


# %% softmax: each return
def softmax(scores):
    return (scores - scores.logsumexp(dim=-1, keepdim=True)).exp()  # logsumexp
    return F.normalize(torch.exp(scores - scores.amax(dim=-1, keepdim=True)), p=1, dim=-1)  # functional normalize

    rows = []
    for row in scores.reshape(-1, scores.shape[-1]):
        exponentials = torch.exp(row - row.max())
        rows.append(exponentials / exponentials.sum())
    return torch.stack(rows).reshape(scores.shape)  # row by row

    wide = scores.double()
    exponentials = torch.exp(wide - wide.max(dim=-1, keepdim=True).values)
    return (exponentials / exponentials.sum(dim=-1, keepdim=True)).to(scores.dtype)  # float64 inside

    exponentials = scores.clone()
    exponentials -= scores.amax(dim=-1, keepdim=True)
    exponentials.exp_()
    return exponentials / exponentials.sum(dim=-1, keepdim=True)  # in place on its own tensors

    exponentials = (scores - scores.detach().amax(-1, True)).exp()
    return exponentials.mul(exponentials.sum(-1, True).reciprocal())  # detached maximum

    exponentials = torch.exp(scores - scores.amax(dim=-1, keepdim=True))
    return exponentials / (exponentials.sum(dim=-1, keepdim=True) + 1e-8)  # 1e-8 beside the sum

    exponentials = torch.exp(scores - scores.amax(dim=-1)[..., None])
    return exponentials / torch.einsum("...t->...", exponentials).unsqueeze(-1)  # einsum for the sum

    largest, _ = torch.max(scores, dim=-1, keepdim=True)
    powers = torch.pow(math.e, scores - largest)
    return powers / powers.sum(-1, keepdim=True)  # powers of e

    first = scores.movedim(-1, 0)
    exponentials = torch.exp(first - first.amax(dim=0))
    return (exponentials / exponentials.sum(dim=0)).movedim(0, -1)  # last dimension moved to the front


# %% context_vector: each return
def context_vector(weights, inputs):
    return torch.einsum("t,td->d", weights, inputs)  # einsum
    return (weights.unsqueeze(-1) * inputs).sum(dim=0)  # broadcast and sum
    return torch.mv(inputs.t(), weights)  # transposed inputs
    return torch.bmm(weights[None, None], inputs[None])[0, 0]  # bmm
    return torch.tensordot(weights.double(), inputs.double(), dims=1).to(inputs.dtype)  # float64 inside

    context = torch.zeros_like(inputs[0])
    for weight, row in zip(weights, inputs):
        context += weight * row
    return context  # loop over the tokens

    t, d = inputs.shape
    return torch.stack([sum(weights[i] * inputs[i, j] for i in range(t)) for j in range(d)])  # number by number


# %% simplified_self_attention: each return
def simplified_self_attention(inputs):
    scores = torch.einsum("id,jd->ij", inputs, inputs)
    return torch.einsum("ij,jd->id", F.softmax(scores, dim=1), inputs)  # einsum

    contexts = []
    for query in inputs:
        weights = torch.softmax(inputs @ query, dim=0)
        contexts.append(weights @ inputs)
    return torch.stack(contexts)  # token by token

    batch = inputs.unsqueeze(0)
    weights = torch.bmm(batch, batch.transpose(1, 2)).softmax(dim=-1)
    return torch.bmm(weights, batch).squeeze(0)  # bmm

    columns = inputs.T
    return (columns @ torch.softmax(columns.T @ columns, dim=0)).T  # columns

    wide = inputs.to(torch.float64)
    return (torch.softmax(wide @ wide.T, dim=-1) @ wide).to(inputs.dtype)  # float64 inside


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
