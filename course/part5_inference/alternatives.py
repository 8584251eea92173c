"""Part 5, correct in other ways than the reference: a cell holds ways to write one step."""

import itertools
import math
from collections import deque
from dataclasses import dataclass, field

import torch
import torch.nn.functional as F
from torch import nn


# %% causal_mask_with_past: each return
def causal_mask_with_past(num_new, num_past):
    return torch.tensor([[key > num_past + i for key in range(num_past + num_new)] for i in range(num_new)])

    queries = torch.arange(num_past, num_past + num_new)
    keys = torch.arange(num_past + num_new)
    return keys.unsqueeze(0) > queries.unsqueeze(1)  # positions compared

    past = torch.zeros(num_new, num_past, dtype=torch.bool)
    new = torch.ones(num_new, num_new, dtype=torch.bool).triu(diagonal=1)
    return torch.cat([past, new], dim=1)  # a past that hides nothing, joined to the usual mask

    new = torch.triu(torch.ones(num_new, num_new), diagonal=1)
    return F.pad(new, (num_past, 0)).bool()  # padded on the left

    total = num_past + num_new
    return torch.ones(total, total).triu(1)[num_past:] == 1  # the last rows of the whole mask

    seen = torch.ones(num_new, num_past + num_new, dtype=torch.bool)
    return ~torch.tril(seen, diagonal=num_past)  # not what is seen

    mask = torch.zeros((num_new, num_past + num_new), dtype=torch.bool)
    for i in range(num_new):
        mask[i, num_past + i + 1 :] = True
    return mask  # filled row by row

    steps = torch.ones(num_new, num_past + num_new).cumsum(1) - 1
    return (steps - num_past - torch.arange(num_new).view(-1, 1)).gt(0)  # how many steps until a key is seen


# %% KVCache: lists of chunks
class KVCache:
    def __init__(self):
        self.keys, self.values = [], []

    def append(self, keys, values):
        self.keys.append(keys)
        self.values.append(values)
        return torch.cat(self.keys, dim=2), torch.cat(self.values, dim=2)

    def __len__(self):
        return sum(chunk.shape[2] for chunk in self.keys)


# %% KVCache: joined to an empty tensor
class KVCache:
    def __init__(self):
        self.keys = torch.tensor([])
        self.values = torch.tensor([])
        self.length = 0

    def append(self, keys, values):
        self.keys = torch.cat([self.keys.to(keys.dtype), keys], dim=-2)
        self.values = torch.cat([self.values.to(values.dtype), values], dim=-2)
        self.length += keys.size(-2)
        return [self.keys, self.values]

    def __len__(self):
        return self.length


# %% KVCache: a buffer that doubles when it is full
class KVCache:
    def __init__(self):
        self.buffer = None
        self.length = 0

    def append(self, keys, values):
        new = torch.stack([keys, values])
        end = self.length + keys.shape[2]
        if self.buffer is None:
            self.buffer = new.new_zeros(*new.shape[:3], 4, new.shape[4])
        while self.buffer.shape[3] < end:
            self.buffer = torch.cat([self.buffer, 0 * self.buffer], dim=3)
        self.buffer[:, :, :, self.length : end] = new
        self.length = end
        return self.buffer[0, :, :, :end], self.buffer[1, :, :, :end]

    def __len__(self):
        return self.length


# %% KVCache: a new buffer at every call
class KVCache:
    keys = values = None

    def __init__(self):
        pass

    def append(self, keys, values):
        self.keys = self._longer(self.keys, keys)
        self.values = self._longer(self.values, values)
        return self.keys, self.values

    def _longer(self, old, new):
        b, h, t, hd = new.shape
        buffer = torch.empty(b, h, len(self) + t, hd, dtype=new.dtype)
        if old is not None:
            buffer[:, :, :-t] = old
        buffer[:, :, -t:] = new
        return buffer

    def __len__(self):
        return 0 if self.values is None else self.values.shape[2]


# %% KVCache: token by token in a deque
class KVCache:
    def __init__(self):
        self.tokens = deque()

    def append(self, keys, values):
        self.tokens.extend(zip(keys.unbind(2), values.unbind(2)))
        all_keys, all_values = zip(*self.tokens)
        return torch.stack(all_keys, dim=2), torch.stack(all_values, dim=2)

    def __len__(self):
        return len(self.tokens)


