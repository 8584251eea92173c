"""The commonest mistakes of parts 1 to 4 as beginners write them: each is told by name, with a sentence that is true of it."""

from collections.abc import Callable

import pytest

from autograder.grading.results import Diagnosis, StepMarks

MarkStep = Callable[..., StepMarks]

HEADER = "import torch\nfrom torch import nn\n\n"

FUTURE = "torch.triu(torch.ones(scores.shape[-2:]), diagonal=1).bool()"

CAUSAL = """class CausalAttention(nn.Module):
    def __init__(self, d_in, d_out, context_length, dropout, qkv_bias=False):
        super().__init__()
        self.W_query = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.W_key = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.W_value = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.dropout = nn.Dropout(dropout)
        self.register_buffer("mask", torch.triu(torch.ones(context_length, context_length), diagonal=1).bool())

    def forward(self, x):
        b, t, d_in = x.shape
        q, k, v = self.W_query(x), self.W_key(x), self.W_value(x)
        scores = q @ k.transpose(1, 2)
        scores = scores.masked_fill(self.mask[:t, :t], -torch.inf)
        weights = torch.softmax(scores / k.shape[-1] ** 0.5, dim=-1)
        weights = self.dropout(weights)
        return weights @ v
"""

MULTI_HEAD = """class MultiHeadAttention(nn.Module):
    def __init__(self, d_in, d_out, context_length, dropout, num_heads, qkv_bias=False):
        super().__init__()
        if num_heads < 1 or d_out % num_heads:
            raise ValueError("no")
        self.num_heads = num_heads
        self.head_dim = d_out // num_heads
        self.W_query = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.W_key = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.W_value = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.out_proj = nn.Linear(d_out, d_out)
        self.dropout = nn.Dropout(dropout)
        self.register_buffer("mask", torch.triu(torch.ones(context_length, context_length), diagonal=1).bool())

    def forward(self, x):
        b, t, d_in = x.shape
        q = self.W_query(x).view(b, t, self.num_heads, self.head_dim).transpose(1, 2)
        k = self.W_key(x).view(b, t, self.num_heads, self.head_dim).transpose(1, 2)
        v = self.W_value(x).view(b, t, self.num_heads, self.head_dim).transpose(1, 2)
        scores = q @ k.transpose(2, 3)
        scores = scores.masked_fill(self.mask[:t, :t], -torch.inf)
        weights = torch.softmax(scores / k.shape[-1] ** 0.5, dim=-1)
        weights = self.dropout(weights)
        context = (weights @ v).transpose(1, 2).reshape(b, t, -1)
        return self.out_proj(context)
"""

CHECKED = '        if num_heads < 1 or d_out % num_heads:\n            raise ValueError("no")\n'
DROPPED = "        weights = self.dropout(weights)\n"
MASKED = "        scores = scores.masked_fill(self.mask[:t, :t], -torch.inf)\n"
MASKED_LATER = "        weights = weights.masked_fill(self.mask[:t, :t], {})\n" + DROPPED
SPLIT = ".view(b, t, self.num_heads, self.head_dim).transpose(1, 2)"

