"""Part 2, correct in other ways than the reference: a cell holds ways to write one step."""

import math
from typing import NamedTuple

import torch
import torch.nn.functional as F
from torch import nn


# %% project_qkv: each return
def project_qkv(x, W_query, W_key, W_value):
    return [torch.matmul(x, W) for W in (W_query, W_key, W_value)]  # returned as a list
    return tuple(torch.einsum("...i,io->...o", x, W) for W in (W_query, W_key, W_value))  # einsum
    return F.linear(x, W_query.T), F.linear(x, W_key.T), F.linear(x, W_value.T)  # functional linear

    packed = x @ torch.cat([W_query, W_key, W_value], dim=1)
    return packed.split([W_query.shape[1], W_key.shape[1], W_value.shape[1]], dim=-1)  # one product, then split

    wide = x.double()
    return tuple((wide @ W.double()).to(x.dtype) for W in (W_query, W_key, W_value))  # float64 inside


# %% project_qkv: named tuple
class Projections(NamedTuple):
    queries: torch.Tensor
    keys: torch.Tensor
    values: torch.Tensor


def project_qkv(x, W_query, W_key, W_value):
    return Projections(x @ W_query, x @ W_key, x @ W_value)


# %% scores_for_query: each return
def scores_for_query(query, keys):
    return torch.einsum("d,td->t", query, keys)  # einsum
    return torch.stack([query.dot(key) for key in keys])  # stack of dot products
    return torch.mm(query.unsqueeze(0), keys.t()).squeeze(0)  # one row of a matrix product

    scores = keys.new_zeros(keys.shape[0])
    for d in range(query.shape[0]):
        scores += keys[:, d] * query[d]
    return scores  # columns of products added up in place


# %% attention_scores: each return
def attention_scores(queries, keys):
    return torch.einsum("...qd,...kd->...qk", queries, keys)  # einsum
    return torch.matmul(queries, keys.mT)  # mT
    return (queries.unsqueeze(-2) * keys.unsqueeze(-3)).sum(dim=-1)  # broadcast and sum
    return (keys @ queries.transpose(-1, -2)).transpose(-1, -2)  # transposed twice
    return (queries.double() @ keys.double().transpose(-2, -1)).to(queries.dtype)  # float64 inside

    flat_queries = queries.reshape(-1, *queries.shape[-2:])
    flat_keys = keys.reshape(-1, *keys.shape[-2:])
    scores = torch.bmm(flat_queries, flat_keys.transpose(1, 2))
    return scores.reshape(*queries.shape[:-1], keys.shape[-2])  # flattened to bmm


# %% scale_scores: each return
def scale_scores(scores, d_k):
    return scores * d_k**-0.5  # multiplied by the inverse root
    return torch.div(scores, math.sqrt(d_k))  # math.sqrt
    return scores / torch.tensor(d_k).sqrt()  # a tensor's root
    return torch.rsqrt(torch.tensor(d_k, dtype=scores.dtype)) * scores  # rsqrt of the scores' own dtype

    scaled = scores.clone()
    scaled /= math.sqrt(d_k)
    return scaled  # in place on a copy


# %% attention_weights: each return
def attention_weights(scaled_scores):
    return F.softmax(scaled_scores, dim=-1)  # functional softmax
    return nn.Softmax(dim=scaled_scores.dim() - 1)(scaled_scores)  # softmax module
    return F.log_softmax(scaled_scores, dim=-1).exp()  # exponential of log_softmax
    return torch.exp(scaled_scores - torch.logsumexp(scaled_scores, dim=-1, keepdim=True))  # logsumexp
    return scaled_scores.transpose(0, -1).softmax(dim=0).transpose(0, -1)  # keys moved to the front
    return torch.softmax(scaled_scores, dim=-1, dtype=torch.float64).to(scaled_scores.dtype)  # float64 inside

    exponentials = torch.exp(scaled_scores - scaled_scores.amax(dim=-1, keepdim=True))
    return exponentials / exponentials.sum(dim=-1, keepdim=True)  # by hand


# %% context_vectors: each return
def context_vectors(weights, values):
    return torch.einsum("...qk,...kd->...qd", weights, values)  # einsum
    return (weights.unsqueeze(-1) * values.unsqueeze(-3)).sum(dim=-2)  # broadcast and sum
    return torch.matmul(values.mT, weights.mT).mT  # transposed twice

    context = values.new_zeros(*weights.shape[:-1], values.shape[-1])
    for k in range(values.shape[-2]):
        context += weights[..., :, k, None] * values[..., None, k, :]
    return context  # key by key, in place


