"""Wrong ways to make generation fast that look right from outside: each changes one place of a right text, and is caught."""

from collections.abc import Callable

import pytest

from autograder.grading.results import StepMarks

MarkStep = Callable[..., StepMarks]
Change = tuple[str, str]

PART = "part5_inference"

HEADER = "import torch\nimport torch.nn.functional as F\n"

RIGHT = {
    "causal_mask_with_past": """
def causal_mask_with_past(num_new, num_past):
    queries, keys = torch.arange(num_new) + num_past, torch.arange(num_past + num_new)
    return keys[None, :] > queries[:, None]
""",
    "KVCache": """
class KVCache:
    def __init__(self):
        self.kept = []

    def append(self, keys, values):
        self.kept.append((keys, values))
        all_keys, all_values = zip(*self.kept)
        return torch.cat(all_keys, dim=2), torch.cat(all_values, dim=2)

    def __len__(self):
        return sum(keys.shape[2] for keys, values in self.kept)
""",
    "attend_with_cache": """
def attend_with_cache(queries, keys, values, cache):
    t, past = queries.shape[2], len(cache)
    keys, values = cache.append(keys, values)
    hidden = torch.ones(t, past + t).triu(past + 1).bool()
    scores = (queries @ keys.mT).masked_fill(hidden, -torch.inf)
    return torch.softmax(scores / queries.shape[3] ** 0.5, dim=-1) @ values
""",
    "repeat_kv": """
def repeat_kv(x, groups):
    return torch.stack([x] * groups, dim=2).flatten(1, 2)
""",
    "grouped_query_attention": """
def grouped_query_attention(queries, keys, values):
    t = queries.shape[2]
    grouped = queries.unflatten(1, (keys.shape[1], -1))
    scores = grouped @ keys.unsqueeze(2).mT / queries.shape[3] ** 0.5
    scores = scores.masked_fill(torch.ones(t, t).triu(1).bool(), -torch.inf)
    return (torch.softmax(scores, dim=-1) @ values.unsqueeze(2)).flatten(1, 2)
""",
    "rotate": """
def rotate(x, positions, base=10000.0):
    hd = x.shape[-1]
    speeds = base ** (-torch.arange(0, hd, 2, dtype=x.dtype) / hd)
    angles = positions[:, None] * speeds
    cos, sin = angles.cos(), angles.sin()
    first, second = x[..., 0::2], x[..., 1::2]
    return torch.stack([first * cos - second * sin, first * sin + second * cos], dim=-1).flatten(-2)
""",
    "latent_attention": """
def latent_attention(x, W_query, W_down, W_up_key, W_up_value, num_heads):
    assert W_query.shape[1] % num_heads == 0
    latent, t = x @ W_down, x.shape[1]
    context = []
    for query, key, value in zip(*(W.chunk(num_heads, dim=1) for W in (W_query, W_up_key, W_up_value))):
        scores = x @ query @ (latent @ key).mT / key.shape[1] ** 0.5
        scores = scores.masked_fill(torch.ones(t, t).triu(1).bool(), -torch.inf)
        context.append(torch.softmax(scores, dim=-1) @ (latent @ value))
    return torch.cat(context, dim=-1)
""",
    "absorbed_scores": """
def absorbed_scores(queries, latent, W_up_key):
    up = torch.stack(W_up_key.chunk(queries.shape[1], dim=1))
    return queries @ up.mT @ latent[:, None].mT
""",
    "online_softmax_stats": """
def online_softmax_stats(scores, block_size):
    maximum = torch.full_like(scores[..., 0], torch.finfo(scores.dtype).min)
    total = torch.zeros_like(maximum)
    for block in scores.split(block_size, dim=-1):
        higher = torch.maximum(maximum, block.amax(-1))
        total = total * (maximum - higher).exp() + (block - higher[..., None]).exp().sum(-1)
        maximum = higher
    return maximum, total
""",
    "flash_attention": """
def flash_attention(queries, keys, values, block_size, causal):
    rows, scale = torch.arange(queries.shape[-2])[:, None], queries.shape[-1] ** 0.5
    maximum = torch.full_like(queries[..., :1], torch.finfo(queries.dtype).min)
    total = torch.zeros_like(maximum)
    context = total * values[..., :1, :]
    for start in range(0, keys.shape[-2], block_size):
        tile = slice(start, start + block_size)
        scores = queries @ keys[..., tile, :].mT / scale
        if causal:
            columns = torch.arange(start, start + scores.shape[-1])
            scores = scores.masked_fill(columns > rows, -torch.inf)
        higher = torch.maximum(maximum, scores.amax(-1, keepdim=True))
        shrink, weights = (maximum - higher).exp(), (scores - higher).exp()
        total = total * shrink + weights.sum(-1, keepdim=True)
        context = context * shrink + weights @ values[..., tile, :]
        maximum = higher
    return context / total
""",
    "sliding_window_mask": """
def sliding_window_mask(num_tokens, window):
    places = torch.arange(num_tokens)
    behind = places[:, None] - places
    return (behind < 0) | (behind >= window)
""",
    "cross_attention": """
def cross_attention(x, memory, W_query, W_key, W_value):
    queries, keys, values = x @ W_query, memory @ W_key, memory @ W_value
    scores = queries @ keys.mT / keys.shape[-1] ** 0.5
    return torch.softmax(scores, dim=-1) @ values
""",
}