# %% KVCache: a dataclass
@dataclass
class KVCache:
    chunks: list = field(default_factory=list)

    def append(self, keys, values):
        self.chunks = [*self.chunks, (keys.clone(), values.clone())]
        all_keys, all_values = map(list, zip(*self.chunks))
        return torch.cat(all_keys, 2), torch.cat(all_values, 2)

    def __len__(self):
        return sum(keys.size(2) for keys, _ in self.chunks)


# %% KVCache: a module
class KVCache(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("keys", None)
        self.register_buffer("values", None)

    def append(self, keys, values):
        if len(self) > 0:
            keys = torch.cat([self.keys, keys], dim=2)
            values = torch.cat([self.values, values], dim=2)
        self.keys, self.values = keys, values
        return self.keys, self.values

    def __len__(self):
        return 0 if self.keys is None else self.keys.shape[2]


# %% KVCache: a list itself
class KVCache(list):
    def append(self, keys, values):
        for token in range(keys.shape[2]):
            super().append((keys[:, :, token], values[:, :, token]))
        return tuple(torch.stack(kept, dim=2) for kept in zip(*self))


# %% attend_with_cache: its own function of the earlier step
def causal_mask_with_past(num_new, num_past):
    places = torch.arange(num_past + num_new)
    return places > places[num_past:, None]


def attend_with_cache(queries, keys, values, cache):
    hidden = causal_mask_with_past(queries.shape[-2], len(cache))
    keys, values = cache.append(keys, values)
    scores = queries @ keys.mT / math.sqrt(keys.shape[-1])
    return scores.masked_fill(hidden, -math.inf).softmax(-1) @ values


# %% attend_with_cache: each return
def attend_with_cache(queries, keys, values, cache):
    t = keys.shape[2]
    all_keys, all_values = cache.append(keys=keys, values=values)
    past = len(cache) - t
    scores = torch.einsum("bhqd,bhkd->bhqk", queries, all_keys)
    visible = torch.ones(t, past + t).tril(diagonal=past)
    scores = scores.masked_fill(visible == 0, float("-inf"))
    weights = F.softmax(scores / queries.shape[-1] ** 0.5, dim=-1)
    return torch.einsum("bhqk,bhkd->bhqd", weights, all_values)  # einsum, and the length of the past afterwards

    new = queries.shape[2]
    all_keys, all_values = cache.append(keys, values)
    scores = torch.matmul(queries, all_keys.transpose(-1, -2))
    total = scores.shape[-1]
    future = torch.full((total, total), -torch.inf).triu(1)[-new:]
    scores = scores * queries.shape[-1] ** -0.5 + future.to(scores.dtype)
    return torch.matmul(nn.Softmax(dim=3)(scores), all_values)  # without the length of the cache

    context = []
    for i in range(queries.shape[2]):
        seen = cache.append(keys[:, :, i : i + 1], values[:, :, i : i + 1])
        query = queries[:, :, i : i + 1] / queries.shape[3] ** 0.5
        weights = torch.softmax(query @ seen[0].transpose(2, 3), dim=-1)
        context.append(weights @ seen[1])
    return torch.cat(context, dim=2)  # token by token

    t, past = queries.shape[2], len(cache)
    all_keys, all_values = cache.append(keys, values)
    scaled = queries / queries.shape[3] ** 0.5
    before = scaled @ all_keys[:, :, :past].transpose(2, 3)
    now = scaled @ keys.transpose(2, 3)
    now = now.masked_fill(torch.ones(t, t).triu(1).bool(), -math.inf)
    scores = torch.cat([before, now], dim=3)
    exponentials = (scores - scores.amax(-1, keepdim=True)).exp()
    return exponentials @ all_values / exponentials.sum(-1, keepdim=True)  # past and new apart, softmax by hand


# %% repeat_kv: each return
def repeat_kv(x, groups):
    return torch.stack([x] * groups, dim=2).flatten(1, 2)  # stacked and flattened
    return torch.stack([x[:, i // groups] for i in range(x.size(1) * groups)], dim=1)  # head by head from its group

    b, kv, t, hd = x.shape
    x = x[:, :, None, :, :].expand(b, kv, groups, t, hd)
    return x.reshape(b, kv * groups, t, hd)  # expand and reshape

    heads = torch.arange(x.shape[1] * groups) // groups
    return x[:, heads]  # picked by index

    b, kv, t, hd = x.shape
    repeated = x.new_zeros(b, kv * groups, t, hd)
    for group in range(groups):
        repeated[:, group::groups] = x
    return repeated  # filled in place

    rounds = x.repeat(1, groups, 1, 1).unflatten(1, (groups, -1))
    return rounds.transpose(1, 2).flatten(1, 2)  # repeated, then ordered

    ones = torch.ones(groups, dtype=x.dtype)
    return torch.einsum("bktd,g->bkgtd", x, ones).flatten(1, 2)  # einsum with ones

    copies = torch.eye(x.shape[1], dtype=x.dtype).repeat_interleave(groups, 0)
    return torch.tensordot(copies, x, dims=([1], [1])).movedim(0, 1)  # a matrix that copies


# %% grouped_query_attention: its own function of the earlier step
def repeat_kv(x, groups):
    return x.unsqueeze(2).repeat(1, 1, groups, 1, 1).flatten(1, 2)


def grouped_query_attention(queries, keys, values):
    h, t, hd = queries.shape[1:]
    keys = repeat_kv(keys, h // keys.shape[1])
    values = repeat_kv(values, h // values.shape[1])
    scores = torch.matmul(queries, keys.mT) / math.sqrt(hd)
    hidden = ~torch.ones(t, t, dtype=torch.bool).tril()
    scores = scores.masked_fill(hidden, -math.inf)
    return torch.matmul(F.softmax(scores, dim=-1), values)


# %% grouped_query_attention: each return
def grouped_query_attention(queries, keys, values):
    b, h, t, hd = queries.shape
    kv = keys.shape[1]
    grouped = queries.view(b, kv, h // kv, t, hd)
    scores = grouped @ keys.unsqueeze(2).transpose(-2, -1)
    hidden = torch.triu(torch.ones(t, t), diagonal=1).bool()
    weights = torch.softmax(scores.masked_fill(hidden, float("-inf")) / hd**0.5, dim=-1)
    return (weights @ values.unsqueeze(2)).reshape(b, h, t, hd)  # queries grouped, keys broadcast

    grouped = queries.unflatten(1, (keys.shape[1], -1))
    scores = torch.einsum("bkgqd,bksd->bkgqs", grouped, keys)
    future = torch.full(scores.shape[-2:], -torch.inf).triu(1)
    scores = scores / queries.shape[-1] ** 0.5 + future.to(scores.dtype)
    weights = scores.softmax(dim=-1)
    return torch.einsum("bkgqs,bksd->bkgqd", weights, values).flatten(1, 2)  # einsum over groups

    b, h, t, hd = queries.shape
    long = queries.reshape(b, keys.shape[1], -1, hd)
    scores = long @ keys.transpose(2, 3) / hd**0.5
    places = torch.arange(t)
    hidden = places[None] > places.repeat(h // keys.shape[1])[:, None]
    weights = torch.softmax(scores.masked_fill(hidden, -torch.inf), dim=-1)
    return (weights @ values).reshape(b, h, t, hd)  # a group as a longer sentence


# %% rotate: each return
def rotate(x, positions, base=10000.0):
    hd = x.shape[-1]
    speeds = 1.0 / base ** (torch.arange(0, hd, 2, dtype=x.dtype) / hd)
    angles = torch.outer(positions.to(x.dtype), speeds)
    turns = torch.polar(torch.ones_like(angles), angles)
    pairs = torch.view_as_complex(x.reshape(*x.shape[:-1], hd // 2, 2))
    return torch.view_as_real(pairs * turns).flatten(-2)  # complex numbers

    hd = x.shape[-1]
    pair = torch.arange(hd // 2, dtype=x.dtype)
    angles = positions.to(x.dtype)[:, None] * base ** (-2 * pair / hd)
    cos, sin = torch.cos(angles), torch.sin(angles)
    rows = [torch.stack([cos, -sin], -1), torch.stack([sin, cos], -1)]
    matrices = torch.stack(rows, dim=-2)
    pairs = x.unflatten(-1, (hd // 2, 2)).unsqueeze(-1)
    return (matrices @ pairs).squeeze(-1).flatten(-2)  # a matrix for each pair

    hd = x.size(-1)
    speeds = base ** (-torch.arange(0, hd, 2).to(x.dtype) / hd)
    angles = (positions.view(-1, 1) * speeds).repeat_interleave(2, dim=-1)
    crossed = torch.stack((-x[..., 1::2], x[..., ::2]), dim=-1)
    return x * angles.cos() + crossed.view(x.shape) * angles.sin()

    hd = x.shape[-1]
    skew = torch.zeros(hd, hd, dtype=torch.float64)
    for i in range(0, hd, 2):
        skew[i, i + 1] = -(base ** (-i / hd))
        skew[i + 1, i] = base ** (-i / hd)
    turns = torch.linalg.matrix_exp(positions.view(-1, 1, 1) * skew)
    turned = turns @ x.double().unsqueeze(-1)
    return turned.squeeze(-1).to(x.dtype)  # the exponential of a skew matrix

    half = x.shape[-1] // 2
    speeds = torch.exp(torch.arange(half, dtype=torch.float64) * (-math.log(base) / half))
    angles = torch.einsum("t,i->ti", positions.double(), speeds).to(x.dtype)
    first, second = x.unflatten(-1, (half, 2)).unbind(dim=-1)
    cos, sin = angles.cos(), angles.sin()
    turned = x.clone()
    turned[..., 0::2] = first * cos - second * sin
    turned[..., 1::2] = second * cos + first * sin
    return turned  # logarithm of the base, chunks of pairs


# %% latent_attention: each return
def latent_attention(x, W_query, W_down, W_up_key, W_up_value, num_heads):
    if num_heads <= 0 or W_query.shape[-1] % num_heads != 0:
        raise ValueError("num_heads must divide d_out")
    hd = W_query.shape[-1] // num_heads
    latent = torch.einsum("btd,dr->btr", x, W_down)
    queries = torch.einsum("btd,dhe->bhte", x, W_query.unflatten(1, (num_heads, hd)))
    keys = torch.einsum("btr,rhe->bhte", latent, W_up_key.unflatten(1, (num_heads, hd)))
    values = torch.einsum("btr,rhe->bhte", latent, W_up_value.unflatten(1, (num_heads, hd)))
    scores = torch.einsum("bhqe,bhke->bhqk", queries, keys) / math.sqrt(hd)
    hidden = torch.ones(scores.shape[-2:]).triu(1).bool()
    weights = scores.masked_fill(hidden, -math.inf).softmax(dim=-1)
    return torch.einsum("bhqk,bhke->bqhe", weights, values).flatten(2)  # einsum, heads in every product

    if num_heads < 1 or W_up_key.shape[1] % num_heads:
        raise ValueError(f"{num_heads} heads do not fit")
    latent = x @ W_down
    t = x.shape[1]
    context = []
    for W_q, W_k, W_v in zip(
        W_query.chunk(num_heads, dim=1), W_up_key.chunk(num_heads, dim=1), W_up_value.chunk(num_heads, dim=1)
    ):
        queries, keys, values = x @ W_q, latent @ W_k, latent @ W_v
        scores = queries @ keys.transpose(-2, -1) / W_q.shape[1] ** 0.5
        visible = torch.ones(t, t).tril() == 1
        scores = torch.where(visible, scores, float("-inf"))
        context.append(F.softmax(scores, dim=-1) @ values)
    return torch.cat(context, dim=-1)  # head by head

    if num_heads < 1 or W_query.shape[1] % num_heads:
        raise ValueError("uneven heads")
    b, t, _ = x.shape
    latent = torch.matmul(x, W_down).unsqueeze(1)
    queries = (x @ W_query).view(b, t, num_heads, -1).transpose(1, 2)
    up_key = W_up_key.view(len(W_up_key), num_heads, -1).permute(1, 2, 0)
    up_value = W_up_value.view(len(W_up_value), num_heads, -1).transpose(0, 1)
    scores = queries @ up_key @ latent.transpose(2, 3)
    future = torch.full((t, t), -torch.inf).triu(1).to(scores.dtype)
    weights = torch.softmax(scores / queries.shape[3] ** 0.5 + future, dim=-1)
    return (weights @ latent @ up_value).transpose(1, 2).reshape(b, t, -1)  # absorbed on both sides

    if num_heads not in range(1, W_query.shape[1] + 1):
        raise ValueError("d_out must be divisible by num_heads")
    hd, rest = divmod(W_query.shape[1], num_heads)
    if rest:
        raise ValueError("d_out must be divisible by num_heads")
    W_key, W_value = W_down @ W_up_key, W_down @ W_up_value

    def by_head(projected):
        return torch.stack(projected.split(hd, dim=-1), dim=1)

    queries, keys, values = (by_head(x @ W) for W in (W_query, W_key, W_value))
    scores = queries @ keys.mT * hd**-0.5
    places = torch.arange(x.shape[1])
    scores = scores.masked_fill(places > places[:, None], -torch.inf)
    return torch.cat((scores.softmax(-1) @ values).unbind(1), dim=-1)  # up-projection folded into the down-projection

    if num_heads <= 0:
        raise ValueError("there must be a head")
    if W_query.shape[1] % num_heads > 0:
        raise ValueError("d_out must be divisible by num_heads")
    cached, context = [], []
    for token in x.unbind(dim=1):
        cached.append(token @ W_down)
        latent = torch.stack(cached, dim=1)
        query = (token @ W_query).unflatten(-1, (num_heads, -1))
        keys = (latent @ W_up_key).unflatten(-1, (num_heads, -1))
        values = (latent @ W_up_value).unflatten(-1, (num_heads, -1))
        scores = (query[:, None] * keys).sum(-1) / query.shape[-1] ** 0.5
        weights = torch.softmax(scores, dim=1)
        context.append((weights[..., None] * values).sum(1).flatten(1))
    return torch.stack(context, dim=1)  # token by token, with a cache of latent vectors


# %% absorbed_scores: each return
def absorbed_scores(queries, latent, W_up_key):
    up = W_up_key.unflatten(1, (queries.shape[1], queries.shape[3]))
    absorbed = torch.einsum("bhqe,rhe->bhqr", queries, up)
    return torch.einsum("bhqr,bkr->bhqk", absorbed, latent)  # einsum

    hd = queries.shape[3]
    scores = []
    for head in range(queries.shape[1]):
        up = W_up_key[:, head * hd : (head + 1) * hd]
        absorbed = queries[:, head] @ up.T
        scores.append(absorbed @ latent.transpose(1, 2))
    return torch.stack(scores, dim=1)  # head by head

    up = torch.stack(W_up_key.chunk(queries.shape[1], dim=1))
    columns = up @ queries.transpose(-2, -1)
    return (latent.unsqueeze(1) @ columns).mT  # the latent first, transposed

    b, h, t, hd = queries.shape
    up = W_up_key.T.reshape(h, hd, -1).contiguous()
    flat = queries.transpose(0, 1).reshape(h, b * t, hd)
    absorbed = torch.bmm(flat, up).view(h, b, t, -1).transpose(0, 1)
    longer = absorbed.reshape(b, h * t, -1)
    return torch.bmm(longer, latent.transpose(1, 2)).view(b, h, t, t)  # bmm

    up = W_up_key.unflatten(1, (queries.shape[1], -1)).transpose(0, 1)

    def one_head(query, head_up, one_latent):
        return query @ head_up.T @ one_latent.T

    one_sentence = torch.vmap(one_head, in_dims=(0, 0, None))
    return torch.vmap(one_sentence, in_dims=(0, None, 0))(queries, up, latent)  # vmap

    b, h, t, hd = queries.shape
    up = W_up_key.double().view(-1, h, hd)
    rows = []
    for query in queries.double().unbind(dim=2):
        absorbed = (up * query[:, None]).sum(dim=-1)
        rows.append(absorbed.transpose(1, 2) @ latent.double().mT)
    return torch.stack(rows, dim=2).to(queries.dtype)  # query by query, float64 inside


# %% online_softmax_stats: each return
def online_softmax_stats(scores, block_size):
    first, *others = scores.split(block_size, dim=-1)
    maximum = first.amax(-1)
    safe = torch.where(maximum == -torch.inf, 0, maximum)
    total = (first - safe.unsqueeze(-1)).exp().sum(-1)
    for block in others:
        higher = torch.maximum(maximum, block.amax(-1))
        safe = torch.where(higher == -torch.inf, 0, higher)
        total = total * torch.exp(maximum - safe)
        total = total + torch.exp(block - safe.unsqueeze(-1)).sum(-1)
        maximum = higher
    return maximum, total  # the first block to begin with

    lowest = torch.finfo(scores.dtype).min
    maxima, totals = [], []
    for block in scores.split(block_size, dim=-1):
        maxima.append(block.max(dim=-1).values.clamp(min=lowest))
        totals.append((block - maxima[-1][..., None]).exp().sum(dim=-1))
    maximum = torch.stack(maxima).max(dim=0).values
    corrected = [total * torch.exp(own - maximum) for own, total in zip(maxima, totals)]
    return maximum, torch.stack(corrected).sum(dim=0)  # statistics of blocks merged

    if scores.dim() > 1:
        rows = [online_softmax_stats(row, block_size) for row in scores]
        maxima, totals = zip(*rows)
        return torch.stack(maxima), torch.stack(totals)
    maximum = total = None
    for block in torch.split(scores, block_size):
        if torch.isneginf(block).all():
            continue
        own = block.max()
        own_total = (block - own).exp().sum()
        if maximum is None:
            maximum, total = own, own_total
        elif own > maximum:
            total = total * (maximum - own).exp() + own_total
            maximum = own
        else:
            total = total + own_total * (own - maximum).exp()
    return maximum, total  # blocks of nothing left out

    lowest = torch.finfo(scores.dtype).min
    maximum = torch.full(scores.shape[:-1], lowest, dtype=scores.dtype)
    log_total = maximum
    for block in scores.split(block_size, dim=-1):
        higher = torch.maximum(maximum, block.amax(dim=-1))
        log_total = (log_total + (maximum - higher)).clamp(min=lowest)
        for score in block.unbind(dim=-1):
            log_total = torch.logaddexp(log_total, score - higher)
        maximum = higher
    return maximum, log_total.exp()  # the sum kept as a logarithm

    rows = scores.double().flatten(0, -2) if scores.dim() > 1 else scores.double()[None]
    maximum = rows.new_full((len(rows), 1), torch.finfo(torch.float64).min)
    total = torch.zeros_like(maximum)
    start = 0
    while start < rows.shape[1]:
        block = rows[:, start : start + block_size]
        higher = torch.cat([maximum, block], dim=1).amax(dim=1, keepdim=True)
        total *= torch.exp(maximum - higher)
        total += torch.exp(block - higher).sum(dim=1, keepdim=True)
        maximum = higher
        start += block_size
    shape = scores.shape[:-1]
    return tuple(found.view(shape).to(scores.dtype) for found in (maximum, total))  # float64 inside, in place


# %% flash_attention: each return
def flash_attention(queries, keys, values, block_size, causal):

    scaled = queries * queries.shape[-1] ** -0.5
    context = []
    for some, top in zip(scaled.split(block_size, dim=-2), itertools.count(0, block_size)):
        end = top + some.shape[-2] if causal else keys.shape[-2]
        best, total, mixed = torch.tensor(-math.inf, dtype=some.dtype), 0, 0
        for left in range(0, end, block_size):
            right = min(left + block_size, end)
            scores = some @ keys[..., left:right, :].transpose(-1, -2)
            if causal and right > top:
                hidden = torch.ones_like(scores).triu(top - left + 1).bool()
                scores = scores.masked_fill(hidden, -math.inf)
            higher = torch.maximum(best, scores.amax(-1, keepdim=True))
            weights = (scores - higher).exp()
            total = total * (best - higher).exp()
            total = total + weights.sum(-1, keepdim=True)
            mixed = mixed * (best - higher).exp()
            mixed = mixed + weights @ values[..., left:right, :]
            best = higher
        context.append(mixed / total)
    return torch.cat(context, dim=-2)  # tiles above the diagonal left out

    shape = (*queries.shape[:-1], 1)
    maximum = torch.full(shape, -1e30, dtype=queries.dtype)
    total = torch.zeros(shape, dtype=queries.dtype)
    context = torch.zeros(*queries.shape[:-1], values.shape[-1], dtype=queries.dtype)
    rows = torch.arange(queries.shape[-2])[:, None]
    columns = torch.arange(keys.shape[-2])[None, :]
    for tile, tile_values, places in zip(
        keys.split(block_size, -2), values.split(block_size, -2), columns.split(block_size, 1)
    ):
        scores = torch.einsum("...qd,...kd->...qk", queries, tile) / tile.shape[-1] ** 0.5
        if causal:
            scores = torch.where(places > rows, -torch.inf, scores)
        tile_maximum = scores.max(dim=-1, keepdim=True).values.clamp(min=-1e30)
        weights = torch.exp(scores - tile_maximum)
        tile_total = weights.sum(dim=-1, keepdim=True)
        higher = torch.maximum(maximum, tile_maximum)
        old, new = torch.exp(maximum - higher), torch.exp(tile_maximum - higher)
        all_together = old * total + new * tile_total
        context = (total * old * context + new * (weights @ tile_values)) / all_together
        maximum, total = higher, all_together
    return context  # the context always divided, as in the paper

    tq, tk = queries.shape[-2], keys.shape[-2]
    logs, contexts = [], []
    for start in range(0, tk, block_size):
        end = min(start + block_size, tk)
        scores = queries @ keys[..., start:end, :].mT / queries.shape[-1] ** 0.5
        if causal:
            visible = torch.ones(tq, end - start).tril(-start).bool()
            scores = scores.masked_fill(~visible, torch.finfo(scores.dtype).min / 2)
        logs.append(scores.logsumexp(dim=-1, keepdim=True))
        weights = torch.softmax(scores, dim=-1)
        contexts.append(weights @ values[..., start:end, :])
    log_total = logs[0]
    for log in logs[1:]:
        log_total = torch.logaddexp(log_total, log)
    return sum(torch.exp(log - log_total) * context for log, context in zip(logs, contexts))

    tq, tk = queries.shape[-2], keys.shape[-2]
    missing = -tk % block_size
    keys = F.pad(keys, (0, 0, 0, missing))
    values = F.pad(values, (0, 0, 0, missing))
    highest = queries.new_full(queries.shape[:-1], torch.finfo(queries.dtype).min)
    total = torch.zeros_like(highest)
    context = queries.new_zeros(queries.shape[:-1] + values.shape[-1:])
    for start in range(0, tk + missing, block_size):
        tile = slice(start, start + block_size)
        places = torch.arange(start, start + block_size)
        scores = torch.matmul(queries, keys[..., tile, :].transpose(-2, -1))
        scores = (scores / math.sqrt(queries.shape[-1])).masked_fill(places >= tk, float("-inf"))
        if causal:
            scores = scores.masked_fill(places.view(1, -1) > torch.arange(tq).view(-1, 1), float("-inf"))
        new_highest = torch.maximum(highest, scores.max(-1).values)
        weights = torch.exp(scores - new_highest.unsqueeze(-1))
        correction = torch.exp(highest - new_highest)
        total = total * correction + weights.sum(-1)
        context = context * correction.unsqueeze(-1)
        context = context + torch.matmul(weights, values[..., tile, :])
        highest = new_highest
    return context / total.unsqueeze(-1)  # the last tile filled up

    places = torch.arange(queries.shape[-2]).unsqueeze(-1)
    maximum = torch.full_like(queries[..., :1], -math.inf)
    total = torch.zeros_like(maximum)
    context = total * values[..., :1, :]
    for j in range(keys.shape[-2]):
        score = (queries * keys[..., j : j + 1, :]).sum(-1, keepdim=True)
        score = score / queries.shape[-1] ** 0.5
        if causal:
            score = score.masked_fill(places < j, -math.inf)
        higher = torch.maximum(maximum, score).detach()
        correction, weight = (maximum - higher).exp(), (score - higher).exp()
        total = total * correction + weight
        context = context * correction + weight * values[..., j : j + 1, :]
        maximum = higher
    return context / total  # key by key

    scaled = queries / queries.shape[-1] ** 0.5
    one = torch.ones_like(values[..., :1])
    values = torch.cat([values, one], dim=-1)
    running = torch.zeros_like(queries[..., :1] * values[..., :1, :])
    maximum = torch.full_like(running[..., :1], -1e30)
    for start in range(0, keys.shape[-2], block_size):
        scores = scaled @ keys[..., start : start + block_size, :].mT
        if causal:
            mask = torch.ones(scores.shape[-2:], dtype=torch.bool)
            scores.masked_fill_(~mask.tril_(diagonal=-start), -math.inf)
        higher = torch.maximum(maximum, scores.detach().amax(dim=-1, keepdim=True))
        running *= (maximum - higher).exp()
        running += (scores - higher).exp() @ values[..., start : start + block_size, :]
        maximum = higher
    return running[..., :-1] / running[..., -1:]  # a maximum without gradient, sums written in place


# %% sliding_window_mask: each return
def sliding_window_mask(num_tokens, window):
    places = torch.arange(num_tokens)
    distance = places[:, None] - places[None, :]
    return (distance < 0) | (distance >= window)  # distances

    ones = torch.ones(num_tokens, num_tokens)
    seen = ones.tril() - ones.tril(diagonal=-window)
    return seen == 0  # not what is seen

    mask = torch.ones(num_tokens, num_tokens, dtype=torch.bool)
    for i in range(num_tokens):
        mask[i, max(0, i - window + 1) : i + 1] = False
    return mask  # filled row by row

    return torch.tensor(
        [[not (query - window < key <= query) for key in range(num_tokens)] for query in range(num_tokens)],
        dtype=torch.bool,
    )  # nested lists

    ones = torch.ones(num_tokens, num_tokens, dtype=torch.bool)
    return torch.logical_not(ones.tril() ^ ones.tril(-window))  # causal masks exclusive or

    mask = torch.ones(num_tokens, num_tokens, dtype=torch.bool)
    for behind in range(min(window, num_tokens)):
        mask.diagonal(-behind).fill_(False)
    return mask  # diagonals set one by one

    band = torch.arange(1 - num_tokens, num_tokens)
    hidden = (band > 0).logical_or(band <= -window)
    return hidden.unfold(0, num_tokens, 1).flip(0)  # a band of a Toeplitz matrix


# %% cross_attention: each return
def cross_attention(x, memory, W_query, W_key, W_value):
    queries = torch.einsum("bqi,ik->bqk", x, W_query)
    keys = torch.einsum("bmi,ik->bmk", memory, W_key)
    values = torch.einsum("bmi,iv->bmv", memory, W_value)
    scores = torch.einsum("bqk,bmk->bqm", queries, keys)
    weights = (scores / math.sqrt(W_key.shape[1])).softmax(dim=-1)
    return torch.einsum("bqm,bmv->bqv", weights, values)  # einsum

    queries, keys = x.matmul(W_query), memory.matmul(W_key)
    scores = torch.bmm(queries, keys.permute(0, 2, 1)) * keys.size(2) ** -0.5
    return torch.bmm(F.softmax(scores, dim=2), memory.matmul(W_value))  # bmm

    context = []
    for asking, asked in zip(x, memory):
        queries, keys, values = asking @ W_query, asked @ W_key, asked @ W_value
        weights = torch.softmax(queries @ keys.T / keys.shape[1] ** 0.5, dim=1)
        context.append(weights @ values)
    return torch.stack(context)  # sentence by sentence

    scores = x @ W_query @ W_key.T @ memory.transpose(-2, -1)
    weights = torch.softmax(scores / W_query.shape[1] ** 0.5, dim=-1)
    return weights @ memory @ W_value  # memory mixed before it is projected

    d_k, d_v = W_key.shape[1], W_value.shape[1]
    both = memory @ torch.cat([W_key, W_value], dim=1)
    keys, values = both.split([d_k, d_v], dim=-1)
    weights = nn.Softmax(-1)(x @ W_query @ keys.transpose(1, 2) / d_k**0.5)
    return weights @ values  # keys and values in one product

    def one_sentence(asking, asked):
        keys = asked @ W_key.double()
        scores = asking @ W_query.double() @ keys.T
        weights = torch.softmax(scores / math.sqrt(keys.shape[1]), dim=-1)
        return weights @ (asked @ W_value.double())

    return torch.vmap(one_sentence)(x.double(), memory.double()).to(x.dtype)  # vmap, float64 inside
