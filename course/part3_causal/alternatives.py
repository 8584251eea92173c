"""Part 3, correct in other ways than the reference: a cell holds ways to write one step."""

import math

import torch
import torch.nn.functional as F
from torch import nn


class Layers(nn.Module):
    def __init__(self, d_in, d_out, context_length, dropout, qkv_bias=False):
        super().__init__()
        self.W_query, self.W_key, self.W_value = (nn.Linear(d_in, d_out, bias=qkv_bias) for _ in range(3))
        self.dropout = nn.Dropout(dropout)
        self.register_buffer("mask", torch.ones(context_length, context_length, dtype=torch.bool).triu(1))


# %% causal_mask: each return
def causal_mask(num_tokens):
    return torch.triu(torch.ones(num_tokens, num_tokens, dtype=torch.bool), diagonal=1)  # upper triangle of booleans
    return torch.triu(torch.ones(num_tokens, num_tokens), diagonal=1).bool()  # upper triangle of floats, as bool
    return torch.tril(torch.ones(num_tokens, num_tokens)) == 0  # where the lower triangle is zero
    return torch.tensor([[key > query for key in range(num_tokens)] for query in range(num_tokens)])  # nested lists
    return torch.logical_not(torch.eye(num_tokens).cumsum(dim=1).T)  # running sum of the diagonal
    return nn.Transformer.generate_square_subsequent_mask(num_tokens).isinf()  # torch's own additive mask

    return ~torch.full((num_tokens, num_tokens), True).tril()  # lower triangle inverted

    mask = torch.zeros(num_tokens, num_tokens, dtype=torch.bool)
    for query in range(num_tokens):
        mask[query, query + 1 :] = True
    return mask  # row by row

    mask = torch.full((num_tokens, num_tokens), False)
    rows, columns = torch.triu_indices(num_tokens, num_tokens, offset=1)
    mask[rows, columns] = True
    return mask  # indices of the triangle

    positions = torch.arange(num_tokens)
    queries, keys = torch.meshgrid(positions, positions, indexing="ij")
    return torch.lt(queries, keys)  # grid of positions


# %% mask_scores: each return
def mask_scores(scores):
    return scores + torch.ones_like(scores).tril().log()  # logarithm of the lower triangle

    positions = torch.arange(scores.size(-1))
    visible = positions.unsqueeze(1) >= positions
    return torch.where(visible, scores, float("-inf"))  # where

    masked = scores.clone()
    masked.masked_fill_(torch.tril(torch.ones_like(scores)) == 0, float("-inf"))
    return masked  # filled in place on a copy

    return torch.triu(scores.new_full(scores.shape, -math.inf), 1).add(scores)  # additive of the scores' own dtype

    t = scores.shape[-1]
    masked = scores.clone()
    masked[..., torch.ones(t, t, dtype=torch.bool).triu(1)] = -math.inf
    return masked  # assigned through a boolean index

    t = scores.shape[-1]
    masked = torch.full_like(scores, float("-inf"))
    for i in range(t):
        masked[..., i, : i + 1] = scores[..., i, : i + 1]
    return masked  # visible scores copied into −∞

    t = scores.shape[-1]
    return scores + nn.Transformer.generate_square_subsequent_mask(t, dtype=scores.dtype)  # torch's own additive mask

    t = scores.shape[-1]
    hidden = torch.ones(t, t).triu(1).bool()

    def mask(matrix):
        return torch.where(hidden, -math.inf, matrix)

    return torch.vmap(mask)(scores.reshape(-1, t, t)).reshape(scores.shape)  # vmap


