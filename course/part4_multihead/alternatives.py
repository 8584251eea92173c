"""Part 4, correct in other ways than the reference: a cell holds ways to write one step."""

import math
from fractions import Fraction

import torch
import torch.nn.functional as F
from torch import nn


class Layers(nn.Module):
    def __init__(self, d_in, d_out, context_length, dropout, num_heads, qkv_bias=False):
        super().__init__()
        if num_heads < 1 or d_out % num_heads:
            raise ValueError("d_out must be divisible by num_heads")
        self.num_heads, self.head_dim = num_heads, d_out // num_heads
        self.W_query, self.W_key, self.W_value = (nn.Linear(d_in, d_out, bias=qkv_bias) for _ in range(3))
        self.out_proj = nn.Linear(d_out, d_out)
        self.dropout = nn.Dropout(dropout)
        self.register_buffer("mask", torch.ones(context_length, context_length, dtype=torch.bool).triu(1))


# %% concat_heads: each return
def concat_heads(heads, x):
    return torch.vstack([head(x).movedim(-1, 0) for head in heads]).movedim(0, -1)  # last dimension first
    return torch.stack([column for head in heads for column in head(x).unbind(dim=-1)], dim=-1)  # columns stacked

    context = heads[0](x)
    for head in heads[1:]:
        context = torch.cat((context, head(x)), dim=-1)
    return context  # one head joined after the other

    outputs = [head(x) for head in heads]
    joined = x.new_empty(*x.shape[:-1], sum(output.shape[-1] for output in outputs))
    start = 0
    for output in outputs:
        joined[..., start : start + output.shape[-1]] = output
        start += output.shape[-1]
    return joined  # filled in place

    def tokens(output):
        return output.reshape(-1, output.shape[-1])

    return torch.hstack([tokens(head(x)) for head in list(heads)]).reshape(*x.shape[:-1], -1)  # tokens flattened


# %% head_dim: each return
def head_dim(d_out, num_heads):
    if num_heads <= 0:
        raise ValueError("there must be a head")
    quotient, remainder = divmod(d_out, num_heads)
    if remainder != 0:
        raise ValueError("d_out must be divisible by num_heads")
    return quotient  # divmod

    if math.gcd(d_out, num_heads) != num_heads:
        raise ValueError(f"d_out ({d_out}) must be divisible by num_heads ({num_heads})")
    return d_out // num_heads  # greatest common divisor

    for candidate in range(1, d_out + 1):
        if candidate * num_heads == d_out:
            return candidate
    raise ValueError  # search for the divisor

    try:
        quotient = d_out / num_heads
    except ZeroDivisionError:
        raise ValueError("no heads") from None
    if quotient < 0 or not quotient.is_integer():
        raise ValueError("uneven heads")
    return int(quotient)  # quotient that is whole


# %% head_dim: a fraction, and an error of its own
class UnevenHeads(ValueError):
    pass


def head_dim(d_out, num_heads):
    if num_heads < 1 or Fraction(d_out, num_heads).denominator != 1:
        raise UnevenHeads(d_out, num_heads)
    return Fraction(d_out, num_heads).numerator