# %% scaled_dot_product_attention: each return
def scaled_dot_product_attention(queries, keys, values):
    scores = torch.einsum("...qd,...kd->...qk", queries, keys) / math.sqrt(keys.shape[-1])
    return torch.einsum("...qk,...kd->...qd", scores.softmax(dim=-1), values)  # einsum

    queries = queries * queries.shape[-1] ** -0.5
    return F.softmax(queries @ keys.mT, dim=-1) @ values  # queries scaled first

    q, k, v = (tensor.reshape(-1, *tensor.shape[-2:]) for tensor in (queries, keys, values))
    nothing = q.new_empty(())
    scores = torch.baddbmm(nothing, q, k.transpose(1, 2), beta=0, alpha=1 / math.sqrt(k.shape[-1]))
    return torch.bmm(torch.softmax(scores, dim=2), v).reshape(*queries.shape[:-1], values.shape[-1])

    scores = queries @ keys.transpose(-2, -1) / math.sqrt(keys.size(-1))
    exponentials = torch.exp(scores - scores.max(dim=-1, keepdim=True)[0])
    return (exponentials @ values) / exponentials.sum(dim=-1, keepdim=True)  # divided by the sum at the end

    largest = total = context = None
    for key, value in zip(keys.unbind(-2), values.unbind(-2)):
        score = (queries * key.unsqueeze(-2)).sum(-1, keepdim=True) / keys.shape[-1] ** 0.5
        if context is None:
            largest, total, context = score, torch.ones_like(score), value.unsqueeze(-2)
            continue
        higher = torch.maximum(largest, score)
        old, new = torch.exp(largest - higher), torch.exp(score - higher)
        context = context * old + new * value.unsqueeze(-2)
        total = total * old + new
        largest = higher
    return context / total  # a key at a time with the online softmax

    q, k, v = queries.double(), keys.double(), values.double()
    return (torch.softmax(q @ k.transpose(-2, -1) / k.shape[-1] ** 0.5, dim=-1) @ v).to(values.dtype)


# %% scaled_dot_product_attention: its own functions of the earlier steps
def attention_scores(queries, keys):
    return queries @ keys.transpose(-2, -1)


def scale_scores(scores, d_k):
    return scores / d_k**0.5


def attention_weights(scaled_scores):
    return torch.softmax(scaled_scores, dim=-1)


def context_vectors(weights, values):
    return weights @ values


def scaled_dot_product_attention(queries, keys, values):
    scores = scale_scores(attention_scores(queries, keys), keys.shape[-1])
    return context_vectors(attention_weights(scores), values)


# %% dot_product_variance: each return
def dot_product_variance(d_k, num_trials, scaled, generator):
    products = []
    for _ in range(num_trials):
        query = torch.randn(d_k, generator=generator)
        key = torch.randn(d_k, generator=generator)
        product = query @ key
        products.append(product / math.sqrt(d_k) if scaled else product)
    return torch.stack(products).var()  # pair by pair

    queries, keys = torch.randn(2, num_trials, d_k, generator=generator)
    products = torch.einsum("nd,nd->n", queries, keys)
    return torch.var(products / d_k**0.5 if scaled else products)  # queries and keys in one draw

    keys = torch.normal(0.0, 1.0, (num_trials, d_k), generator=generator)
    queries = torch.normal(0.0, 1.0, (num_trials, d_k), generator=generator)
    return (queries * keys).sum(-1).div(math.sqrt(d_k) if scaled else 1).var(unbiased=False)  # biased variance

    queries, keys = (torch.empty(num_trials, d_k).normal_(generator=generator) for _ in range(2))
    products = torch.bmm(queries.unsqueeze(1), keys.unsqueeze(2)).flatten()
    if scaled:
        products *= d_k**-0.5
    return (products**2).mean() - products.mean() ** 2  # mean square less square of the mean

    queries = torch.randn(d_k, num_trials, generator=generator)
    keys = torch.randn(d_k, num_trials, generator=generator)
    if scaled:
        queries = queries / torch.tensor(d_k).sqrt()
    return (queries * keys).sum(dim=0).std() ** 2  # queries scaled first


# %% SelfAttentionV1: setattr and einsum
class SelfAttentionV1(nn.Module):
    def __init__(self, d_in, d_out):
        super().__init__()
        for name in ("W_query", "W_key", "W_value"):
            setattr(self, name, nn.Parameter(torch.rand(d_in, d_out)))

    def forward(self, x):
        q, k, v = (torch.einsum("...ti,io->...to", x, W) for W in self.parameters())
        scores = torch.einsum("...qd,...kd->...qk", q, k) / math.sqrt(k.shape[-1])
        return torch.einsum("...qk,...kd->...qd", F.softmax(scores, dim=-1), v)