# %% causal_attention_weights: each return
def causal_attention_weights(scores, d_k):
    hidden = torch.tril(torch.ones_like(scores)) == 0
    return F.softmax((scores / math.sqrt(d_k)).masked_fill(hidden, float("-inf")), dim=-1)  # scaled before masking

    future = torch.full_like(scores, float("-inf")).triu(1)
    return nn.Softmax(dim=-1)(scores * d_k**-0.5 + future)  # additive mask

    positions = torch.arange(scores.shape[-1])
    scaled = scores / torch.sqrt(torch.tensor(d_k))
    masked = torch.where(positions > positions[:, None], -math.inf, scaled)
    exponentials = torch.exp(masked - masked.amax(dim=-1, keepdim=True))
    return exponentials / exponentials.sum(dim=-1, keepdim=True)  # where, and softmax by hand

    hidden = ~torch.ones_like(scores, dtype=torch.bool).tril()
    masked = scores.masked_fill(hidden, -torch.inf)
    return masked.div(math.sqrt(d_k)).log_softmax(dim=-1).exp()  # exponential of log_softmax

    scaled, hidden = scores / d_k**0.5, torch.ones_like(scores, dtype=torch.bool).triu(diagonal=1)
    return torch.softmax(scaled.masked_fill(hidden, torch.finfo(scores.dtype).min), dim=-1)  # most negative number

    hidden = torch.ones_like(scores).triu(1) == 1
    return F.softmax((scores / math.sqrt(d_k)).masked_fill(hidden, -1e9), dim=-1)  # minus a billion

    weights = torch.zeros_like(scores)
    for i in range(scores.shape[-1]):
        seen = slice(0, i + 1)
        weights[..., i, seen] = torch.softmax(scores[..., i, seen] * d_k**-0.5, dim=-1)
    return weights  # filled in place

    wide = scores.to(torch.float64)
    wide = wide + torch.full_like(wide, float("-inf")).triu(diagonal=1)
    return torch.softmax(wide / math.sqrt(d_k), dim=-1).to(scores.dtype)  # float64 inside

    turned = scores.mT / d_k**0.5
    visible = torch.ones_like(turned, dtype=torch.bool).triu()
    return turned.masked_fill(~visible, -math.inf).softmax(dim=-2).mT  # keys moved to the front

    scaled = scores / d_k**0.5
    totals = scaled.logcumsumexp(dim=-1).diagonal(dim1=-2, dim2=-1)
    hidden = torch.ones_like(scaled).triu(diagonal=1) > 0
    return (scaled - totals.unsqueeze(-1)).masked_fill(hidden, -math.inf).exp()  # diagonal of the running logsumexp


# %% causal_attention_weights: its own functions of the earlier steps
def causal_mask(num_tokens):
    return torch.triu(torch.ones(num_tokens, num_tokens), diagonal=1).bool()


def mask_scores(scores):
    return scores.masked_fill(causal_mask(scores.shape[-1]), float("-inf"))


def causal_attention_weights(scores, d_k):
    return torch.softmax(mask_scores(scores) / d_k**0.5, dim=-1)


# %% renormalized_weights: each return
def renormalized_weights(weights):
    return F.normalize(weights.tril(), p=1, dim=-1)  # functional normalize

    visible = weights * torch.tril(torch.ones_like(weights))
    return visible / visible.sum(dim=-1, keepdim=True)  # multiplied by the lower triangle

    positions = torch.arange(weights.shape[-1])
    visible = torch.where(positions[None] <= positions[:, None], weights, 0.0)
    return torch.einsum("...qk,...q->...qk", visible, 1 / torch.einsum("...qk->...q", visible))  # where and einsum

    sums = weights.cumsum(dim=-1).diagonal(dim1=-2, dim2=-1)
    return torch.tril(weights / sums.unsqueeze(-1))  # diagonal of the running sums

    visible = weights.tril()
    return visible / (visible.sum(dim=-1, keepdim=True) + 1e-8)  # 1e-8 beside the sums

    visible = weights.clone()
    visible.tril_()
    visible /= visible.sum(-1, keepdim=True)
    return visible  # in place on a copy

    result = torch.zeros_like(weights)
    for i in range(weights.shape[-2]):
        result[..., i, : i + 1] = weights[..., i, : i + 1] / weights[..., i, : i + 1].sum(dim=-1, keepdim=True)
    return result  # a query at a time, in place

    visible = weights - weights.triu(diagonal=1)
    return visible / (visible @ visible.new_ones(weights.shape[-1], 1))  # sums by a matrix product

    visible = weights.double().tril()
    return visible.div(visible.sum(dim=-1, keepdim=True)).to(weights.dtype)  # float64 inside

    hidden = torch.ones_like(weights, dtype=torch.bool).triu(diagonal=1)
    return torch.softmax(weights.log().masked_fill(hidden, -math.inf), dim=-1)  # softmax of the logarithms

    visible = weights.tril()
    return torch.diag_embed(1 / visible.sum(dim=-1)) @ visible  # a diagonal matrix of inverse sums


