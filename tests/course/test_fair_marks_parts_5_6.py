"""What a teacher would give for steps of parts 5 and 6 that are nearly right, and for code that does nothing: within half a point."""

from collections.abc import Callable
from dataclasses import dataclass

import pytest

from autograder.grading.results import StepMarks

MarkStep = Callable[..., StepMarks]

HEADER = "import math\n\nimport numpy as np\nimport torch\nimport torch.nn.functional as F\nfrom torch import nn\n\n"

HALF_A_POINT = 0.5


@dataclass(frozen=True)
class Row:
    """A student's text, and the points that a teacher would give. given: those of before there were criteria, where somebody looked.

    why: why a teacher would give something else than the review says.
    """

    step: str
    fair: float
    text: str
    given: float | None = None
    why: str = ""


NORM = """
class LayerNorm(nn.Module):
    def __init__(self, emb_dim):
        super().__init__()
        self.eps = 1e-5
        self.scale = nn.Parameter(torch.ones(emb_dim))
        self.shift = nn.Parameter(torch.zeros(emb_dim))

    def forward(self, x):
        mean = x.mean(dim=-1, keepdim=True)
        var = x.var(dim=-1, keepdim=True, unbiased=False)
        norm_x = (x - mean) / torch.sqrt(var + self.eps)
        return self.scale * norm_x + self.shift
"""

FEED_FORWARD = """
class FeedForward(nn.Module):
    def __init__(self, emb_dim):
        super().__init__()
        self.fc1 = nn.Linear(emb_dim, 4 * emb_dim)
        self.fc2 = nn.Linear(4 * emb_dim, emb_dim)
        self.gelu = nn.GELU()

    def forward(self, x):
        return self.fc2(self.gelu(self.fc1(x)))
"""

BLOCK = """
class TransformerBlock(nn.Module):
    def __init__(self, attention, emb_dim, dropout):
        super().__init__()
        self.att = attention
        self.ff = FeedForward(emb_dim)
        self.norm1 = LayerNorm(emb_dim)
        self.norm2 = LayerNorm(emb_dim)
        self.drop = nn.Dropout(dropout)

    def forward(self, x):
        x = x + self.drop(self.att(self.norm1(x)))
        x = x + self.drop(self.ff(self.norm2(x)))
        return x
"""

GPT = """
class TinyGPT(nn.Module):
    def __init__(self, vocab_size, context_length, emb_dim, num_heads, num_layers, dropout, attention_class):
        super().__init__()
        self.context_length = context_length
        self.tok_emb = nn.Embedding(vocab_size, emb_dim)
        self.pos_emb = nn.Embedding(context_length, emb_dim)
        self.drop_emb = nn.Dropout(dropout)
        blocks = []
        for _ in range(num_layers):
            att = attention_class(emb_dim, emb_dim, context_length, dropout, num_heads)
            blocks.append(TransformerBlock(att, emb_dim, dropout))
        self.trf_blocks = nn.Sequential(*blocks)
        self.final_norm = LayerNorm(emb_dim)
        self.out_head = nn.Linear(emb_dim, vocab_size, bias=False)

    def forward(self, tokens):
        b, t = tokens.shape
        x = self.tok_emb(tokens) + self.pos_emb(torch.arange(t))
        x = self.trf_blocks(self.drop_emb(x))
        return self.out_head(self.final_norm(x))
"""

TRAIN_STEP = """
def train_step(model, optimizer, tokens):
    model.train()
    optimizer.zero_grad()
    logits = model(tokens)
    loss = F.cross_entropy(logits[:, :-1].flatten(0, 1), tokens[:, 1:].flatten())
    loss.backward()
    optimizer.step()
    return loss.item()
"""

GENERATE = """
def generate(model, tokens, max_new_tokens):
    for _ in range(max_new_tokens):
        cropped = tokens[:, -model.context_length:]
        with torch.no_grad():
            logits = model(cropped)
        newest = logits[:, -1].argmax(dim=-1, keepdim=True)
        tokens = torch.cat((tokens, newest), dim=1)
    return tokens
"""

