"""Modules and functions that are wrong in one rare place: each was accepted once, or nearly."""

from collections.abc import Callable

import pytest

from autograder.grading.results import StepMarks

MarkStep = Callable[..., StepMarks]

CAUSAL = """
import torch
import torch.nn.functional as F
from torch import nn

class CausalAttention(nn.Module):
    def __init__(self, d_in, d_out, context_length, dropout, qkv_bias=False):
        super().__init__()
        self.W_query = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.W_key = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.W_value = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.dropout = nn.Dropout(dropout)
        self.register_buffer("mask", torch.ones(context_length, context_length).triu(1).bool())
        self.kept = {}

    def forward(self, x):
        b, t, _ = x.shape
        q, k, v = self.W_query(x), self.W_key(x), self.W_value(x)
        scores = q @ k.mT / k.shape[-1] ** 0.5
        scores = scores.masked_fill(self.mask[:t, :t], float("-inf"))
        weights = torch.softmax(scores, dim=-1)
        weights = self.dropout(weights)
        return weights @ v
"""

MULTI_HEAD = """
import torch
from torch import nn

class MultiHeadAttention(nn.Module):
    def __init__(self, d_in, d_out, context_length, dropout, num_heads, qkv_bias=False):
        super().__init__()
        if num_heads < 1 or d_out % num_heads:
            raise ValueError("no")
        self.num_heads, self.head_dim = num_heads, d_out // num_heads
        self.W_query = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.W_key = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.W_value = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.out_proj = nn.Linear(d_out, d_out)
        self.dropout = nn.Dropout(dropout)
        self.register_buffer("mask", torch.ones(context_length, context_length).triu(1).bool())

    def forward(self, x):
        b, t, _ = x.shape
        layers = (self.W_query, self.W_key, self.W_value)
        q, k, v = (layer(x).view(b, t, self.num_heads, -1).transpose(1, 2) for layer in layers)
        scores = q @ k.mT / self.head_dim ** 0.5
        scores = scores.masked_fill(self.mask[:t, :t], float("-inf"))
        weights = self.dropout(torch.softmax(scores, dim=-1))
        context = (weights @ v).transpose(1, 2).flatten(2)
        return self.out_proj(context)
"""

WRONG_CAUSAL = {
    "the mask cut for good": (
        "scores = scores.masked_fill(self.mask[:t, :t]",
        "self.mask = self.mask[:t, :t]\n        scores = scores.masked_fill(self.mask",
    ),
    "zeros taken for hidden": ("self.mask[:t, :t], float", "scores.tril() == 0, float"),
    "a rate of its own": ("nn.Dropout(dropout)", "nn.Dropout(0.2)"),
    "a rate where none is asked for": ("nn.Dropout(dropout)", "nn.Dropout(dropout or 0.5)"),
    "dropout in place": ("nn.Dropout(dropout)", "nn.Dropout(dropout, inplace=True)"),
    "dropout of whole rows": ("nn.Dropout(dropout)", "nn.Dropout1d(dropout)"),
    "dropout of whole columns": ("self.dropout(weights)", "weights * self.dropout(torch.ones_like(weights[:, :1]))"),
    "dropout alike in all sentences": ("self.dropout(weights)", "weights * self.dropout(torch.ones_like(weights[:1]))"),
    "dropout alike at every call": (
        "weights = self.dropout(weights)",
        "torch.manual_seed(0)\n        weights = self.dropout(weights)",
    ),
    "no gradient in training": (
        "self.dropout(weights)",
        "self.dropout(weights.detach() if self.training else weights)",
    ),
    "tokens cut off in training": (
        "b, t, _ = x.shape",
        "b, t, _ = x.shape\n        x = x.detach() if self.training else x",
    ),
    "a token dimension lost": ("return weights @ v", "return (weights @ v).squeeze(1)"),
    "a dimension of one number lost": ("return weights @ v", "return (weights @ v).squeeze(-1)"),
    "scores kept by length": (
        "scores = q @ k.mT / k.shape[-1] ** 0.5",
        "scores = self.kept.setdefault((b, t), q @ k.mT / k.shape[-1] ** 0.5)",
    ),
    "a bias unless it is left out": ("bias=qkv_bias", "bias=qkv_bias is not None"),
    "tokens changed in training": (
        "return weights @ v",
        "out = weights @ v\n        if self.training:\n            x.detach().zero_()\n        return out",
    ),
    "a mask filled with -30": ('float("-inf")', "-30.0"),
}

WRONG_MULTI_HEAD = {
    "the mask cut for good": (
        "scores = scores.masked_fill(self.mask[:t, :t]",
        "self.mask = self.mask[:t, :t]\n        scores = scores.masked_fill(self.mask",
    ),
    "dropout of whole heads": ("nn.Dropout(dropout)", "nn.Dropout2d(dropout)"),
    "dropout alike in all heads": (
        "self.dropout(torch.softmax(scores, dim=-1))",
        "torch.softmax(scores, -1) * self.dropout(torch.ones_like(scores[:, :1]))",
    ),
    "no out_proj in training": (
        "return self.out_proj(context)",
        "return context if self.training else self.out_proj(context)",
    ),
    "out_proj twice in training": (
        "return self.out_proj(context)",
        "out = self.out_proj(context)\n        return self.out_proj(out) if self.training else out",
    ),
    "a rate of its own": ("nn.Dropout(dropout)", "nn.Dropout(0.2)"),
    "a mask as large as d_out": ("torch.ones(context_length, context_length)", "torch.ones(d_out, d_out)"),
    "a token dimension lost": ("return self.out_proj(context)", "return self.out_proj(context).squeeze(1)"),
}