# %% apply_dropout: each return
def apply_dropout(weights, keep, p):
    return torch.where(keep, weights / (1 - p), 0.0)  # where
    return weights.masked_fill(~keep, 0.0) / (1.0 - p)  # masked_fill of what is not kept
    return weights.masked_fill(keep == 0, 0).mul(1 / (1 - p))  # zero where keep is zero
    return keep / (1 - p) * weights  # booleans divided
    return torch.einsum("...,...->...", weights.double(), keep.double()).div(1 - p).to(weights.dtype)

    return weights * (keep.to(weights.dtype) / (1 - p))  # multiplied by a scaled mask

    dropped = torch.zeros_like(weights)
    dropped[keep] = weights[keep] / (1 - p)
    return dropped  # assigned through a boolean index

    scaled = weights.clone() * (1 / (1 - p))
    scaled[torch.logical_not(keep)] = 0
    return scaled  # zeroed in place on a copy

    pairs = zip(weights.flatten(), keep.flatten())
    numbers = [weight / (1 - p) if kept else torch.zeros_like(weight) for weight, kept in pairs]
    return torch.stack(numbers).reshape(weights.shape)  # number by number

    kept = weights.masked_select(keep) / (1 - p)
    return torch.zeros_like(weights).masked_scatter(keep, kept)  # masked_select and masked_scatter

    choices = torch.stack([torch.zeros_like(weights), weights / (1 - p)])
    return choices.gather(0, keep.long().unsqueeze(0)).squeeze(0)  # chosen by gather


# %% CausalAttention: as in the lectures
class CausalAttention(nn.Module):
    def __init__(self, d_in, d_out, context_length, dropout, qkv_bias=False):
        super().__init__()
        self.d_out = d_out
        self.W_query = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.W_key = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.W_value = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.dropout = nn.Dropout(dropout)
        self.register_buffer("mask", torch.triu(torch.ones(context_length, context_length), diagonal=1))

    def forward(self, x):
        b, num_tokens, d_in = x.shape
        keys = self.W_key(x)
        queries = self.W_query(x)
        values = self.W_value(x)
        attn_scores = queries @ keys.transpose(1, 2)
        attn_scores.masked_fill_(self.mask.bool()[:num_tokens, :num_tokens], -torch.inf)
        attn_weights = torch.softmax(attn_scores / keys.shape[-1] ** 0.5, dim=-1)
        attn_weights = self.dropout(attn_weights)
        return attn_weights @ values


# %% CausalAttention: additive mask, not in the state dict
class CausalAttention(nn.Module):
    def __init__(self, d_in, d_out, context_length, dropout, qkv_bias=False):
        super().__init__()
        for name in ("W_query", "W_key", "W_value"):
            setattr(self, name, nn.Linear(d_in, d_out, qkv_bias))
        self.drop = nn.Dropout(p=dropout)
        future = torch.full((context_length, context_length), float("-inf")).triu(1)
        self.register_buffer("mask", future, persistent=False)

    def forward(self, x):
        t = x.size(1)
        scores = torch.einsum("bqd,bkd->bqk", self.W_query(x), self.W_key(x))
        scores = scores / math.sqrt(self.W_key.out_features) + self.mask[:t, :t]
        return torch.einsum("bqk,bkd->bqd", self.drop(scores.softmax(dim=-1)), self.W_value(x))