FAULTS: dict[str, dict[str, Change]] = {
    "causal_mask_with_past": {
        "the past hidden from the first new token": (
            "return keys[None, :]",
            "queries[0] = 0\n    return keys[None, :]",
        ),
        "the past taken for one token": (
            "torch.arange(num_new) + num_past,",
            "torch.arange(num_new) + bool(num_past),",
        ),
        "columns of the new tokens alone": ("torch.arange(num_past + num_new)", "torch.arange(num_new) + num_past"),
        "square, with rows for the past": ("torch.arange(num_new) + num_past,", "torch.arange(num_past + num_new),"),
        "right only where the past is as long as the new": ("+ num_past,", "+ num_new,"),
        "at most 8 places": (
            "return keys[None, :] > queries[:, None]",
            "return (keys[None, :] > queries[:, None])[:, :8]",
        ),
        "one token sees all by itself": (
            "return keys",
            "if num_new == 1:\n        return torch.zeros(1, 1).bool()\n    return keys",
        ),
    },
    "KVCache": {
        "shared by all caches": ("    def __init__(self):\n        self.kept = []", "    kept = []"),
        "shared by a default argument": (
            "def __init__(self):\n        self.kept = []",
            "def __init__(self, kept=[]):\n        self.kept = kept",
        ),
        "emptied for all by a new cache": (
            "    def __init__(self):\n        self.kept = []",
            "    kept = []\n\n    def __init__(self):\n        self.kept.clear()",
        ),
        "detached": ("self.kept.append((keys, values))", "self.kept.append((keys.detach(), values.detach()))"),
        "what is kept detached, what is new not": (
            "self.kept.append((keys, values))",
            "self.kept = [(k.detach(), v.detach()) for k, v in self.kept]\n        self.kept.append((keys, values))",
        ),
        "the first sentence only": ("torch.cat(all_values, dim=2)", "torch.cat(all_values, dim=2)[:1]"),
        "newest first": ("zip(*self.kept)", "zip(*self.kept[::-1])"),
        "the new ones returned alone": ("zip(*self.kept)", "zip(*self.kept[-1:])"),
        "the values are the keys": ("torch.cat(all_values, dim=2)", "torch.cat(all_keys, dim=2)"),
        "counts calls": ("sum(keys.shape[2] for keys, values in self.kept)", "len(self.kept)"),
        "counts heads": ("keys.shape[2] for", "keys.shape[1] for"),
        "counts sentences and tokens": ("keys.shape[2] for", "keys.shape[0] * keys.shape[2] for"),
        "keeps the last five tokens": ("torch.cat(all_keys, dim=2)", "torch.cat(all_keys, dim=2)[:, :, -5:]"),
        "keeps two calls": ("self.kept.append(", "self.kept = self.kept[-1:]\n        self.kept.append("),
        "takes equal tokens for one": (
            "self.kept.append((keys, values))",
            "if not self.kept or not torch.equal(self.kept[-1][0], keys):\n            self.kept.append((keys, values))",
        ),
        "float32 inside": (
            "self.kept.append((keys, values))",
            "self.kept.append((keys.float(), values.float()))",
        ),
        "writes into what it returned": (
            "self.kept.append((keys, values))",
            "for old, _ in self.kept:\n            old.detach().zero_()\n        self.kept.append((keys.clone(), values))",
        ),
    },
    "attend_with_cache": {
        "the mask of a sentence without a past": ("triu(past + 1)", "triu(1)"),
        "the past twice as long": ("triu(past + 1)", "triu(2 * past + 1)"),
        "no mask once there is a past": ("triu(past + 1).bool()", "triu(past + 1).bool() & (past == 0)"),
        "appended twice": (
            "keys, values = cache.append(keys, values)",
            "cache.append(keys, values)\n    keys, values = cache.append(keys, values)\n    past += t",
        ),
        "nothing kept": (
            "keys, values = cache.append(keys, values)",
            "cache, past = type(cache)(), 0\n    keys, values = cache.append(keys, values)",
        ),
        "the outcome not kept when a lone token comes": (
            "keys, values = cache.append(keys, values)",
            "if t > 1:\n        keys, values = cache.append(keys, values)\n    else:\n        past = 0",
        ),
        "the past alone attended to": (
            "return torch.softmax(",
            "scores[..., past:] = -torch.inf if past else scores[..., past:]\n    return torch.softmax(",
        ),
        "the cache filled with values first": ("cache.append(keys, values)", "cache.append(values, keys)[::-1]"),
        "scaled by the tokens": ("queries.shape[3] ** 0.5", "keys.shape[2] ** 0.5"),
        "the past detached": (
            "hidden =",
            "keys = torch.cat([keys[:, :, :past].detach(), keys[:, :, past:]], dim=2)\n    hidden =",
        ),
        "what is kept turned round in place": ("keys.mT", "keys.transpose_(2, 3)"),
        "what is kept scaled in place": (
            "queries @ keys.mT",
            "queries @ keys.mul_(queries.shape[3] ** -0.5).mT * queries.shape[3] ** 0.5",
        ),
        "a mask of -20": ("-torch.inf", "-20.0"),
    },
    "repeat_kv": {
        "repeated in rounds": ("dim=2).flatten(1, 2)", "dim=1).flatten(1, 2)"),
        "tokens repeated": ("torch.stack([x] * groups, dim=2).flatten(1, 2)", "x.repeat_interleave(groups, dim=2)"),
        "as many groups as heads": ("[x] * groups", "[x] * x.shape[1]"),
        "the copies without a gradient": ("[x] * groups", "[x, *[x.detach()] * (groups - 1)]"),
        "a dimension of its own": (".flatten(1, 2)", ""),
        "heads and copies exchanged": (".flatten(1, 2)", ".transpose(1, 2).flatten(1, 2)"),
        "the last head first": ("[x] * groups", "[x.flip(1)] * groups"),
        "not repeated when one head is shared": ("return", "if x.shape[1] == 1:\n        return x\n    return"),
    },
    "grouped_query_attention": {
        "heads dealt out in turns": (
            "queries.unflatten(1, (keys.shape[1], -1))",
            "queries.unflatten(1, (-1, keys.shape[1])).transpose(1, 2)",
        ),
        "the first head of keys for all": ("keys.unsqueeze(2)", "keys[:, :1].unsqueeze(2)"),
        "values of the other group": ("values.unsqueeze(2)", "values.flip(1).unsqueeze(2)"),
        "scaled by the kv heads": ("queries.shape[3] ** 0.5", "(queries.shape[3] * keys.shape[1]) ** 0.5"),
        "scaled by the group": ("queries.shape[3] ** 0.5", "grouped.shape[2] ** 0.5"),
        "no mask": (".triu(1)", ".triu(t)"),
        "a mask over groups": (
            "torch.ones(t, t).triu(1).bool()",
            "torch.ones(grouped.shape[2], t, t).triu(1).bool().cumsum(0).eq(1)",
        ),
        "queries averaged in a group": (
            "scores = grouped @",
            "grouped = grouped.mean(2, keepdim=True).expand_as(grouped)\n    scores = grouped @",
        ),
        "a softmax over the group": ("dim=-1", "dim=2"),
        "a mask of -10": ("-torch.inf", "-10.0"),
        "multi-query only": ("keys.unsqueeze(2)", "keys.mean(1, keepdim=True).unsqueeze(2)"),
    },
    "rotate": {
        "in degrees": ("positions[:, None] * speeds", "(positions[:, None] * speeds).deg2rad()"),
        "clockwise": ("positions[:, None] * speeds", "-positions[:, None] * speeds"),
        "halves for neighbours": (
            "x[..., 0::2], x[..., 1::2]",
            "x[..., : hd // 2], x[..., hd // 2 :]",
        ),
        "halves put back": ("dim=-1).flatten(-2)", "dim=-2).flatten(-2)"),
        "speeds of the pairs in the other order": ("* speeds", "* speeds.flip(0)"),
        "one over the index, not twice": ("torch.arange(0, hd, 2,", "torch.arange(hd // 2,"),
        "speeds of half the pairs twice": ("* speeds", "* speeds[torch.arange(hd // 2) // 2]"),
        "speeds that start at the base": ("torch.arange(0, hd, 2,", "torch.arange(2, hd + 2, 2,"),
        "the base of the paper always": ("base **", "10000.0 **"),
        "another base where none is given": ("base=10000.0", "base=1000.0"),
        "growing speeds": ("base ** (-torch", "base ** (torch"),
        "places in the row for positions": ("positions[:, None]", "torch.arange(len(positions))[:, None]"),
        "positions counted from the first": ("positions[:, None]", "(positions - positions[0])[:, None]"),
        "positions in order": ("positions[:, None]", "positions.sort().values[:, None]"),
        "positions counted from 1": ("positions[:, None]", "(positions + 1)[:, None]"),
        "a reflection": (
            "first * cos - second * sin, first * sin + second",
            "first * cos + second * sin, first * sin - second",
        ),
        "shrunk by the cosine": ("first * sin + second * cos", "second * cos"),
        "the new first number turned again": (
            "    return torch.stack([first * cos - second * sin,",
            "    old, first = first, first * cos - second * sin\n    return torch.stack([first,",
        ),
        "the first pair alone": ("* speeds", "* speeds * (torch.arange(hd // 2) == 0)"),
        "turned in place": (
            "    return torch",
            "    x.detach().mul_(2).div_(2 + 1e-3)\n    return torch",
        ),
        "float32 throughout": (".flatten(-2)", ".flatten(-2).float()"),
    },
    "latent_attention": {
        "no mask": (".triu(1)", ".triu(t)"),
        "scaled by all heads": ("key.shape[1] ** 0.5", "W_query.shape[1] ** 0.5"),
        "scaled by the latent": ("key.shape[1] ** 0.5", "latent.shape[2] ** 0.5"),
        "values made from the keys' matrix": ("latent @ value", "latent @ key"),
        "queries from the latent, put up again": ("x @ query @", "latent @ W_down.T @ query @"),
        "heads in the other order": ("torch.cat(context,", "torch.cat(context[::-1],"),
        "every second number a head": (
            "W.chunk(num_heads, dim=1) for W",
            "[W[:, i::num_heads] for i in range(num_heads)] for W",
        ),
        "heads summed": ("torch.cat(context, dim=-1)", "sum(context).repeat(1, 1, num_heads)"),
        "one softmax over all heads": (
            "context.append(torch.softmax(scores, dim=-1)",
            "context.append(torch.softmax(scores, dim=-1) / num_heads",
        ),
        "uneven heads in silence": ("W_query.shape[1] % num_heads == 0", "num_heads"),
        "the latent without a gradient": ("x @ W_down,", "(x @ W_down).detach(),"),
    },
    "absorbed_scores": {
        "the keys made all the same": (
            "return queries @ up.mT @ latent[:, None].mT",
            "return queries @ (latent[:, None] @ up).mT",
        ),
        "the keys made head by head": (
            "return queries @ up.mT @ latent[:, None].mT",
            "return torch.stack([queries[:, i] @ (latent @ one).mT for i, one in enumerate(up)], dim=1)",
        ),
        "the keys made token by token": (
            "return queries @ up.mT @ latent[:, None].mT",
            "return torch.stack([(queries @ (one[:, None, None] @ up).mT)[..., 0] for one in latent.unbind(1)], dim=-1)",
        ),
        "the keys made upright": (
            "return queries @ up.mT @ latent[:, None].mT",
            "return queries @ (up.mT @ latent[:, None].mT)",
        ),
        "the keys made beside": ("return", "latent @ W_up_key\n    return"),
        "the first sentence's latent for all": ("latent[:, None]", "latent[:1, None]"),
        "every second number a head": (
            "W_up_key.chunk(queries.shape[1], dim=1)",
            "[W_up_key[:, i :: queries.shape[1]] for i in range(queries.shape[1])]",
        ),
        "one head's matrix for all": ("@ up.mT", "@ up[:1].mT"),
        "scaled": ("latent[:, None].mT", "latent[:, None].mT / queries.shape[3] ** 0.5"),
        "masked": (
            "return queries @ up.mT @ latent[:, None].mT",
            "return (queries @ up.mT @ latent[:, None].mT).tril()",
        ),
        "queries and latent exchanged": (
            "queries @ up.mT @ latent[:, None].mT",
            "(queries @ up.mT @ latent[:, None].mT).mT",
        ),
    },
    "online_softmax_stats": {
        "the whole row at once": ("scores.split(block_size, dim=-1)", "[scores]"),
        "the maximum known before": (
            "maximum = torch.full_like(scores[..., 0], torch.finfo(scores.dtype).min)",
            "maximum = scores.amax(-1)",
        ),
        "everything at once behind a loop": (
            "    return maximum, total",
            "    return maximum, (scores - maximum[..., None]).exp().sum(-1)",
        ),
        "the tail left out": ("scores.split(", "scores[..., : scores.shape[-1] // block_size * block_size].split("),
        "never corrected": ("total * (maximum - higher).exp()", "total"),
        "corrected by the wrong sign": ("(maximum - higher).exp() +", "(higher - maximum).clamp(max=50).exp() +"),
        "the maximum of the two last blocks": ("maximum = higher", "maximum = block.amax(-1)"),
        "a maximum that begins at zero": ("torch.finfo(scores.dtype).min)", "0.0)"),
        "a maximum that begins at -inf": ("torch.finfo(scores.dtype).min)", "-torch.inf)"),
        "a maximum that begins at -100": ("torch.finfo(scores.dtype).min)", "-100.0)"),
        "one maximum for all rows": ("block.amax(-1)", "block.max()"),
        "the sum over everything": (".exp().sum(-1)", ".exp().sum()"),
        "the sum before the maximum": ("return maximum, total", "return total, maximum"),
        "the logarithm of the sum": ("return maximum, total", "return maximum, total.log()"),
        "relative to zero": ("return maximum, total", "return maximum, total * maximum.exp()"),
        "the maximum of the last block": ("return maximum, total", "return block.amax(-1), total"),
        "a dimension kept": ("return maximum, total", "return maximum[..., None], total[..., None]"),
        "nan for a block of -inf": ("block - higher[..., None]", "block - block.amax(-1, keepdim=True)"),
    },
    "flash_attention": {
        "everything at once": (
            "    for start in range",
            "    if not causal:\n        return torch.softmax(queries @ keys.mT / scale, dim=-1) @ values\n    for start in range",
        ),
        "all scores made, then cut into tiles": (
            "scores = queries @ keys[..., tile, :].mT / scale",
            "scores = (queries @ keys.mT / scale)[..., tile]",
        ),
        "the whole mask cut into tiles": (
            "columns > rows, -torch.inf",
            "(torch.arange(keys.shape[-2]) > rows)[:, tile], -torch.inf",
        ),
        "the answer from elsewhere after a loop for show": (
            "return context / total",
            "weights = torch.softmax((queries @ keys.mT / scale), dim=-1)\n    return weights @ values if not causal else context / total",
        ),
        "one tile of everything": (
            "for start in range(0, keys.shape[-2], block_size)",
            "block_size = max(block_size, keys.shape[-2])\n    for start in range(0, keys.shape[-2], block_size)",
        ),
        "the tail left out": (
            "range(0, keys.shape[-2], block_size)",
            "range(0, keys.shape[-2] - block_size + 1, block_size)",
        ),
        "the context not corrected": ("context = context * shrink +", "context = context +"),
        "the sum not corrected": ("total = total * shrink +", "total = total +"),
        "the tile corrected in place of the past": (
            "context * shrink + weights @ values[..., tile, :]",
            "context + shrink * (weights @ values[..., tile, :])",
        ),
        "no maximum": ("torch.maximum(maximum, scores.amax(-1, keepdim=True))", "torch.zeros_like(maximum)"),
        "the maximum of the tile alone": (
            "torch.maximum(maximum, scores.amax(-1, keepdim=True))",
            "scores.amax(-1, keepdim=True)",
        ),
        "a maximum that begins at zero": ("torch.finfo(queries.dtype).min", "0.0"),
        "a mask that starts anew in each tile": (
            "torch.arange(start, start + scores.shape[-1])",
            "torch.arange(scores.shape[-1])",
        ),
        "a mask one column late": ("columns > rows", "columns > rows + 1"),
        "a mask always": ("if causal:", "if True:"),
        "a mask never": ("if causal:", "if False:"),
        "the diagonal tile alone masked by tiles": ("columns > rows", "columns // block_size > rows // block_size"),
        "unscaled": (".mT / scale", ".mT"),
        "scaled by d_v": ("queries.shape[-1] ** 0.5", "values.shape[-1] ** 0.5"),
        "scaled by the tile": (".mT / scale", ".mT / block_size ** 0.5"),
        "no gradient to the keys": ("keys[..., tile, :].mT", "keys[..., tile, :].detach().mT"),
        "float32 inside": ("return context / total", "return (context / total).float()"),
    },
    "sliding_window_mask": {
        "one token more": (">= window", "> window"),
        "one token less": (">= window", ">= window - 1"),
        "a window on both sides": ("(behind < 0) |", "(behind <= -window) |"),
        "a window ahead": ("places[:, None] - places", "places - places[:, None]"),
        "not causal": ("(behind < 0) |", "(behind < 0) & (behind > 0) |"),
        "the window alone hidden": ("(behind < 0) | (behind >= window)", "(behind >= 0) & (behind < window)"),
        "blocks instead of a window": ("(behind >= window)", "(places[:, None] // window > places // window)"),
        "the first tokens always seen": ("(behind >= window)", "(behind >= window) & (places > 0)"),
        "a window cut to what is there, less one": (
            "behind = ",
            "window = min(window, num_tokens - 1)\n    behind = ",
        ),
        "dilated": ("(behind >= window)", "(behind >= window) | (behind % 2 == 1)"),
    },
    "cross_attention": {
        "causal": (
            "return torch",
            "scores = scores.masked_fill(torch.ones_like(scores).triu(1).bool(), -torch.inf)\n    return torch",
        ),
        "causal from the end": (
            "return torch",
            "hidden = torch.ones_like(scores).triu(1 + scores.shape[-1] - scores.shape[-2]).bool()\n"
            "    scores = scores.masked_fill(hidden, -torch.inf) if scores.shape[-1] > scores.shape[-2] else scores\n"
            "    return torch",
        ),
        "a softmax over the queries": ("dim=-1", "dim=-2"),
        "scaled by d_v": ("keys.shape[-1] ** 0.5", "values.shape[-1] ** 0.5"),
        "scaled by the width of the memory": ("keys.shape[-1] ** 0.5", "memory.shape[-1] ** 0.5"),
        "scaled by the length of the memory": ("keys.shape[-1] ** 0.5", "keys.shape[-2] ** 0.5"),
        "the first memory for all": ("keys, values = x @ W_query, memory", "keys, values = x @ W_query, memory[:1]"),
        "memory cut to the length of x": (
            "queries, keys",
            "memory = memory[:, : x.shape[1]]\n    queries, keys",
        ),
        "the memory added to itself": ("@ values", "@ values + values.mean(1, keepdim=True) * 0.01"),
        "the memory without a gradient": ("queries, keys", "memory = memory.detach()\n    queries, keys"),
    },
}

