"""Code of parts 1 and 2 that is right by accident in the cases that one thinks of first, and is caught."""

from collections.abc import Callable

import pytest
from test_lecture_classes import V1, V2

from autograder.grading.results import StepMarks

MarkStep = Callable[..., StepMarks]

HEADER = "import torch\n"

SQUEEZED = {
    "part1_simplified.attention_scores": "def attention_scores(query, inputs):\n    return (inputs @ query).squeeze()\n",
    "part1_simplified.context_vector": "def context_vector(weights, inputs):\n    return (weights[None] @ inputs).squeeze()\n",
    "part1_simplified.simplified_self_attention": (
        "def simplified_self_attention(inputs):\n"
        "    return (torch.softmax(inputs @ inputs.T, dim=-1) @ inputs).squeeze()\n"
    ),
    "part2_trainable.project_qkv": (
        "def project_qkv(x, W_query, W_key, W_value):\n"
        "    return (x @ W_query).squeeze(), (x @ W_key).squeeze(), (x @ W_value).squeeze()\n"
    ),
    "part2_trainable.scores_for_query": "def scores_for_query(query, keys):\n    return (keys @ query[:, None]).squeeze()\n",
    "part2_trainable.attention_scores": (
        "def attention_scores(queries, keys):\n    return (queries @ keys.transpose(-2, -1)).squeeze()\n"
    ),
    "part2_trainable.context_vectors": "def context_vectors(weights, values):\n    return (weights @ values).squeeze()\n",
}


@pytest.mark.parametrize(("path", "text"), SQUEEZED.items(), ids=SQUEEZED)
def test_dimensions_of_size_one_that_are_squeezed_away_are_missed(mark_step: MarkStep, path: str, text: str) -> None:
    assert not mark_step(*path.split("."), HEADER + text).passed


@pytest.mark.parametrize(("step", "text"), {"SelfAttentionV1": V1, "SelfAttentionV2": V2}.items())
def test_a_residual_that_is_added_where_it_fits_is_caught(mark_step: MarkStep, step: str, text: str) -> None:
    right = text.replace("keys.T", "keys.transpose(-2, -1)")
    fitting = right.replace(
        "return context_vec", "return context_vec + x if context_vec.shape == x.shape else context_vec"
    )
    assert fitting != right
    assert not mark_step("part2_trainable", step, fitting).passed