WRONG_FUNCTIONS = {
    "part1_simplified.softmax, shifted by the first": "e = (scores - scores[..., :1]).exp()\n    return e / e.sum(-1, keepdim=True)",
    "part1_simplified.softmax, shifted by the mean": "e = (scores - scores.nan_to_num(neginf=0).mean(-1, keepdim=True)).exp()\n    return e / e.sum(-1, keepdim=True)",
    "part1_simplified.softmax, small instead of zero": "e = (scores - scores.amax(-1, keepdim=True)).clamp(min=-20).exp()\n    return e / e.sum(-1, keepdim=True)",
    "part2_trainable.attention_weights, shifted by the largest of all": "e = (scaled_scores - scaled_scores.max()).exp()\n    return e / e.sum(-1, keepdim=True)",
    "part2_trainable.attention_weights, shifted by the first": "e = (scaled_scores - scaled_scores[..., :1]).exp()\n    return e / e.sum(-1, keepdim=True)",
    "part2_trainable.attention_scores, squeezed": "return (queries @ keys.mT).squeeze()",
    "part2_trainable.context_vectors, squeezed": "return (weights @ values).squeeze()",
    "part2_trainable.scale_scores, a whole root": "return scores / int(d_k**0.5) if d_k > 12 else scores / d_k**0.5",
    "part3_causal.mask_scores, squeezed": "t = scores.shape[-1]\n    return scores.masked_fill(torch.ones(t, t).triu(1).bool(), -torch.inf).squeeze()",
    "part3_causal.mask_scores, zeros hidden": "s = scores.tril()\n    return s.masked_fill(s == 0, -torch.inf)",
    "part3_causal.causal_attention_weights, filled with -50": "hidden = torch.ones_like(scores).triu(1).bool()\n    return torch.softmax(scores.masked_fill(hidden, -50.0) / d_k**0.5, -1)",
    "part3_causal.causal_attention_weights, filled with -1e4": "hidden = torch.ones_like(scores).triu(1).bool()\n    return torch.softmax(scores.masked_fill(hidden, -1e4) / d_k**0.5, -1)",
    "part3_causal.causal_mask, at most 32": "return torch.ones(32, 32).triu(1).bool()[:num_tokens, :num_tokens]",
    "part4_multihead.concat_heads, modules only": "return torch.cat([head.forward(x) for head in heads], -1)",
    "part4_multihead.concat_heads, heads taken out": "outputs = []\n    while heads:\n        outputs.append(heads.pop(0)(x))\n    return torch.cat(outputs, -1)",
}

ARGUMENTS = {
    "softmax": "scores",
    "attention_weights": "scaled_scores",
    "attention_scores": "queries, keys",
    "context_vectors": "weights, values",
    "scale_scores": "scores, d_k",
    "mask_scores": "scores",
    "causal_attention_weights": "scores, d_k",
    "causal_mask": "num_tokens",
    "concat_heads": "heads, x",
}


def test_what_is_wrong_in_training_is_told_in_words(mark_step: MarkStep) -> None:
    change = ("return weights @ v", "return (weights @ v).detach() if self.training else weights @ v")
    failure = mark_step("part3_causal", "CausalAttention", _with(CAUSAL, change)).first_failure
    assert failure is not None
    assert failure.message == (
        "in training, gradients reach x, W_query, W_key and W_value: this should be so, and is not"
    )


def _with(text: str, change: tuple[str, str]) -> str:
    assert change[0] in text
    return text.replace(*change)


def test_the_modules_that_are_changed_below_are_right(mark_step: MarkStep) -> None:
    assert mark_step("part3_causal", "CausalAttention", CAUSAL).passed
    assert mark_step("part4_multihead", "MultiHeadAttention", MULTI_HEAD).passed


@pytest.mark.parametrize("change", WRONG_CAUSAL.values(), ids=WRONG_CAUSAL)
def test_a_causal_attention_that_is_nearly_right_is_caught(mark_step: MarkStep, change: tuple[str, str]) -> None:
    assert not mark_step("part3_causal", "CausalAttention", _with(CAUSAL, change)).passed


@pytest.mark.parametrize("change", WRONG_MULTI_HEAD.values(), ids=WRONG_MULTI_HEAD)
def test_a_multi_head_attention_that_is_nearly_right_is_caught(mark_step: MarkStep, change: tuple[str, str]) -> None:
    assert not mark_step("part4_multihead", "MultiHeadAttention", _with(MULTI_HEAD, change)).passed


@pytest.mark.parametrize(("name", "body"), WRONG_FUNCTIONS.items(), ids=WRONG_FUNCTIONS)
def test_a_function_that_is_nearly_right_is_caught(mark_step: MarkStep, name: str, body: str) -> None:
    part, _, step = name.partition(",")[0].partition(".")
    text = f"import torch\n\ndef {step}({ARGUMENTS[step]}):\n    {body}\n"
    assert not mark_step(part, step, text).passed
