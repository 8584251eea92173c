"""The classes of the source lectures for one sentence, typed off as they stand: they lose what they earn for a batch, and nothing else."""

from collections.abc import Callable

import pytest

from autograder.grading.results import StepMarks

MarkStep = Callable[..., StepMarks]

FORWARD = """
        attn_scores = queries @ keys.T
        attn_weights = torch.softmax(
            attn_scores / keys.shape[-1]**0.5, dim=-1
        )

        context_vec = attn_weights @ values
        return context_vec
"""

V1 = (
    """
import torch
import torch.nn as nn

class SelfAttentionV1(nn.Module):

    def __init__(self, d_in, d_out):
        super().__init__()
        self.W_query = nn.Parameter(torch.rand(d_in, d_out))
        self.W_key = nn.Parameter(torch.rand(d_in, d_out))
        self.W_value = nn.Parameter(torch.rand(d_in, d_out))

    def forward(self, x):
        keys = x @ self.W_key
        queries = x @ self.W_query
        values = x @ self.W_value
"""
    + FORWARD
)

V2 = (
    """
import torch
import torch.nn as nn

class SelfAttentionV2(nn.Module):

    def __init__(self, d_in, d_out, qkv_bias=False):
        super().__init__()
        self.W_query = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.W_key = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.W_value = nn.Linear(d_in, d_out, bias=qkv_bias)

    def forward(self, x):
        keys = self.W_key(x)
        queries = self.W_query(x)
        values = self.W_value(x)
"""
    + FORWARD
)

CLASSES = {"SelfAttentionV1": V1, "SelfAttentionV2": V2}


@pytest.mark.parametrize(("step", "text"), CLASSES.items(), ids=CLASSES)
def test_a_class_for_one_sentence_loses_the_batch_alone(mark_step: MarkStep, step: str, text: str) -> None:
    marks = mark_step("part2_trainable", step, text)
    assert [one.name for one in marks.criteria if one.score < one.max_score] == ["batch"]


@pytest.mark.parametrize(("step", "text"), CLASSES.items(), ids=CLASSES)
def test_the_same_class_for_batches_passes(mark_step: MarkStep, step: str, text: str) -> None:
    assert mark_step("part2_trainable", step, text.replace("keys.T", "keys.transpose(-2, -1)")).passed
