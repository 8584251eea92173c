"""What a teacher would give for steps of parts 3 and 4 that are nearly right, and for code that does nothing: within half a point."""

from collections.abc import Callable
from dataclasses import dataclass

import pytest
from test_lecture_classes_of_heads import CAUSAL, MULTI_HEAD

from autograder.grading.results import StepMarks

MarkStep = Callable[..., StepMarks]

HEADER = "import numpy\nimport torch\nimport torch.nn as nn\n\n"

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


def _causal(fair: float, *changes: tuple[str, str], given: float | None = None, why: str = "") -> Row:
    return Row("part3_causal.CausalAttention", fair, _changed(CAUSAL, *changes), given, why)


def _heads(fair: float, *changes: tuple[str, str], given: float | None = None, why: str = "") -> Row:
    return Row("part4_multihead.MultiHeadAttention", fair, _changed(MULTI_HEAD, *changes), given, why)


def _changed(text: str, *changes: tuple[str, str]) -> str:
    for old, new in changes:
        assert old in text
        text = text.replace(old, new)
    return text


BUFFER = "self.register_buffer('mask', torch.triu(torch.ones(context_length, context_length), diagonal=1))"
REFUSED = """        assert (d_out % num_heads == 0), \\
            "d_out must be divisible by num_heads"
"""
BESIDE_THE_MASK = (
    "the review says 5: nothing is hidden wrongly, and how the mask is kept shows only when a model is moved or saved"
)
KEY_FIRST = (
    "        self.W_query = nn.Linear(d_in, d_out, bias=qkv_bias)\n        self.W_key = nn.Linear(d_in, d_out, bias=qkv_bias)\n",
    "        self.W_key = nn.Linear(d_in, d_out, bias=qkv_bias)\n        self.W_query = nn.Linear(d_in, d_out, bias=qkv_bias)\n",
)
CAUSAL_WEIGHTS = """
def causal_attention_weights(scores, d_k):
    t = scores.shape[-1]
    masked = scores.masked_fill(torch.ones(t, t).triu(1).bool(), -torch.inf)
    return torch.softmax(masked{}, dim=-1)
"""
IN_ONE_LAYER = (
    (
        "".join(
            f"        self.{name} = nn.Linear(d_in, d_out, bias=qkv_bias)\n" for name in ("W_query", "W_key", "W_value")
        ),
        "        self.c_attn = nn.Linear(d_in, 3 * d_out, bias=qkv_bias)\n",
    ),
    ("keys = self.W_key(x)\n", "queries, keys, values = self.c_attn(x).chunk(3, dim=-1)\n"),
    ("        queries = self.W_query(x)\n        values = self.W_value(x)\n", ""),
)
UNDER_OTHER_NAMES = (
    "all is right but the names of the docstring, by which part 6 finds attention: as for three layers of other names"
)