FUNCTIONS = {
    "piece_by_piece": (
        "part1_simplified.softmax",
        "def softmax(scores):\n    out = torch.zeros_like(scores)\n    for i in range(scores.shape[0]):\n"
        "        e = torch.exp(scores[i] - scores[i].max())\n        out[i] = e / e.sum()\n    return out\n",
    ),
    "weights_times_inputs": (
        "part1_simplified.context_vector",
        "def context_vector(weights, inputs):\n    return weights * inputs\n",
    ),
    "attention_between_columns": (
        "part1_simplified.simplified_self_attention",
        "def simplified_self_attention(inputs):\n    return inputs @ torch.softmax(inputs.T @ inputs, dim=-1)\n",
    ),
    "numbers_where_seen": (
        "part3_causal.causal_mask",
        "def causal_mask(num_tokens):\n    return torch.tril(torch.ones(num_tokens, num_tokens))\n",
    ),
    "numbers_with_the_diagonal": (
        "part3_causal.causal_mask",
        "def causal_mask(num_tokens):\n    return torch.triu(torch.ones(num_tokens, num_tokens))\n",
    ),
    "multiplied_by_mask": (
        "part3_causal.mask_scores",
        f"def mask_scores(scores):\n    mask = {FUTURE}\n    return scores * mask\n",
    ),
    "weights_filled_with_infinity": (
        "part3_causal.causal_attention_weights",
        f"def causal_attention_weights(scores, d_k):\n    mask = {FUTURE}\n"
        "    weights = torch.softmax(scores / d_k**0.5, dim=-1)\n    return weights.masked_fill(mask, -torch.inf)\n",
    ),
    "true_division_unchecked": (
        "part4_multihead.head_dim",
        "def head_dim(d_out, num_heads):\n    return d_out / num_heads\n",
    ),
    "true_division": (
        "part4_multihead.head_dim",
        "def head_dim(d_out, num_heads):\n    if d_out % num_heads != 0:\n        raise ValueError('no')\n"
        "    return d_out / num_heads\n",
    ),
    "asserted": (
        "part4_multihead.head_dim",
        "def head_dim(d_out, num_heads):\n    assert d_out % num_heads == 0, 'no'\n    return d_out // num_heads\n",
    ),
    "head_weights_filled_with_infinity": (
        "part4_multihead.head_weights",
        f"def head_weights(scores, head_dim):\n    mask = {FUTURE}\n"
        "    weights = torch.softmax(scores / head_dim**0.5, dim=-1)\n    return weights.masked_fill(mask, -torch.inf)\n",
    ),
    "numbers_of_one_head": (
        "part4_multihead.merge_heads",
        "def merge_heads(context):\n    b, h, t, hd = context.shape\n    return context.reshape(b, t, hd)\n",
    ),
}

PRODUCTS = {
    "part2_trainable.context_vectors": "def context_vectors(weights, values):\n    return weights * values\n",
    "part4_multihead.head_context": "def head_context(weights, values):\n    return weights * values\n",
}

IN_CAUSAL = {
    "AllDimensionsTurned": {"k.transpose(1, 2)": "k.T"},
    "DropoutOnValues": {DROPPED: "", "weights @ v": "weights @ self.dropout(v)"},
    "WeightsFilledWithInfinity": {MASKED: "", DROPPED: MASKED_LATER.format("-torch.inf")},
    "CausalQueryBiasLeftOn": {
        "self.W_query = nn.Linear(d_in, d_out, bias=qkv_bias)": "self.W_query = nn.Linear(d_in, d_out)"
    },
}

IN_MULTI_HEAD = {
    "HeadDimOfDIn": {"self.head_dim = d_out": "self.head_dim = d_in"},
    "ScaledByRootOfHeads": {"k.shape[-1]": "k.shape[1]"},
    "OneHeadScaledByHeadDim": {
        SPLIT: "",
        "k.transpose(2, 3)": "k.transpose(1, 2)",
        ".transpose(1, 2).reshape(b, t, -1)": "",
        "k.shape[-1]": "self.head_dim",
    },
    "IndivisibleAccepted": {CHECKED: ""},
    "NumHeadsNotKept": {"self.num_heads": "self.h"},
    "MultiHeadAllDimensionsTurned": {"k.transpose(2, 3)": "k.T"},
    "MultiHeadDropoutOnValues": {DROPPED: "", "weights @ v": "weights @ self.dropout(v)"},
    "MultiHeadMaskedAfterSoftmax": {MASKED: "", DROPPED: MASKED_LATER.format("0.0")},
    "MultiHeadWeightsFilledWithInfinity": {MASKED: "", DROPPED: MASKED_LATER.format("-torch.inf")},
    "MultiHeadQueryBiasLeftOn": {
        "self.W_query = nn.Linear(d_in, d_out, bias=qkv_bias)": "self.W_query = nn.Linear(d_in, d_out)"
    },
}