MAPS = """
def attention_maps(model, tokens):
    layers = [m for m in model.modules() if hasattr(m, "W_query") and hasattr(m, "W_key") and hasattr(m, "num_heads")]
    seen = []
    hooks = [m.register_forward_pre_hook(lambda m, given: seen.append(given[0])) for m in layers]
    was_training = model.training
    model.eval()
    with torch.no_grad():
        model(tokens)
        maps = []
        for layer, x in zip(layers, seen):
            b, t, _ = x.shape
            q = layer.W_query(x).view(b, t, layer.num_heads, -1).transpose(1, 2)
            k = layer.W_key(x).view(b, t, layer.num_heads, -1).transpose(1, 2)
            scores = q @ k.transpose(2, 3)
            scores = scores.masked_fill(torch.ones(t, t).triu(1).bool(), -torch.inf)
            maps.append(torch.softmax(scores / q.shape[-1] ** 0.5, dim=-1))
    for hook in hooks:
        hook.remove()
    model.train(was_training)
    return torch.stack(maps)
"""

CACHE = """
class KVCache:
    def __init__(self):
        self.keys = None
        self.values = None

    def append(self, keys, values):
        if self.keys is None:
            self.keys, self.values = keys, values
        else:
            self.keys = torch.cat([self.keys, keys], dim=2)
            self.values = torch.cat([self.values, values], dim=2)
        return self.keys, self.values

    def __len__(self):
        return 0 if self.keys is None else self.keys.shape[2]
"""

LATENT = """
def latent_attention(x, W_query, W_down, W_up_key, W_up_value, num_heads):
    d_out = W_query.shape[1]
    if d_out % num_heads != 0:
        raise ValueError("num_heads must divide d_out")
    b, t, _ = x.shape
    latent = x @ W_down
    q = (x @ W_query).view(b, t, num_heads, -1).transpose(1, 2)
    k = (latent @ W_up_key).view(b, t, num_heads, -1).transpose(1, 2)
    v = (latent @ W_up_value).view(b, t, num_heads, -1).transpose(1, 2)
    scores = q @ k.transpose(2, 3)
    scores = scores.masked_fill(torch.ones(t, t).triu(1).bool(), -torch.inf)
    weights = torch.softmax(scores / q.shape[-1] ** 0.5, dim=-1)
    return (weights @ v).transpose(1, 2).reshape(b, t, d_out)
"""

ROTATE = """
def rotate(x, positions, base=10000.0):
    hd = x.shape[-1]
    theta = base ** (-torch.arange(0, hd, 2).to(x.dtype) / hd)
    angles = positions[:, None] * theta
    cos, sin = torch.cos(angles), torch.sin(angles)
    x1, x2 = x[..., 0::2], x[..., 1::2]
    return torch.stack((x1 * cos - x2 * sin, x1 * sin + x2 * cos), dim=-1).flatten(-2)
"""

RIGHT = {
    "part5_inference.KVCache": CACHE,
    "part5_inference.latent_attention": LATENT,
    "part5_inference.rotate": ROTATE,
    "part6_training.LayerNorm": NORM,
    "part6_training.FeedForward": FEED_FORWARD,
    "part6_training.TransformerBlock": NORM + FEED_FORWARD + BLOCK,
    "part6_training.TinyGPT": NORM + FEED_FORWARD + BLOCK + GPT,
    "part6_training.train_step": TRAIN_STEP,
    "part6_training.generate": GENERATE,
    "part6_training.attention_maps": MAPS,
}


def _but(text: str, was: str, becomes: str) -> str:
    assert text.count(was) == 1, was
    return text.replace(was, becomes)