# %% CausalAttention: lower triangle, functional dropout
class CausalAttention(nn.Module):
    def __init__(self, d_in, d_out, context_length, dropout, qkv_bias=False):
        super().__init__()
        self.W_query, self.W_key, self.W_value = (nn.Linear(d_in, d_out, bias=qkv_bias) for _ in range(3))
        self.p = dropout
        visible = torch.tril(torch.ones(context_length, context_length))
        self.register_buffer("mask", visible.view(1, context_length, context_length))

    def forward(self, x):
        b, t, _ = x.size()
        q, k, v = self.W_query(x), self.W_key(x), self.W_value(x)
        att = (q @ k.transpose(-2, -1)) * (1.0 / math.sqrt(k.size(-1)))
        att = att.masked_fill(self.mask[:, :t, :t] == 0, float("-inf"))
        att = F.dropout(F.softmax(att, dim=-1), p=self.p, training=self.training)
        return torch.bmm(att, v)


# %% CausalAttention: integers in four dimensions
class CausalAttention(Layers):
    def __init__(self, d_in, d_out, context_length, dropout, qkv_bias=False):
        super().__init__(d_in, d_out, context_length, dropout, qkv_bias)
        positions = torch.arange(context_length)
        self.register_buffer("mask", (positions[:, None] < positions).long()[None, None])

    def forward(self, x):
        t = x.shape[-2]
        queries = self.W_query(x) / self.W_query.out_features**0.5
        scores = queries @ self.W_key(x).mT
        scores = torch.where(self.mask[0, 0, :t, :t] == 1, -math.inf, scores)
        return self.dropout(torch.softmax(scores, dim=-1)) @ self.W_value(x)


# %% CausalAttention: nn.Buffer and dropout by hand
class CausalAttention(nn.Module):
    def __init__(self, d_in, d_out, context_length, dropout, qkv_bias=False):
        super().__init__()
        self.W_query, self.W_key, self.W_value = (nn.Linear(d_in, d_out, bias=qkv_bias) for _ in range(3))
        self.dropout = dropout
        self.mask = nn.Buffer(~torch.ones(context_length, context_length, dtype=torch.bool).tril())

    def drop(self, weights):
        if not self.training or self.dropout == 0:
            return weights
        keep = torch.rand(weights.shape) >= self.dropout
        return weights * keep / (1 - self.dropout)

    def forward(self, x):
        t = x.shape[1]
        scores = torch.matmul(self.W_query(x), self.W_key(x).swapaxes(1, 2))
        masked = scores.masked_fill(self.mask[:t, :t], float("-inf")) / math.sqrt(self.W_key.out_features)
        exponentials = torch.exp(masked - masked.max(dim=-1, keepdim=True).values)
        return self.drop(exponentials / exponentials.sum(dim=-1, keepdim=True)) @ self.W_value(x)


# %% CausalAttention: its own functions of the earlier steps
def causal_mask(num_tokens):
    return torch.triu(torch.ones(num_tokens, num_tokens, dtype=torch.bool), diagonal=1)


def causal_attention_weights(scores, d_k):
    masked = scores.masked_fill(causal_mask(scores.shape[-1]), float("-inf"))
    return torch.softmax(masked / d_k**0.5, dim=-1)


def apply_dropout(weights, keep, p):
    return weights * keep / (1 - p)


class CausalAttention(Layers):
    def forward(self, x):
        queries, keys, values = self.W_query(x), self.W_key(x), self.W_value(x)
        weights = causal_attention_weights(queries @ keys.transpose(-2, -1), keys.shape[-1])
        if self.training:
            keep = torch.bernoulli(torch.full_like(weights, 1 - self.dropout.p)).bool()
            weights = apply_dropout(weights, keep, self.dropout.p)
        return weights @ values