# %% split_heads: each return
def split_heads(x, num_heads):
    b, num_tokens, d_out = x.shape
    if num_heads < 1 or d_out % num_heads != 0:
        raise ValueError("d_out must be divisible by num_heads")
    return x.view(b, num_tokens, num_heads, d_out // num_heads)  # view

    if num_heads < 1 or x.size(2) % num_heads:
        raise ValueError("num_heads does not divide d_out")
    return torch.stack(x.chunk(num_heads, dim=-1), dim=2)  # chunks stacked

    b, t, d_out = x.shape
    if num_heads < 1 or d_out // num_heads * num_heads != d_out:
        raise ValueError("d_out must be divisible by num_heads")
    hd = d_out // num_heads
    heads = x.new_zeros(b, t, num_heads, hd)
    for number in range(d_out):
        heads[:, :, number // hd, number % hd] = x[:, :, number]
    return heads  # filled in place

    if num_heads not in range(1, x.shape[-1] + 1) or x.shape[-1] % num_heads:
        raise ValueError("d_out must be divisible by num_heads")
    length = x.shape[-1] // num_heads
    return x.unfold(dimension=2, size=length, step=length)  # unfold


# %% split_heads: its own function of the earlier step
def head_dim(d_out, num_heads):
    if num_heads < 1 or d_out % num_heads:
        raise ValueError(f"{num_heads} heads cannot share {d_out} numbers")
    return d_out // num_heads


def split_heads(x, num_heads):
    return x.unflatten(-1, (num_heads, head_dim(x.shape[-1], num_heads)))


# %% split_heads: torch's own error turned into the right one
def split_heads(x, num_heads):
    if num_heads < 1:
        raise ValueError("no heads")
    try:
        return x.reshape(*x.shape[:2], num_heads, -1)
    except RuntimeError as error:
        raise ValueError("heads of different lengths") from error


# %% group_by_head: each return
def group_by_head(x):
    return x.permute(0, 2, 1, 3)  # permute
    return x.transpose(-3, -2).contiguous()  # contiguous
    return torch.swapaxes(x, 1, 2)  # swapaxes
    return x.movedim(2, 1)  # movedim
    return torch.einsum("bthd->bhtd", x)  # einsum
    return torch.stack([x[:, :, head] for head in range(x.shape[2])], dim=1)  # heads stacked
    return torch.cat([token.unsqueeze(2) for token in x.unbind(dim=1)], dim=2)  # tokens joined

    b, t, h, hd = x.shape
    order = torch.arange(t * h).view(t, h).T.flatten()
    return x.reshape(b, t * h, hd).index_select(1, order).view(b, h, t, hd)  # index_select


# %% head_scores: each return
def head_scores(queries, keys):
    return torch.einsum("bhqd,bhkd->bhqk", queries, keys)  # einsum
    return torch.matmul(queries, keys.mT)  # mT
    return (queries.unsqueeze(3) * keys.unsqueeze(2)).sum(dim=-1)  # broadcast and sum
    return (keys.double() @ queries.double().transpose(2, 3)).permute(0, 1, 3, 2).to(queries.dtype)
    return torch.vmap(torch.vmap(lambda q, k: q @ k.T))(queries, keys)  # vmap

    b, h, t, hd = queries.shape
    q, k = queries.reshape(b * h, t, hd), keys.reshape(b * h, t, hd)
    return torch.bmm(q, k.transpose(1, 2)).view(b, h, t, t)  # bmm

    b, h, t, _ = queries.shape
    scores = queries.new_zeros(b, h, t, t)
    for i in range(b):
        for j in range(h):
            scores[i, j] = queries[i, j] @ keys[i, j].T
    return scores  # loops over sentences and heads


# %% head_weights: each return
def head_weights(scores, head_dim):

    future = torch.full(scores.shape[-2:], -math.inf).triu(diagonal=1)
    return (scores * head_dim**-0.5 + future).softmax(dim=3)  # additive mask

    positions = torch.arange(scores.size(-1))
    masked = torch.where(positions[:, None] >= positions[None, :], scores, float("-inf"))
    exponentials = ((masked - masked.amax(-1, keepdim=True)) / head_dim**0.5).exp()
    return exponentials / exponentials.sum(-1, keepdim=True)  # where, and softmax by hand

    masked = scores.clone()
    masked.masked_fill_(torch.ones_like(scores).triu(1).bool(), -math.inf)
    masked /= torch.tensor(head_dim).sqrt()
    return F.log_softmax(masked, dim=-1).exp()  # filled in place on a copy

    weights = torch.zeros_like(scores)
    for i in range(scores.shape[2]):
        weights[:, :, i, : i + 1] = torch.softmax(scores[:, :, i, : i + 1] / head_dim**0.5, dim=-1)
    return weights  # softmax of what each query sees

    wide = scores.flatten(0, 1).double() / math.sqrt(head_dim)
    wide = wide + torch.ones_like(wide).tril().log()
    return torch.exp(wide - wide.logsumexp(-1, keepdim=True)).view_as(scores).to(scores.dtype)

    hidden = torch.ones(scores.shape[-2:]).triu(1) == 1
    scaled = scores / head_dim**0.5
    return nn.Softmax(dim=-1)(scaled.masked_fill(hidden, torch.finfo(scaled.dtype).min))  # most negative number


# %% head_weights: its own function of the earlier part
def causal_attention_weights(scores, d_k):
    t = scores.shape[-1]
    hidden = torch.ones(t, t, dtype=torch.bool).triu(diagonal=1)
    return torch.softmax(scores.masked_fill(hidden, float("-inf")) / d_k**0.5, dim=-1)


def head_weights(scores, head_dim):
    return causal_attention_weights(scores, head_dim)


# %% head_context: each return
def head_context(weights, values):
    return torch.einsum("bhqk,bhkd->bhqd", weights, values)  # einsum
    return torch.bmm(weights.flatten(0, 1), values.flatten(0, 1)).unflatten(0, weights.shape[:2])  # bmm
    return (weights[..., None] * values[:, :, None]).sum(dim=3)  # broadcast and sum
    return torch.matmul(values.transpose(-2, -1), weights.transpose(-2, -1)).transpose(-2, -1)  # transposed twice
    return torch.matmul(weights.double(), values.double()).to(values.dtype)  # float64 inside

    context = torch.zeros_like(values)
    for k in range(values.shape[2]):
        context += weights[:, :, :, k : k + 1] * values[:, :, k : k + 1]
    return context  # key by key, in place


# %% merge_heads: each return
def merge_heads(context):
    return context.transpose(1, 2).flatten(start_dim=2)  # flatten
    return torch.cat(context.unbind(dim=1), dim=-1)  # heads joined
    return context.movedim(2, 1).flatten(-2)  # movedim
    return torch.dstack(context.unbind(dim=1))  # dstack

    b, h, t, hd = context.shape
    return context.permute(0, 2, 1, 3).contiguous().view(b, t, h * hd)  # permute, contiguous and view

    return torch.einsum("bhtd->bthd", context).flatten(2)  # einsum

    b, h, t, hd = context.shape
    merged = context.new_empty((b, t, h * hd))
    for head in range(h):
        merged[:, :, head * hd : (head + 1) * hd] = context[:, head]
    return merged  # filled in place


# %% MultiHeadAttention: as in the lectures
class MultiHeadAttention(nn.Module):
    def __init__(self, d_in, d_out, context_length, dropout, num_heads, qkv_bias=False):
        super().__init__()
        if num_heads < 1 or d_out % num_heads != 0:
            raise ValueError("d_out must be divisible by num_heads")
        self.d_out = d_out
        self.num_heads = num_heads
        self.head_dim = d_out // num_heads
        self.W_query = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.W_key = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.W_value = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.out_proj = nn.Linear(d_out, d_out)
        self.dropout = nn.Dropout(dropout)
        self.register_buffer("mask", torch.triu(torch.ones(context_length, context_length), diagonal=1))

    def forward(self, x):
        b, num_tokens, d_in = x.shape
        keys = self.W_key(x)
        queries = self.W_query(x)
        values = self.W_value(x)
        keys = keys.view(b, num_tokens, self.num_heads, self.head_dim)
        values = values.view(b, num_tokens, self.num_heads, self.head_dim)
        queries = queries.view(b, num_tokens, self.num_heads, self.head_dim)
        keys = keys.transpose(1, 2)
        queries = queries.transpose(1, 2)
        values = values.transpose(1, 2)
        attn_scores = queries @ keys.transpose(2, 3)
        mask_bool = self.mask.bool()[:num_tokens, :num_tokens]
        attn_scores.masked_fill_(mask_bool, -torch.inf)
        attn_weights = torch.softmax(attn_scores / keys.shape[-1] ** 0.5, dim=-1)
        attn_weights = self.dropout(attn_weights)
        context_vec = (attn_weights @ values).transpose(1, 2)
        context_vec = context_vec.contiguous().view(b, num_tokens, self.d_out)
        return self.out_proj(context_vec)


# %% MultiHeadAttention: lower triangle in four dimensions, functional dropout
class MultiHeadAttention(nn.Module):
    def __init__(self, d_in, d_out, context_length, dropout, num_heads, qkv_bias=False):
        super().__init__()
        if num_heads < 1 or d_out % num_heads:
            raise ValueError("d_out must be divisible by num_heads")
        self.num_heads, self.p = num_heads, dropout
        self.W_query, self.W_key, self.W_value = (nn.Linear(d_in, d_out, bias=qkv_bias) for _ in range(3))
        self.out_proj = nn.Linear(d_out, d_out)
        visible = torch.tril(torch.ones(context_length, context_length))
        self.register_buffer("mask", visible.view(1, 1, context_length, context_length))

    def forward(self, x):
        B, T, _ = x.size()
        C = self.out_proj.in_features
        q = self.W_query(x).view(B, T, self.num_heads, C // self.num_heads).transpose(1, 2)
        k = self.W_key(x).view(B, T, self.num_heads, C // self.num_heads).transpose(1, 2)
        v = self.W_value(x).view(B, T, self.num_heads, C // self.num_heads).transpose(1, 2)
        att = (q @ k.transpose(-2, -1)) * (1.0 / math.sqrt(k.size(-1)))
        att = att.masked_fill(self.mask[:, :, :T, :T] == 0, float("-inf"))
        att = F.dropout(F.softmax(att, dim=-1), self.p, self.training)
        y = (att @ v).transpose(1, 2).contiguous().view(B, T, C)
        return self.out_proj(y)


# %% MultiHeadAttention: one packed product, heads flattened to bmm
class MultiHeadAttention(Layers):
    def __init__(self, d_in, d_out, context_length, dropout, num_heads, qkv_bias=False):
        super().__init__(d_in, d_out, context_length, dropout, num_heads, qkv_bias)
        self.register_buffer("mask", torch.ones(context_length, context_length, dtype=torch.int8).triu(1))

    def forward(self, x):
        b, t, _ = x.shape
        layers = (self.W_query, self.W_key, self.W_value)
        weight = torch.cat([layer.weight for layer in layers])
        bias = None if self.W_key.bias is None else torch.cat([layer.bias for layer in layers])
        packed = F.linear(x, weight, bias).view(b, t, 3, self.num_heads, self.head_dim)
        queries, keys, values = packed.permute(2, 0, 3, 1, 4).reshape(3, b * self.num_heads, t, self.head_dim)
        scores = torch.bmm(queries * self.head_dim**-0.5, keys.transpose(1, 2))
        scores = torch.where(self.mask[:t, :t] != 0, -math.inf, scores)
        context = torch.bmm(self.dropout(scores.softmax(-1)), values)
        context = context.view(b, self.num_heads, t, self.head_dim).swapaxes(1, 2)
        return self.out_proj(context.reshape(b, t, -1))


# %% MultiHeadAttention: a loop over slices of the projections
class MultiHeadAttention(Layers):
    def forward(self, x):
        t = x.shape[1]
        queries, keys, values = self.W_query(x), self.W_key(x), self.W_value(x)
        contexts = []
        for q, k, v in zip(*(projected.split(self.head_dim, dim=-1) for projected in (queries, keys, values))):
            scores = (q @ k.transpose(1, 2)).masked_fill(self.mask[:t, :t], float("-inf"))
            weights = self.dropout(torch.softmax(scores / self.head_dim**0.5, dim=-1))
            contexts.append(weights @ v)
        return self.out_proj(torch.cat(contexts, dim=-1))


# %% MultiHeadAttention: each head projected by itself, and added up
class MultiHeadAttention(Layers):
    def project(self, layer, x, rows):
        return F.linear(x, layer.weight[rows], None if layer.bias is None else layer.bias[rows])

    def forward(self, x):
        t = x.shape[1]
        output = self.out_proj.bias
        for head in range(self.num_heads):
            rows = slice(head * self.head_dim, (head + 1) * self.head_dim)
            q, k, v = (self.project(layer, x, rows) for layer in (self.W_query, self.W_key, self.W_value))
            scores = q @ k.mT / math.sqrt(self.head_dim)
            weights = torch.softmax(scores.masked_fill(self.mask[:t, :t], -torch.inf), dim=-1)
            output = output + self.dropout(weights) @ v @ self.out_proj.weight[:, rows].T
        return output


# %% MultiHeadAttention: its own functions of the earlier steps
def head_dim(d_out, num_heads):
    if num_heads < 1 or d_out % num_heads:
        raise ValueError(f"{num_heads} heads cannot share {d_out} numbers")
    return d_out // num_heads


def split_heads(x, num_heads):
    b, t, d_out = x.shape
    return x.view(b, t, num_heads, head_dim(d_out, num_heads))


def group_by_head(x):
    return x.transpose(1, 2)


def head_scores(queries, keys):
    return queries @ keys.transpose(-2, -1)


def head_weights(scores, head_dim):
    t = scores.shape[-1]
    hidden = torch.ones(t, t, dtype=torch.bool).triu(diagonal=1)
    return torch.softmax(scores.masked_fill(hidden, float("-inf")) / head_dim**0.5, dim=-1)


def head_context(weights, values):
    return weights @ values


def merge_heads(context):
    return context.transpose(1, 2).flatten(2)


class MultiHeadAttention(nn.Module):
    def __init__(self, d_in, d_out, context_length, dropout, num_heads, qkv_bias=False):
        super().__init__()
        self.num_heads = num_heads
        self.head_dim = head_dim(d_out, num_heads)
        self.W_query, self.W_key, self.W_value = (nn.Linear(d_in, d_out, bias=qkv_bias) for _ in range(3))
        self.out_proj = nn.Linear(d_out, d_out)
        self.dropout = nn.Dropout(dropout)
        self.register_buffer("mask", torch.ones(context_length, context_length).triu(1))

    def heads_of(self, projected):
        return group_by_head(split_heads(projected, self.num_heads))

    def forward(self, x):
        queries, keys, values = map(self.heads_of, (self.W_query(x), self.W_key(x), self.W_value(x)))
        weights = self.dropout(head_weights(head_scores(queries, keys), self.head_dim))
        return self.out_proj(merge_heads(head_context(weights, values)))


# %% MultiHeadAttention: a child of its own causal attention
class CausalAttention(nn.Module):
    def __init__(self, d_in, d_out, context_length, dropout, qkv_bias=False):
        super().__init__()
        self.W_query, self.W_key, self.W_value = (nn.Linear(d_in, d_out, bias=qkv_bias) for _ in range(3))
        self.dropout = nn.Dropout(dropout)
        self.register_buffer("mask", torch.triu(torch.ones(context_length, context_length), diagonal=1).bool())

    def attend(self, queries, keys, values):
        t = queries.shape[-2]
        scores = queries @ keys.transpose(-2, -1)
        masked = scores.masked_fill(self.mask[:t, :t], float("-inf"))
        return self.dropout(torch.softmax(masked / keys.shape[-1] ** 0.5, dim=-1)) @ values


class MultiHeadAttention(CausalAttention):
    def __init__(self, d_in, d_out, context_length, dropout, num_heads, qkv_bias=False):
        if num_heads < 1 or d_out % num_heads:
            raise ValueError("d_out must be divisible by num_heads")
        super().__init__(d_in, d_out, context_length, dropout, qkv_bias)
        self.out_proj = nn.Linear(d_out, d_out)
        self.num_heads = num_heads

    def forward(self, x):
        projected = (self.W_query(x), self.W_key(x), self.W_value(x))
        heads = (torch.stack(tensor.chunk(self.num_heads, dim=-1), dim=1) for tensor in projected)
        return self.out_proj(torch.cat(self.attend(*heads).unbind(1), dim=-1))


# %% MultiHeadAttention: a mask that grows, weights kept to look at
class MultiHeadAttention(Layers):
    def __init__(self, d_in, d_out, context_length, dropout, num_heads, qkv_bias=False):
        super().__init__(d_in, d_out, context_length, dropout, num_heads, qkv_bias)
        self.register_buffer("mask", torch.zeros(1, 1, dtype=torch.bool), persistent=False)

    def hidden(self, t):
        if len(self.mask) < t:
            self.mask = torch.ones(t, t, dtype=torch.bool, device=self.mask.device).triu(1)
        return self.mask[:t, :t]

    def forward(self, x):
        b, t, _ = x.shape
        shape = (b, t, self.num_heads, self.head_dim)
        queries = self.W_query(x).view(shape).transpose(1, 2)
        keys = self.W_key(x).view(shape).permute(0, 2, 3, 1)
        values = self.W_value(x).view(shape).transpose(1, 2)
        scores = torch.matmul(queries, keys) / self.head_dim**0.5
        scores = scores.masked_fill(self.hidden(t), float("-inf"))
        self.attention_weights = torch.softmax(scores, dim=-1)
        context = torch.matmul(self.dropout(self.attention_weights), values)
        return self.out_proj(torch.cat([context[:, head] for head in range(self.num_heads)], dim=-1))


# %% MultiHeadAttention: tokens flattened with view
class MultiHeadAttention(Layers):
    def forward(self, x):
        b, t, _ = x.shape
        q, k, v = (
            layer(x.view(b * t, -1)).view(b, t, self.num_heads, -1).transpose(1, 2)
            for layer in (self.W_query, self.W_key, self.W_value)
        )
        s = (q @ k.mT / self.head_dim**0.5).masked_fill(self.mask[:t, :t], -math.inf)
        return self.out_proj((self.dropout(s.softmax(-1)) @ v).transpose(1, 2).reshape(b, t, -1))


# %% MultiHeadAttention: a static method named like torch's function
class MultiHeadAttention(Layers):
    @staticmethod
    def scaled_dot_product_attention(q, k, v, mask, dropout):
        s = (q @ k.mT / q.shape[-1] ** 0.5).masked_fill(mask, -math.inf)
        return dropout(s.softmax(-1)) @ v

    def forward(self, x):
        b, t, _ = x.shape
        q, k, v = (
            layer(x).view(b, t, self.num_heads, -1).transpose(1, 2)
            for layer in (self.W_query, self.W_key, self.W_value)
        )
        c = MultiHeadAttention.scaled_dot_product_attention(q, k, v, self.mask[:t, :t], self.dropout)
        return self.out_proj(c.transpose(1, 2).reshape(b, t, -1))


# %% MultiHeadAttention: a helper module with a method named like torch's
class Attention(nn.Module):
    def scaled_dot_product(self, q, k, v, mask, dropout):
        s = (q @ k.mT / q.shape[-1] ** 0.5).masked_fill(mask, -math.inf)
        return dropout(s.softmax(-1)) @ v


class MultiHeadAttention(Layers):
    def __init__(self, d_in, d_out, context_length, dropout, num_heads, qkv_bias=False):
        super().__init__(d_in, d_out, context_length, dropout, num_heads, qkv_bias)
        self.attention = Attention()

    def forward(self, x):
        b, t, _ = x.shape
        q, k, v = (
            layer(x).view(b, t, self.num_heads, -1).transpose(1, 2)
            for layer in (self.W_query, self.W_key, self.W_value)
        )
        c = self.attention.scaled_dot_product(q, k, v, self.mask[:t, :t], self.dropout)
        return self.out_proj(c.transpose(1, 2).reshape(b, t, -1))


# %% MultiHeadAttention: the mask registered under another name as well
class MultiHeadAttention(Layers):
    def __init__(self, d_in, d_out, context_length, dropout, num_heads, qkv_bias=False):
        super().__init__(d_in, d_out, context_length, dropout, num_heads, qkv_bias)
        hidden = self._buffers.pop("mask")
        self.register_buffer("hidden", hidden)
        self.register_buffer("mask", hidden)

    def forward(self, x):
        b, t, _ = x.shape
        q, k, v = (
            layer(x).view(b, t, self.num_heads, -1).transpose(1, 2)
            for layer in (self.W_query, self.W_key, self.W_value)
        )
        s = (q @ k.mT / self.head_dim**0.5).masked_fill(self.mask[:t, :t], -math.inf)
        return self.out_proj((self.dropout(s.softmax(-1)) @ v).transpose(1, 2).reshape(b, t, -1))