REVIEWED = {
    "heads refused by another error": Row(
        "part5_inference.latent_attention",
        2.0,
        _but(LATENT, "ValueError", "RuntimeError"),
        0.7,
        why="the review says 1.5; since then any exception is right",
    ),
    "the variance as `var` gives it": Row("part6_training.LayerNorm", 1.8, _but(NORM, ", unbiased=False", ""), 0.15),
    "eps beside the root": Row(
        "part6_training.LayerNorm", 1.8, _but(NORM, "torch.sqrt(var + self.eps)", "(torch.sqrt(var) + self.eps)"), 0.15
    ),
    "the GELU of GPT-2": Row(
        "part6_training.FeedForward", 1.5, _but(FEED_FORWARD, "nn.GELU()", 'nn.GELU(approximate="tanh")'), 0.0
    ),
    "layers made in the other order": Row(
        "part6_training.FeedForward",
        1.5,
        _but(
            FEED_FORWARD,
            "super().__init__()\n",
            "super().__init__()\n        self.fc2 = nn.Linear(4 * emb_dim, emb_dim)\n",
        ).replace(
            "4 * emb_dim)\n        self.fc2 = nn.Linear(4 * emb_dim, emb_dim)\n        self.gelu",
            "4 * emb_dim)\n        self.gelu",
        ),
        0.0,
    ),
    "a head with a bias": Row(
        "part6_training.TinyGPT", 4.0, RIGHT["part6_training.TinyGPT"].replace(", bias=False", ""), 0.42
    ),
    "a head that is tied": Row(
        "part6_training.TinyGPT",
        3.0,
        _but(
            RIGHT["part6_training.TinyGPT"],
            "bias=False)",
            "bias=False)\n        self.out_head.weight = self.tok_emb.weight",
        ),
        0.42,
    ),
    "context_length not kept": Row(
        "part6_training.TinyGPT",
        4.5,
        _but(RIGHT["part6_training.TinyGPT"], "        self.context_length = context_length\n", ""),
        0.0,
    ),
    "a number of NumPy for a float": Row(
        "part6_training.train_step", 2.5, _but(TRAIN_STEP, "loss.item()", "loss.detach().numpy().mean()"), 0.0
    ),
    "hooks left": Row(
        "part6_training.attention_maps", 2.5, _but(MAPS, "    for hook in hooks:\n        hook.remove()\n", ""), 0.0
    ),
    "the mode left": Row("part6_training.attention_maps", 3.0, _but(MAPS, "    model.train(was_training)\n", ""), 1.33),
}

FLOAT_MASK = """
def causal_mask_with_past(num_new, num_past):
    return torch.triu(torch.ones(num_new, num_past + num_new), diagonal=num_past + 1)
"""
SHARED_CACHE = """
class KVCache:
    keys = []
    values = []

    def append(self, keys, values):
        self.keys.append(keys)
        self.values.append(values)
        return torch.cat(self.keys, dim=2), torch.cat(self.values, dim=2)

    def __len__(self):
        return sum(keys.shape[2] for keys in self.keys)
"""
KEYS_BUILT = """
def absorbed_scores(queries, latent, W_up_key):
    b, h, t, hd = queries.shape
    keys = (latent @ W_up_key).view(b, t, h, hd).transpose(1, 2)
    return queries @ keys.transpose(2, 3)
"""
ALL_AT_ONCE = """
def online_softmax_stats(scores, block_size):
    maximum = scores.amax(dim=-1)
    return maximum, (scores - maximum[..., None]).exp().sum(dim=-1)
"""
PLAIN_ATTENTION = """
def flash_attention(queries, keys, values, block_size, causal):
    scores = queries @ keys.mT / queries.shape[-1] ** 0.5
    if causal:
        scores = scores.masked_fill(torch.ones_like(scores).triu(1).bool(), -torch.inf)
    return torch.softmax(scores, dim=-1) @ values
"""
PLAIN_EXPONENTIALS = """
def cross_attention(x, memory, W_query, W_key, W_value):
    scores = (x @ W_query) @ (memory @ W_key).mT / W_key.shape[1] ** 0.5
    weights = scores.exp() / scores.exp().sum(-1, keepdim=True)
    return weights @ (memory @ W_value)
"""
LOGARITHM = """
def next_token_loss(logits, tokens):
    probabilities = torch.softmax(logits[:, :-1], dim=-1)
    return -probabilities.gather(-1, tokens[:, 1:, None]).log().mean()
"""
GROUPED_NOT_SCALED = """
def grouped_query_attention(queries, keys, values):
    groups, t = queries.shape[1] // keys.shape[1], queries.shape[2]
    keys, values = keys.repeat_interleave(groups, dim=1), values.repeat_interleave(groups, dim=1)
    scores = (queries @ keys.mT).masked_fill(torch.ones(t, t).triu(1).bool(), -torch.inf)
    return torch.softmax(scores, dim=-1) @ values
"""