# %% SelfAttentionV1: registered and initialised
class SelfAttentionV1(nn.Module):
    def __init__(self, d_in, d_out):
        super().__init__()
        for name in ("W_query", "W_key", "W_value"):
            self.register_parameter(name, nn.Parameter(nn.init.uniform_(torch.empty(d_in, d_out))))

    def forward(self, x):
        q, k, v = (F.linear(x, W.T) for W in (self.W_query, self.W_key, self.W_value))
        return (q @ k.mT / k.size(-1) ** 0.5).softmax(-1) @ v


# %% SelfAttentionV1: one draw, a scale buffer and a softmax layer
class SelfAttentionV1(nn.Module):
    def __init__(self, d_in, d_out):
        super().__init__()
        drawn = torch.rand(3, d_in, d_out)
        self.W_query, self.W_key, self.W_value = (nn.Parameter(one.clone()) for one in drawn)
        self.register_buffer("scale", torch.tensor(d_out).sqrt(), persistent=False)
        self.softmax = nn.Softmax(dim=-1)

    def forward(self, x):
        packed = x @ torch.cat([self.W_query, self.W_key, self.W_value], dim=1)
        queries, keys, values = packed.chunk(3, dim=-1)
        return self.softmax(queries @ keys.transpose(-1, -2) / self.scale) @ values


# %% SelfAttentionV1: sentence by sentence
class SelfAttentionV1(nn.Module):
    def __init__(self, d_in, d_out):
        super().__init__()
        self.W_query, self.W_key, self.W_value = (nn.Parameter(torch.rand(d_in, d_out)) for _ in range(3))

    def forward(self, x):
        if x.dim() > 2:
            return torch.stack([self(sentence) for sentence in x])
        keys, values = x @ self.W_key, x @ self.W_value
        context = torch.zeros_like(values)
        for i, token in enumerate(x):
            scores = keys @ (token @ self.W_query) / keys.shape[1] ** 0.5
            context[i] = torch.softmax(scores, dim=0) @ values
        return context


# %% SelfAttentionV1: parameters kept in a list as well
class SelfAttentionV1(nn.Module):
    def __init__(self, d_in, d_out):
        super().__init__()
        self.matrices = nn.ParameterList([torch.rand(d_in, d_out) for _ in range(3)])
        self.W_query, self.W_key, self.W_value = self.matrices

    def forward(self, x):
        queries, keys, values = (x @ W for W in self.matrices)
        return torch.softmax(queries @ keys.transpose(-2, -1) / keys.shape[-1] ** 0.5, dim=-1) @ values


# %% SelfAttentionV2: one packed product, then chunk
class SelfAttentionV2(nn.Module):
    def __init__(self, d_in, d_out, qkv_bias=False):
        super().__init__()
        self.W_query, self.W_key, self.W_value = (nn.Linear(d_in, d_out, bias=qkv_bias) for _ in range(3))
        self.qkv_bias = qkv_bias

    def forward(self, x):
        layers = (self.W_query, self.W_key, self.W_value)
        weight = torch.cat([layer.weight for layer in layers])
        bias = torch.cat([layer.bias for layer in layers]) if self.qkv_bias else None
        queries, keys, values = F.linear(x, weight, bias).chunk(3, dim=-1)
        return F.softmax(queries @ keys.mT / math.sqrt(keys.shape[-1]), dim=-1) @ values


# %% SelfAttentionV2: bmm on a batch of its own
class SelfAttentionV2(nn.Module):
    def __init__(self, d_in, d_out, qkv_bias=False):
        super().__init__()
        self.d_out = d_out
        self.W_query, self.W_key, self.W_value = (nn.Linear(d_in, d_out, bias=qkv_bias) for _ in range(3))

    def forward(self, x):
        batch = x if x.dim() == 3 else x.unsqueeze(0)
        scores = torch.bmm(self.W_query(batch), self.W_key(batch).transpose(1, 2))
        context = torch.bmm((scores / self.d_out**0.5).softmax(2), self.W_value(batch))
        return context.view(*x.shape[:-1], self.d_out)