CLASSES = {
    name: (path, text, changes)
    for path, text, mistakes in (
        ("part3_causal.CausalAttention", CAUSAL, IN_CAUSAL),
        ("part4_multihead.MultiHeadAttention", MULTI_HEAD, IN_MULTI_HEAD),
    )
    for name, changes in mistakes.items()
}


def _told(mark_step: MarkStep, path: str, text: str) -> Diagnosis:
    diagnosis = mark_step(*path.split("."), HEADER + text).diagnosis
    assert diagnosis is not None
    return diagnosis


def _changed(text: str, changes: dict[str, str]) -> str:
    for old, new in changes.items():
        assert old in text
        text = text.replace(old, new)
    return text


@pytest.mark.parametrize(
    ("path", "text"), [("part3_causal.CausalAttention", CAUSAL), ("part4_multihead.MultiHeadAttention", MULTI_HEAD)]
)
def test_what_is_changed_below_is_right_before(mark_step: MarkStep, path: str, text: str) -> None:
    assert mark_step(*path.split("."), HEADER + text).passed


@pytest.mark.parametrize(("mistake", "case"), FUNCTIONS.items(), ids=FUNCTIONS)
def test_a_beginners_mistake_in_a_function_is_named(mark_step: MarkStep, mistake: str, case: tuple[str, str]) -> None:
    assert _told(mark_step, *case).id == mistake


@pytest.mark.parametrize(("path", "text"), PRODUCTS.items(), ids=PRODUCTS)
def test_a_product_number_by_number_in_place_of_one_of_matrices_is_named(
    mark_step: MarkStep, path: str, text: str
) -> None:
    assert _told(mark_step, path, text).says.startswith("`*` multiplies number by number")


@pytest.mark.parametrize(("mistake", "case"), CLASSES.items(), ids=CLASSES)
def test_a_beginners_mistake_in_a_class_is_named(
    mark_step: MarkStep, mistake: str, case: tuple[str, str, dict[str, str]]
) -> None:
    path, text, changes = case
    assert _told(mark_step, path, _changed(text, changes)).id == mistake


@pytest.mark.parametrize("piece", ["torch.exp(piece)", "torch.exp(piece - piece.max())"])
def test_a_softmax_piece_by_piece_is_not_taken_for_one_over_everything(mark_step: MarkStep, piece: str) -> None:
    text = f"def softmax(scores):\n    return torch.stack([{piece} / {piece}.sum() for piece in scores])\n"
    assert _told(mark_step, "part1_simplified.softmax", text).id == "piece_by_piece"


def test_heads_of_one_sentence_are_not_said_to_be_joined_along_a_batch(mark_step: MarkStep) -> None:
    text = "def concat_heads(heads, x):\n    return torch.cat([head(x) for head in heads])\n"
    says = _told(mark_step, "part4_multihead.concat_heads", text).says
    assert "batch" not in says
    assert "first dimension" in says


def test_dropout_on_the_tokens_is_not_said_to_be_on_the_values_alone(mark_step: MarkStep) -> None:
    text = _changed(CAUSAL, {DROPPED: "", "        q, k, v": "        x = self.dropout(x)\n        q, k, v"})
    assert "or of the tokens" in _told(mark_step, "part3_causal.CausalAttention", text).says