NEARLY_RIGHT = {
    "a mask of numbers": Row("part5_inference.causal_mask_with_past", 0.5, FLOAT_MASK),
    "len of an empty cache fails": Row(
        "part5_inference.KVCache", 1.5, _but(CACHE, "0 if self.keys is None else self.keys", "self.keys")
    ),
    "all caches share their lists": Row("part5_inference.KVCache", 1.5, SHARED_CACHE),
    "a base that is not used": Row("part5_inference.rotate", 2.5, _but(ROTATE, "= base **", "= 10000.0 **")),
    "keys that are built": Row("part5_inference.absorbed_scores", 1.5, KEYS_BUILT),
    "the whole row at once": Row("part5_inference.online_softmax_stats", 2.0, ALL_AT_ONCE),
    "attention without tiles": Row("part5_inference.flash_attention", 2.0, PLAIN_ATTENTION),
    "plain exponentials": Row("part5_inference.cross_attention", 0.8, PLAIN_EXPONENTIALS),
    "parameters that are plain tensors": Row("part6_training.LayerNorm", 2.5, NORM.replace("nn.Parameter(", "(")),
    "parameters of other names": Row(
        "part6_training.LayerNorm", 2.7, NORM.replace("self.scale", "self.gamma").replace("self.shift", "self.beta")
    ),
    "no dropout on the embeddings": Row(
        "part6_training.TinyGPT", 4.5, _but(RIGHT["part6_training.TinyGPT"], "self.drop_emb(x)", "x")
    ),
    "blocks in a plain list": Row(
        "part6_training.TinyGPT",
        3.0,
        _but(
            _but(RIGHT["part6_training.TinyGPT"], "nn.Sequential(*blocks)", "blocks"),
            "x = self.trf_blocks(self.drop_emb(x))",
            "x = self.drop_emb(x)\n        for block in self.trf_blocks:\n            x = block(x)",
        ),
    ),
    "numbers drawn as GPT-2 draws them": Row(
        "part6_training.TinyGPT",
        4.3,
        _but(
            RIGHT["part6_training.TinyGPT"],
            "bias=False)",
            "bias=False)\n        for p in self.parameters():\n            if p.dim() > 1:\n                nn.init.normal_(p, std=0.02)",
        ),
    ),
    "grouped queries, not scaled": Row("part5_inference.grouped_query_attention", 1.5, GROUPED_NOT_SCALED, 0.21),
    "latent attention, not scaled": Row(
        "part5_inference.latent_attention", 1.5, _but(LATENT, " / q.shape[-1] ** 0.5", ""), 0.72
    ),
    "maps, not scaled": Row("part6_training.attention_maps", 3, _but(MAPS, " / q.shape[-1] ** 0.5", ""), 1.8),
    "a last norm that is not called": Row(
        "part6_training.TinyGPT",
        3,
        _but(RIGHT["part6_training.TinyGPT"], "self.out_head(self.final_norm(x))", "self.out_head(x)"),
        0.5,
        why="a student would give 3.5; but every logit is wrong",
    ),
    "the new tokens alone": Row(
        "part6_training.generate", 1.5, _but(GENERATE, "    return tokens", "    return tokens[:, -max_new_tokens:]"), 0
    ),
    "the logarithm of a softmax": Row("part6_training.next_token_loss", 1.7, LOGARITHM),
    "a tensor for a float": Row("part6_training.train_step", 2.5, _but(TRAIN_STEP, "loss.item()", "loss.detach()")),
    "dropout off for ever": Row("part6_training.train_step", 2.5, _but(TRAIN_STEP, "model.train()", "model.eval()")),
    "nothing cropped": Row(
        "part6_training.generate", 2.0, _but(GENERATE, "tokens[:, -model.context_length:]", "tokens")
    ),
    "gradients off for good": Row(
        "part6_training.generate",
        2.5,
        _but(
            GENERATE,
            "        with torch.no_grad():\n            logits",
            "        torch.set_grad_enabled(False)\n        if True:\n            logits",
        ),
    ),
}

ROWS = REVIEWED | NEARLY_RIGHT


@pytest.mark.parametrize("path", RIGHT)
def test_the_texts_that_are_changed_below_have_full_marks(mark_step: MarkStep, path: str) -> None:
    marks = mark_step(*path.split("."), HEADER + RIGHT[path])
    assert marks.passed, marks.first_failure


@pytest.mark.parametrize("row", ROWS.values(), ids=ROWS)
def test_what_is_nearly_right_has_what_a_teacher_would_give(mark_step: MarkStep, row: Row) -> None:
    marks = mark_step(*row.step.split("."), HEADER + row.text)
    assert marks.score < marks.max_score or row.fair == marks.max_score
    assert abs(marks.score - row.fair) <= HALF_A_POINT, marks.score