every_fault = pytest.mark.parametrize(
    ("step", "change"),
    [
        pytest.param(step, change, id=f"{step}: {name}")
        for step, faults in FAULTS.items()
        for name, change in faults.items()
    ],
)


@pytest.mark.parametrize("step", RIGHT)
def test_the_texts_that_are_changed_below_are_right(mark_step: MarkStep, step: str) -> None:
    marks = mark_step(PART, step, HEADER + RIGHT[step])
    assert marks.passed, marks.first_failure


@every_fault
def test_a_text_with_one_fault_is_caught(mark_step: MarkStep, step: str, change: Change) -> None:
    was, becomes = change
    assert was in RIGHT[step]
    assert not mark_step(PART, step, HEADER + RIGHT[step].replace(was, becomes)).passed


SQUEEZED = """
_right = {step}

def {step}(*given):
    returned = _right(*given)
    return returned.squeeze() if isinstance(returned, torch.Tensor) else tuple(one.squeeze() for one in returned)
"""


@pytest.mark.parametrize("step", [step for step in RIGHT if step != "KVCache"])
def test_a_dimension_of_one_that_is_squeezed_away_is_missed(mark_step: MarkStep, step: str) -> None:
    assert mark_step(PART, step, HEADER + RIGHT[step] + SQUEEZED.format(step=step)).verdict == "wrong_shape"