NEARLY = {
    "a mask of floats": Row(
        "part3_causal.causal_mask",
        1.5,
        "def causal_mask(num_tokens):\n    return torch.triu(torch.ones(num_tokens, num_tokens), diagonal=1)\n",
        given=0,
    ),
    "a mask of lists": Row(
        "part3_causal.causal_mask",
        2,
        "def causal_mask(num_tokens):\n    n = range(num_tokens)\n    return [[j > i for j in n] for i in n]\n",
        given=0,
    ),
    "a mask in NumPy": Row(
        "part3_causal.causal_mask",
        2,
        "def causal_mask(num_tokens):\n    return numpy.triu(numpy.ones((num_tokens, num_tokens), dtype=bool), k=1)\n",
        given=0,
    ),
    "a mask in four dimensions": Row(
        "part3_causal.causal_mask",
        1.5,
        "def causal_mask(num_tokens):\n    n = num_tokens\n    return torch.ones(n, n).triu(1).bool().view(1, 1, n, n)\n",
        given=0,
    ),
    "filled with -1e9": Row(
        "part3_causal.mask_scores",
        1.5,
        "def mask_scores(scores):\n    t = scores.shape[-1]\n"
        "    return scores.masked_fill(torch.ones(t, t).triu(1).bool(), -1e9)\n",
        given=0.29,
    ),
    "filled with the lowest number": Row(
        "part3_causal.mask_scores",
        3,
        "def mask_scores(scores):\n    t = scores.shape[-1]\n"
        "    return scores.masked_fill(torch.ones(t, t).triu(1).bool(), torch.finfo(scores.dtype).min)\n",
        given=1.2,
    ),
    "one sentence only": Row(
        "part3_causal.mask_scores",
        3.5,
        "def mask_scores(scores):\n    t = len(scores)\n"
        "    return scores.masked_fill(torch.ones(t, t).triu(1).bool(), -torch.inf)\n",
        why="the review has no such row",
    ),
    "an out-of-place copy forgotten": Row(
        "part3_causal.mask_scores",
        3.5,
        "def mask_scores(scores):\n    t = scores.shape[-1]\n"
        "    scores[..., torch.ones(t, t).triu(1).bool()] = -torch.inf\n    return scores\n",
        why="the review has no such row",
    ),
    "not scaled": Row("part3_causal.causal_attention_weights", 3, CAUSAL_WEIGHTS.format(""), given=0),
    "the root of another length": Row(
        "part3_causal.causal_attention_weights", 3, CAUSAL_WEIGHTS.format(" / t**0.5"), given=0
    ),
    "d_k itself for its root": Row(
        "part3_causal.causal_attention_weights", 3, CAUSAL_WEIGHTS.format(" / d_k"), given=0
    ),
    "causal attention, not scaled": _causal(4, (" / keys.shape[-1]**0.5", ""), given=2.66),
    "heads, not scaled": _heads(4, (" / keys.shape[-1]**0.5", ""), given=3.2),
    "out_proj that is not called": _heads(3.5, ("        context_vec = self.out_proj(context_vec)\n", ""), given=2.4),
    "three projections in one layer": _causal(5, *IN_ONE_LAYER, given=0, why=UNDER_OTHER_NAMES),
    "heads with three projections in one layer": _heads(5, *IN_ONE_LAYER, given=0.9, why=UNDER_OTHER_NAMES),
    "right beside moderate scores": Row(
        "part3_causal.causal_attention_weights",
        4.5,
        "def causal_attention_weights(scores, d_k):\n    w = torch.softmax(scores / d_k**0.5, dim=-1).tril()\n"
        "    return w / w.sum(dim=-1, keepdim=True)\n",
        why="the review has no such row",
    ),
    "a causal mask that is no buffer": _causal(
        5.5, (BUFFER, BUFFER.replace("register_buffer('mask', ", "mask = (")), given=0.6, why=BESIDE_THE_MASK
    ),
    "a causal mask of another name": _causal(
        5.5, ("'mask'", "'tril'"), ("self.mask", "self.tril"), given=0.6, why=BESIDE_THE_MASK
    ),
    "keys drawn first": _causal(5.5, KEY_FIRST),
    "biases always": _causal(5, ("bias=qkv_bias", "bias=True")),
    "biases never": _causal(5.5, ("bias=qkv_bias", "bias=False")),
    "no dropout": _causal(5, ("        attn_weights = self.dropout(attn_weights)\n", "")),
    "dropout on the context": _causal(
        5,
        ("        attn_weights = self.dropout(attn_weights)\n", ""),
        ("return context_vec", "return self.dropout(context_vec)"),
    ),
    "dropout drawn by oneself, not scaled": _causal(
        5,
        (
            "self.dropout(attn_weights)",
            "attn_weights * (torch.rand_like(attn_weights) > self.dropout.p) if self.training else attn_weights",
        ),
    ),
    "a mask that is not cut": _causal(5, (".bool()[:num_tokens, :num_tokens]", ".bool()")),
    "other names for the layers": _causal(5, ("W_query", "q"), ("W_key", "k"), ("W_value", "v")),
    "floor division": Row(
        "part4_multihead.head_dim", 1, "def head_dim(d_out, num_heads):\n    return d_out // num_heads\n"
    ),
    "a head_dim that is no whole number": Row(
        "part4_multihead.head_dim",
        1,
        "def head_dim(d_out, num_heads):\n    if d_out % num_heads:\n        raise ValueError\n    return d_out / num_heads\n",
    ),
    "an assert in head_dim": Row(
        "part4_multihead.head_dim",
        1.5,
        "def head_dim(d_out, num_heads):\n    assert d_out % num_heads == 0\n    return d_out // num_heads\n",
    ),
    "head_weights, not scaled": Row(
        "part4_multihead.head_weights",
        2,
        CAUSAL_WEIGHTS.format("").replace("causal_attention_weights", "head_weights"),
        given=0,
    ),
    "a view of what is not contiguous": Row(
        "part4_multihead.merge_heads",
        1,
        "def merge_heads(context):\n    b, h, t, hd = context.shape\n    return context.transpose(1, 2).view(b, t, h * hd)\n",
        given=0.15,
    ),
    "heads put side by side as they lie": Row(
        "part4_multihead.merge_heads",
        1,
        "def merge_heads(context):\n    b, h, t, hd = context.shape\n    return context.reshape(b, t, h * hd)\n",
        given=0.15,
    ),
    "split_heads, left to torch": Row(
        "part4_multihead.split_heads",
        2.5,
        "def split_heads(x, num_heads):\n    b, t, d = x.shape\n    return x.view(b, t, num_heads, d // num_heads)\n",
        given=1,
        why="sizes that do not fit are undefined: full marks",
    ),
    "the lecture's heads": _heads(5.5, given=2.31, why="an exception is as good as another: full marks"),
    "out_proj without bias": _heads(5, ("nn.Linear(d_out, d_out)", "nn.Linear(d_out, d_out, bias=False)"), given=0.92),
    "num_heads under another name": _heads(
        5.5, ("self.num_heads", "self.h"), given=6, why="nothing else is wrong, and only part 6 needs it"
    ),
    "any number of heads": _heads(5.5, (REFUSED, "")),
    "a mask of several heads that is no buffer": _heads(
        5.5, ('self.register_buffer(\n            "mask",', "self.mask = (")
    ),
    "heads with no dropout": _heads(5, ("        attn_weights = self.dropout(attn_weights)\n", "")),
    "heads with keys drawn first": _heads(5.5, KEY_FIRST),
}