# %% SelfAttentionV2: layers kept in a dictionary as well
class SelfAttentionV2(nn.Module):
    def __init__(self, d_in, d_out, qkv_bias=False):
        super().__init__()
        names = ("W_query", "W_key", "W_value")
        self.layers = nn.ModuleDict({name: nn.Linear(d_in, d_out, bias=qkv_bias) for name in names})
        for name in names:
            setattr(self, name, self.layers[name])

    def forward(self, x):
        queries, keys, values = (layer(x) for layer in self.layers.values())
        return torch.softmax(queries @ keys.transpose(-2, -1) / keys.shape[-1] ** 0.5, dim=-1) @ values


# %% copy_weights: each return
def copy_weights(source, target):
    for name in ("W_query", "W_key", "W_value"):
        getattr(target, name).data.copy_(getattr(source, name).weight.data.T)
    return  # data copied

    target.W_query.data = source.W_query.weight.data.T.clone()
    target.W_key.data = source.W_key.weight.data.T.clone()
    target.W_value.data = source.W_value.weight.data.T.clone()
    return  # data replaced

    for name in ("W_query", "W_key", "W_value"):
        weight = getattr(source, name).weight
        setattr(target, name, nn.Parameter(weight.detach().t().contiguous().clone()))
    return  # new parameters

    turned = {name.removesuffix(".weight"): weight.T for name, weight in source.state_dict().items()}
    target.load_state_dict(turned)
    return  # state dict

    with torch.no_grad():
        for name in ("W_query", "W_key", "W_value"):
            for column, row in enumerate(getattr(source, name).weight):
                getattr(target, name)[:, column] = row
    return  # row by row

    with torch.no_grad():
        for parameter, layer in zip(target.parameters(), source.children()):
            numbers = list(zip(*layer.weight.tolist()))
            parameter.copy_(torch.tensor(numbers, dtype=parameter.dtype))
    return  # through Python lists

    turned = [getattr(source, name).weight.detach().T.flatten() for name in ("W_query", "W_key", "W_value")]
    nn.utils.vector_to_parameters(torch.cat(turned), target.parameters())
    return  # vector to parameters


# %% self_attention_loops: each return
def self_attention_loops(x, W_query, W_key, W_value):
    keys = [token @ W_key for token in x]
    values = [token @ W_value for token in x]
    rows = []
    for token in x:
        query = token @ W_query
        scores = [torch.dot(query, key) / math.sqrt(len(query)) for key in keys]
        largest = max(scores)
        exponentials = [torch.exp(score - largest) for score in scores]
        total = sum(exponentials)
        rows.append(sum(weight / total * value for weight, value in zip(exponentials, values)))
    return torch.stack(rows)  # nothing but loops

    widths = [W_query.shape[1], W_key.shape[1], W_value.shape[1]]
    queries, keys, values = (x @ torch.cat([W_query, W_key, W_value], dim=1)).split(widths, dim=1)
    contexts = [torch.softmax(keys @ query / keys.shape[-1] ** 0.5, dim=-1) @ values for query in queries]
    return torch.stack(contexts)  # one projection for queries, keys and values

    keys, values = x @ W_key, x @ W_value
    context = torch.empty_like(values)
    for i in range(x.shape[0]):
        scores = torch.einsum("d,td->t", x[i] @ W_query, keys)
        weights = F.softmax(scores.mul_(W_key.shape[1] ** -0.5), dim=-1)
        context[i] = torch.einsum("t,td->d", weights, values)
    return context  # filled in place

    queries, keys, values = (x.double() @ W.double() for W in (W_query, W_key, W_value))
    contexts = [torch.softmax(keys @ query / keys.shape[1] ** 0.5, 0) @ values for query in queries]
    return torch.stack(contexts).to(x.dtype)  # float64 inside


# %% self_attention_columns: each return
def self_attention_columns(H, W_query, W_key, W_value):
    Q, K, V = (torch.einsum("di,it->dt", W, H) for W in (W_query, W_key, W_value))
    weights = torch.softmax(torch.einsum("dk,dq->kq", K, Q) / math.sqrt(K.shape[0]), dim=0)
    return torch.einsum("dk,kq->dq", V, weights)  # einsum

    K, V = W_key @ H, W_value @ H
    columns = []
    for h in H.unbind(dim=1):
        scores = K.T @ (W_query @ h) / W_key.shape[0] ** 0.5
        columns.append(V @ torch.softmax(scores, dim=0))
    return torch.stack(columns, dim=1)  # column by column

    Q, K, V = torch.cat([W_query, W_key, W_value]).matmul(H).split([len(W_query), len(W_key), len(W_value)])
    return V @ torch.softmax(Q.T @ K / len(K) ** 0.5, dim=1).T  # scores of rows, transposed