USELESS = {
    "part5_inference.causal_mask_with_past": "def causal_mask_with_past(num_new, num_past):\n    return torch.zeros(num_new, num_past + num_new).bool()\n",
    "part5_inference.KVCache": "class KVCache:\n    def append(self, keys, values):\n        return keys, values\n\n    def __len__(self):\n        return 0\n",
    "part5_inference.attend_with_cache": "def attend_with_cache(queries, keys, values, cache):\n    return queries\n",
    "part5_inference.repeat_kv": "def repeat_kv(x, groups):\n    return x\n",
    "part5_inference.grouped_query_attention": "def grouped_query_attention(queries, keys, values):\n    return torch.zeros_like(queries)\n",
    "part5_inference.rotate": "def rotate(x, positions, base=10000.0):\n    return x\n",
    "part5_inference.latent_attention": "def latent_attention(*given):\n    raise ValueError('no')\n",
    "part5_inference.absorbed_scores": "def absorbed_scores(queries, latent, W_up_key):\n    return torch.zeros(*queries.shape[:3], queries.shape[2])\n",
    "part5_inference.online_softmax_stats": "def online_softmax_stats(scores, block_size):\n    return scores[..., 0], scores[..., 0]\n",
    "part5_inference.flash_attention": "def flash_attention(queries, keys, values, block_size, causal):\n    return torch.zeros(*queries.shape[:-1], values.shape[-1])\n",
    "part5_inference.sliding_window_mask": "def sliding_window_mask(num_tokens, window):\n    return torch.zeros(num_tokens, num_tokens).bool()\n",
    "part5_inference.cross_attention": "def cross_attention(x, memory, W_query, W_key, W_value):\n    return x\n",
    "part6_training.LayerNorm": "class LayerNorm(nn.Module):\n    def __init__(self, emb_dim):\n        super().__init__()\n        self.scale = nn.Parameter(torch.ones(emb_dim))\n        self.shift = nn.Parameter(torch.zeros(emb_dim))\n\n    def forward(self, x):\n        return x\n",
    "part6_training.FeedForward": "class FeedForward(nn.Module):\n    def __init__(self, emb_dim):\n        super().__init__()\n        self.layer = nn.Linear(emb_dim, emb_dim)\n\n    def forward(self, x):\n        return self.layer(x)\n",
    "part6_training.TransformerBlock": "class TransformerBlock(nn.Module):\n    def __init__(self, attention, emb_dim, dropout):\n        super().__init__()\n        self.attention = attention\n\n    def forward(self, x):\n        return x\n",
    "part6_training.TinyGPT": "class TinyGPT(nn.Module):\n    def __init__(self, vocab_size, context_length, emb_dim, num_heads, num_layers, dropout, attention_class):\n        super().__init__()\n        self.context_length, self.vocab_size = context_length, vocab_size\n        self.attention = attention_class(emb_dim, emb_dim, context_length, dropout, num_heads)\n\n    def forward(self, tokens):\n        return torch.zeros(*tokens.shape, self.vocab_size)\n",
    "part6_training.next_token_loss": "def next_token_loss(logits, tokens):\n    return torch.zeros(())\n",
    "part6_training.train_step": "def train_step(model, optimizer, tokens):\n    return 0.0\n",
    "part6_training.generate": "def generate(model, tokens, max_new_tokens):\n    return tokens\n",
    "part6_training.attention_maps": "def attention_maps(model, tokens):\n    return torch.zeros(1, *tokens.shape)\n",
}
"""For each step, code that does nothing of what is asked, or always fails."""

LITTLE = 0.2
"""The share of a step's points that may fall to such code by accident."""


@pytest.mark.parametrize("path", USELESS)
def test_what_does_nothing_has_nearly_nothing(mark_step: MarkStep, path: str) -> None:
    marks = mark_step(*path.split("."), HEADER + USELESS[path])
    assert marks.score <= LITTLE * marks.max_score


@pytest.mark.parametrize("path", RIGHT)
def test_what_always_fails_has_nothing(mark_step: MarkStep, path: str) -> None:
    step = path.partition(".")[2]
    text = f"class {step}:\n    def __init__(self, *given):\n        raise ValueError('no')\n"
    if step.islower():
        text = f"def {step}(*given):\n    raise ValueError('no')\n"
    assert mark_step(*path.split("."), HEADER + text).score <= LITTLE