def test_weights_dropped_but_not_scaled_are_diagnosed(mark_step: MarkStep) -> None:
    by_hand = "weights * (torch.rand_like(weights) > self.dropout.p) if self.training else weights"
    text = _changed(CAUSAL, {"self.dropout(weights)": by_hand})
    assert "scale the kept ones by 1 / (1 − p)" in _told(mark_step, "part3_causal.CausalAttention", text).says


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("part1_simplified.attention_scores", "def attention_scores(query, inputs):\n    return query @ inputs\n"),
        ("part2_trainable.scores_for_query", "def scores_for_query(query, keys):\n    return query @ keys\n"),
        ("part1_simplified.context_vector", "def context_vector(weights, inputs):\n    return inputs @ weights\n"),
    ],
)
def test_a_product_that_raises_is_not_said_to_have_made_anything(mark_step: MarkStep, path: str, text: str) -> None:
    says = _told(mark_step, path, text).says
    assert "must meet" in says or "are the rows" in says
    assert "instead of" not in says


COLUMNS = "def self_attention_columns(H, W_query, W_key, W_value):\n    Q, K, V = W_query @ H, W_key @ H, W_value @ H\n    return "

ANSWERS_ALIKE = {
    "a search for each row's maximum that begins at 0": (
        "part1_simplified.softmax",
        "def softmax(scores):\n    exponentials = (scores - scores.amax(dim=-1, keepdim=True).clamp(min=0.0)).exp()\n"
        "    return exponentials / exponentials.sum(dim=-1, keepdim=True)\n",
        "You subtract the largest score of the whole tensor",
    ),
    "two weights in each other's place": (
        "part2_trainable.project_qkv",
        "def project_qkv(x, W_query, W_key, W_value):\n    return x @ W_key, x @ W_query, x @ W_value\n",
        "Right numbers in the wrong order",
    ),
    "columns of scores, and a softmax along the rows": (
        "part2_trainable.self_attention_columns",
        f"{COLUMNS}V @ torch.softmax(K.T @ Q / K.shape[0] ** 0.5, dim=-1).T\n",
        "QᵀK",
    ),
    "a mask that begins too late": (
        "part5_inference.attend_with_cache",
        "def attend_with_cache(queries, keys, values, cache):\n    keys, values = cache.append(keys, values)\n"
        "    scores = queries @ keys.transpose(2, 3) / keys.shape[-1] ** 0.5\n"
        "    mask = torch.ones(scores.shape[-2:], dtype=torch.bool).triu(len(cache) + 1)\n"
        "    return torch.softmax(scores.masked_fill(mask, float('-inf')), dim=-1) @ values\n",
        "The mask is missing:",
    ),
    "numbers copied one by one in the order of memory": (
        "part4_multihead.group_by_head",
        "def group_by_head(x):\n    b, t, h, hd = x.shape\n    numbers = [n for n in x.flatten()]\n"
        "    return torch.stack(numbers).unflatten(0, (b, h, t, hd))\n",
        "only regroup",
    ),
}
"""Code that answers as a known mistake does, but is written otherwise, and what would be false of it."""


@pytest.mark.parametrize(("path", "text", "false"), ANSWERS_ALIKE.values(), ids=ANSWERS_ALIKE)
def test_what_is_said_is_true_of_other_code_that_answers_alike(
    mark_step: MarkStep, path: str, text: str, false: str
) -> None:
    told = _told(mark_step, path, text)
    assert told.kind == "mistake"
    assert false not in told.says


def test_a_python_number_is_told_once_and_then_what_to_return(mark_step: MarkStep) -> None:
    marks = mark_step("part1_simplified", "dot_product", "def dot_product(a, b):\n    return (a * b).sum().item()\n")
    assert marks.first_failure is not None
    assert marks.diagnosis is not None
    assert "keep it a tensor (no `.item()`)" in marks.first_failure.message
    assert "gradients" not in marks.diagnosis.says


def test_dropout_has_cases_whose_names_do_not_say_again_that_they_are_in_training(mark_step: MarkStep) -> None:
    text = _changed(CAUSAL, {DROPPED: ""})
    failure = mark_step("part3_causal", "CausalAttention", HEADER + text).first_failure
    assert failure is not None
    assert failure.case == "dropout of 0.2"
    assert failure.message.startswith("in training, ")
