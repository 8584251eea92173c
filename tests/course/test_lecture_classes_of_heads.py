"""The classes of the source lectures for batches, typed off as they stand, pass in full: an `assert`, a mask of numbers, `masked_fill_`."""

from collections.abc import Callable

import pytest

from autograder.grading.results import StepMarks

MarkStep = Callable[..., StepMarks]

CAUSAL = """
import torch
import torch.nn as nn

class CausalAttention(nn.Module):

    def __init__(self, d_in, d_out, context_length, dropout, qkv_bias=False):
        super().__init__()
        self.d_out = d_out
        self.W_query = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.W_key = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.W_value = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.dropout = nn.Dropout(dropout)
        self.register_buffer('mask', torch.triu(torch.ones(context_length, context_length), diagonal=1))

    def forward(self, x):
        b, num_tokens, d_in = x.shape
        keys = self.W_key(x)
        queries = self.W_query(x)
        values = self.W_value(x)

        attn_scores = queries @ keys.transpose(1, 2)
        attn_scores.masked_fill_(
            self.mask.bool()[:num_tokens, :num_tokens], -torch.inf)
        attn_weights = torch.softmax(
            attn_scores / keys.shape[-1]**0.5, dim=-1
        )
        attn_weights = self.dropout(attn_weights)

        context_vec = attn_weights @ values
        return context_vec
"""

MULTI_HEAD = """
import torch
import torch.nn as nn

class MultiHeadAttention(nn.Module):
    def __init__(self, d_in, d_out, context_length, dropout, num_heads, qkv_bias=False):
        super().__init__()
        assert (d_out % num_heads == 0), \\
            "d_out must be divisible by num_heads"

        self.d_out = d_out
        self.num_heads = num_heads
        self.head_dim = d_out // num_heads

        self.W_query = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.W_key = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.W_value = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.out_proj = nn.Linear(d_out, d_out)
        self.dropout = nn.Dropout(dropout)
        self.register_buffer(
            "mask",
            torch.triu(torch.ones(context_length, context_length), diagonal=1)
        )

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

        attn_weights = torch.softmax(attn_scores / keys.shape[-1]**0.5, dim=-1)
        attn_weights = self.dropout(attn_weights)

        context_vec = (attn_weights @ values).transpose(1, 2)
        context_vec = context_vec.contiguous().view(b, num_tokens, self.d_out)
        context_vec = self.out_proj(context_vec)

        return context_vec
"""

CLASSES = {"part3_causal.CausalAttention": CAUSAL, "part4_multihead.MultiHeadAttention": MULTI_HEAD}


@pytest.mark.parametrize(("path", "text"), CLASSES.items(), ids=CLASSES)
def test_the_class_of_the_lecture_passes_as_it_stands(mark_step: MarkStep, path: str, text: str) -> None:
    marks = mark_step(*path.split("."), text)
    assert marks.first_failure is None
    assert marks.score == marks.max_score


@pytest.mark.parametrize(
    "size", ["self.mask.bool()[:num_tokens, :num_tokens]", "self.mask[:num_tokens, :num_tokens] == 1"]
)
def test_a_mask_may_hold_numbers_and_be_larger_than_asked_for(mark_step: MarkStep, size: str) -> None:
    text = CAUSAL.replace("self.mask.bool()[:num_tokens, :num_tokens]", size)
    text = text.replace("torch.ones(context_length, context_length)", "torch.ones(64, 64)")
    assert mark_step("part3_causal", "CausalAttention", text).passed


def test_a_mask_may_stay_out_of_the_state_dict(mark_step: MarkStep) -> None:
    text = CAUSAL.replace("diagonal=1))", "diagonal=1), persistent=False)")
    assert mark_step("part3_causal", "CausalAttention", text).passed


def test_heads_under_another_name_do_not_pass(mark_step: MarkStep) -> None:
    marks = mark_step("part4_multihead", "MultiHeadAttention", MULTI_HEAD.replace("self.num_heads", "self.h"))
    assert marks.first_failure is not None
    assert marks.first_failure.message.startswith("`num_heads`: ")


def test_a_class_that_refuses_every_number_of_heads_refuses_nothing(mark_step: MarkStep) -> None:
    text = MULTI_HEAD.replace("assert (d_out % num_heads == 0)", "assert False")
    assert not any(check.passed for check in mark_step("part4_multihead", "MultiHeadAttention", text).checks)