# %% CausalAttention: one packed product, renormalized weights
class CausalAttention(Layers):
    def __init__(self, d_in, d_out, context_length, dropout, qkv_bias=False):
        super().__init__(d_in, d_out, context_length, dropout, qkv_bias)
        self.register_buffer("mask", torch.ones(context_length, context_length, dtype=torch.uint8).triu(1))

    def forward(self, x):
        t, layers = x.shape[1], (self.W_query, self.W_key, self.W_value)
        weight = torch.cat([layer.weight for layer in layers])
        bias = None if self.W_query.bias is None else torch.cat([layer.bias for layer in layers])
        queries, keys, values = F.linear(x, weight, bias).chunk(3, dim=-1)
        scores = torch.baddbmm(x.new_zeros(()), queries, keys.mT, alpha=keys.shape[-1] ** -0.5)
        masked = scores.masked_fill(self.mask[:t, :t].bool(), -torch.inf)
        return self.dropout(F.log_softmax(masked, dim=-1).exp()) @ values


# %% CausalAttention: query by query
class CausalAttention(Layers):
    def forward(self, x):
        queries, keys, values = self.W_query(x), self.W_key(x), self.W_value(x)
        contexts = []
        for i in range(x.shape[1]):
            seen = ~self.mask[i, : x.shape[1]]
            scores = (keys[:, seen] @ queries[:, i, :, None]).squeeze(-1)
            weights = self.dropout(torch.softmax(scores / keys.shape[-1] ** 0.5, dim=-1))
            contexts.append((weights[:, None] @ values[:, seen]).squeeze(1))
        return torch.stack(contexts, dim=1)


# %% CausalAttention: float64 inside, mask larger than needed
class CausalAttention(Layers):
    def __init__(self, d_in, d_out, context_length, dropout, qkv_bias=False):
        super().__init__(d_in, d_out, context_length, dropout, qkv_bias)
        size = max(context_length, 1024)
        self.register_buffer("mask", torch.arange(size)[:, None] < torch.arange(size))

    def forward(self, x):
        hidden = self.mask[: x.shape[1], : x.shape[1]]
        queries, keys, values = (layer(x).double() for layer in (self.W_query, self.W_key, self.W_value))
        scores = queries @ keys.transpose(1, 2) / keys.shape[-1] ** 0.5
        weights = self.dropout(torch.softmax(scores.masked_fill(hidden, -math.inf), dim=-1))
        return (weights @ values).to(x.dtype)


# %% CausalAttention: divided by the sum at the end
class CausalAttention(Layers):
    def forward(self, x):
        t = x.shape[1]
        scores = self.W_query(x) @ self.W_key(x).mT / self.W_key.out_features**0.5
        scores = scores.masked_fill(self.mask[:t, :t], -torch.inf)
        exponentials = torch.exp(scores - scores.amax(dim=-1, keepdim=True))
        context = self.dropout(exponentials) @ self.W_value(x)
        return context / exponentials.sum(dim=-1, keepdim=True)


# %% CausalAttention: tokens before sentences
class CausalAttention(Layers):
    def __init__(self, d_in, d_out, context_length, dropout, qkv_bias=False):
        super().__init__(d_in, d_out, context_length, dropout, qkv_bias)
        self.to_weights = nn.Sequential(nn.Softmax(dim=-1), self.dropout)
        self.register_buffer("scale", torch.tensor(d_out).rsqrt())

    def forward(self, x):
        tokens = x.transpose(0, 1)
        t = len(tokens)
        queries, keys, values = (self.W_query(tokens), self.W_key(tokens), self.W_value(tokens))
        scores = torch.einsum("qbd,kbd->bqk", queries, keys) * self.scale
        weights = self.to_weights(scores.masked_fill(self.mask[:t, :t], float("-inf")))
        return torch.einsum("bqk,kbd->bqd", weights, values)


# %% CausalAttention: tokens flattened with view
class CausalAttention(Layers):
    def forward(self, x):
        b, t, _ = x.shape
        q, k, v = (layer(x.view(b * t, -1)).view(b, t, -1) for layer in (self.W_query, self.W_key, self.W_value))
        s = (q @ k.mT / k.shape[-1] ** 0.5).masked_fill(self.mask[:t, :t], -math.inf)
        return self.dropout(s.softmax(-1)) @ v