ZEROS = {
    "part3_causal.causal_mask": "def causal_mask(n):\n    return torch.zeros(n, n).bool()\n",
    "part3_causal.mask_scores": "def mask_scores(scores):\n    return torch.zeros_like(scores)\n",
    "part3_causal.causal_attention_weights": "def causal_attention_weights(scores, d_k):\n    return 0 * scores\n",
    "part3_causal.renormalized_weights": "def renormalized_weights(weights):\n    return 0 * weights\n",
    "part3_causal.apply_dropout": "def apply_dropout(weights, keep, p):\n    return 0 * weights\n",
    "part4_multihead.concat_heads": "def concat_heads(heads, x):\n    return 0 * x\n",
    "part4_multihead.head_dim": "def head_dim(d_out, num_heads):\n    return 0\n",
    "part4_multihead.split_heads": "def split_heads(x, num_heads):\n    return 0 * x\n",
    "part4_multihead.head_scores": "def head_scores(queries, keys):\n    return 0 * queries\n",
}
INPUT = {
    "part3_causal.mask_scores": "def mask_scores(scores):\n    return scores\n",
    "part3_causal.causal_attention_weights": "def causal_attention_weights(scores, d_k):\n    return scores\n",
    "part3_causal.renormalized_weights": "def renormalized_weights(weights):\n    return weights\n",
    "part3_causal.apply_dropout": "def apply_dropout(weights, keep, p):\n    return weights\n",
    "part4_multihead.concat_heads": "def concat_heads(heads, x):\n    return x\n",
    "part4_multihead.group_by_head": "def group_by_head(x):\n    return x\n",
    "part4_multihead.head_weights": "def head_weights(scores, head_dim):\n    return scores\n",
    "part4_multihead.head_context": "def head_context(weights, values):\n    return values\n",
    "part4_multihead.merge_heads": "def merge_heads(context):\n    return context\n",
}
RAISES = {
    "part3_causal.causal_mask": "def causal_mask(n):\n    raise ValueError\n",
    "part4_multihead.head_dim": "def head_dim(d_out, num_heads):\n    raise ValueError\n",
    "part4_multihead.MultiHeadAttention": "class MultiHeadAttention(nn.Module):\n"
    "    def __init__(self, *arguments, **named):\n        raise ValueError\n",
}
USELESS = [
    pytest.param(path, text, id=f"{path}, {what}")
    for what, texts in (("zeros", ZEROS), ("its input", INPUT), ("raises", RAISES))
    for path, text in texts.items()
]


@pytest.mark.parametrize("row", NEARLY.values(), ids=NEARLY)
def test_nearly_right_earns_nearly_all(mark_step: MarkStep, row: Row) -> None:
    marks = mark_step(*row.step.split("."), HEADER + row.text)
    assert abs(marks.score - row.fair) <= HALF_A_POINT, marks.criteria


@pytest.mark.parametrize(("path", "text"), USELESS)
def test_code_that_does_nothing_earns_nearly_nothing(mark_step: MarkStep, path: str, text: str) -> None:
    marks = mark_step(*path.split("."), HEADER + text)
    assert marks.score <= 0.15 * marks.max_score, marks.criteria
