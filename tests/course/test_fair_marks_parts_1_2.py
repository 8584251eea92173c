"""What a teacher would give for steps of parts 1 and 2 that are nearly right, and for code that does nothing: within half a point."""

from collections.abc import Callable
from dataclasses import dataclass

import pytest
from test_lecture_classes import V1, V2

from autograder.grading.results import StepMarks

MarkStep = Callable[..., StepMarks]

HEADER = "import math\nimport torch\nimport torch.nn as nn\n\n"

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


def _part1(step: str, fair: float, text: str, given: float | None = None, why: str = "") -> Row:
    return Row(f"part1_simplified.{step}", fair, text, given, why)


def _part2(step: str, fair: float, text: str, given: float | None = None, why: str = "") -> Row:
    return Row(f"part2_trainable.{step}", fair, text, given, why)


FOR_BATCHES = ("keys.T", "keys.transpose(-2, -1)")
QUERY, KEY = (
    "        self.W_query = nn.Parameter(torch.rand(d_in, d_out))\n",
    "        self.W_key = nn.Parameter(torch.rand(d_in, d_out))\n",
)

THREE_LAYERS = "".join(
    f"        self.{name} = nn.Linear(d_in, d_out, bias=qkv_bias)\n" for name in ("W_query", "W_key", "W_value")
)


def _v1(fair: float, *changes: tuple[str, str], given: float | None = None) -> Row:
    return _part2("SelfAttentionV1", fair, _changed(V1, FOR_BATCHES, *changes), given)


def _v2(fair: float, *changes: tuple[str, str], given: float | None = None) -> Row:
    return _part2("SelfAttentionV2", fair, _changed(V2, FOR_BATCHES, *changes), given)


def _changed(text: str, *changes: tuple[str, str]) -> str:
    for old, new in changes:
        assert old in text
        text = text.replace(old, new)
    return text


COPY = "def copy_weights(source, target):\n    for n in ('W_query', 'W_key', 'W_value'):\n        {}\n"

NEARLY = {
    "a dimension kept": _part1(
        "dot_product", 0.8, "def dot_product(a, b):\n    return (a * b).sum(dim=0, keepdim=True)\n", given=0
    ),
    "a Python number": _part1("dot_product", 0.8, "def dot_product(a, b):\n    return (a * b).sum().item()\n", given=0),
    "a loop that fills a tensor of float32": _part1(
        "attention_scores",
        3,
        "def attention_scores(query, inputs):\n    scores = torch.empty(len(inputs))\n"
        "    for i, token in enumerate(inputs):\n        scores[i] = token @ query\n    return scores\n",
        given=1.67,
    ),
    "naive exponentials": _part1(
        "softmax",
        6,
        "def softmax(scores):\n    e = scores.exp()\n    return e / e.sum(dim=-1, keepdim=True)\n",
        given=7.2,
    ),
    "nan_to_num": _part1(
        "softmax",
        6,
        "def softmax(scores):\n    e = scores.exp()\n    return torch.nan_to_num(e / e.sum(dim=-1, keepdim=True))\n",
        why="the review has no such row",
    ),
    "scaled where nothing is scaled": _part1(
        "simplified_self_attention",
        1.5,
        "def simplified_self_attention(inputs):\n    scores = inputs @ inputs.T / inputs.shape[-1] ** 0.5\n"
        "    return torch.softmax(scores, dim=-1) @ inputs\n",
        given=0.88,
        why="4 of 7 would be for its form: every number is wrong, and the docstring says that nothing is scaled",
    ),
    "right for a batch alone": _part2(
        "project_qkv",
        0.7,
        "def project_qkv(x, W_query, W_key, W_value):\n"
        "    return tuple((w.T @ x.transpose(1, 2)).transpose(1, 2) for w in (W_query, W_key, W_value))\n",
        given=0.17,
    ),
    "projections squeezed": _part2(
        "project_qkv",
        1.7,
        "def project_qkv(x, W_query, W_key, W_value):\n"
        "    return (x @ W_query).squeeze(), (x @ W_key).squeeze(), (x @ W_value).squeeze()\n",
        why="the review has no such row",
    ),
    "keys drawn first": _v1(2, (QUERY + KEY, KEY + QUERY), given=0),
    "normal numbers": _v1(2, ("torch.rand(", "torch.randn("), given=0),
    "matrices that are not trained": _v1(
        1.5, ("nn.Parameter(torch.rand(d_in, d_out))", "torch.rand(d_in, d_out)"), given=2.09
    ),
    "one matrix for another": _part2(
        "project_qkv",
        1,
        "def project_qkv(x, W_query, W_key, W_value):\n    return x @ W_query, x @ W_query, x @ W_value\n",
        given=0,
    ),
    "attention, not scaled": _part2(
        "scaled_dot_product_attention",
        2,
        "def scaled_dot_product_attention(q, k, v):\n    return torch.softmax(q @ k.transpose(-2, -1), dim=-1) @ v\n",
        given=0.6,
    ),
    "attention, scaled by another length": _part2(
        "scaled_dot_product_attention",
        2,
        "def scaled_dot_product_attention(q, k, v):\n"
        "    return torch.softmax(q @ k.transpose(-2, -1) / k.shape[-2] ** 0.5, dim=-1) @ v\n",
        given=0.6,
    ),
    "attention, scaled by the length of one sentence's keys": _part2(
        "scaled_dot_product_attention",
        2.5,
        "def scaled_dot_product_attention(q, k, v):\n"
        "    return torch.softmax(q @ k.transpose(-2, -1) / k.shape[1] ** 0.5, dim=-1) @ v\n",
        why="the review has no such row",
    ),
    "columns, not scaled": _part2(
        "self_attention_columns",
        2,
        "def self_attention_columns(H, W_query, W_key, W_value):\n    q, k, v = W_query @ H, W_key @ H, W_value @ H\n"
        "    return v @ torch.softmax(k.T @ q, dim=0)\n",
        given=0.6,
    ),
    "loops, not scaled": _part2(
        "self_attention_loops",
        1.3,
        "def self_attention_loops(x, W_query, W_key, W_value):\n    k, v = x @ W_key, x @ W_value\n"
        "    return torch.stack([torch.softmax(k @ (one @ W_query), dim=-1) @ v for one in x])\n",
        given=0.5,
    ),
    "V1, not scaled": _v1(2, (" / keys.shape[-1]**0.5", ""), given=1.35),
    "V2, not scaled": _v2(1.3, (" / keys.shape[-1]**0.5", ""), given=0.3),
    "three projections in one layer": _v2(
        1.5,
        (THREE_LAYERS, "        self.c_attn = nn.Linear(d_in, 3 * d_out, bias=qkv_bias)\n"),
        ("keys = self.W_key(x)\n", "queries, keys, values = self.c_attn(x).chunk(3, dim=-1)\n"),
        ("        queries = self.W_query(x)\n        values = self.W_value(x)\n", ""),
        given=0,
    ),
    "hardly any weight for −inf": _part1(
        "softmax",
        7.6,
        "def softmax(scores):\n    e = (scores - scores.amax(dim=-1, keepdim=True)).exp() + 1e-35\n"
        "    return e / e.sum(dim=-1, keepdim=True)\n",
        given=8,
    ),
    "biases never": _v2(1.4, ("bias=qkv_bias", "bias=False"), given=0.14),
    "biases always": _v2(1.4, ("bias=qkv_bias", "bias=True")),
    "a parameter that shares its numbers": _part2(
        "copy_weights", 1, COPY.format("setattr(target, n, nn.Parameter(getattr(source, n).weight.T))"), given=0
    ),
    "loops that build all scores": _part2(
        "self_attention_loops",
        1.5,
        "def self_attention_loops(x, W_query, W_key, W_value):\n    q, k, v = x @ W_query, x @ W_key, x @ W_value\n"
        "    return torch.softmax(q @ k.T / k.shape[-1] ** 0.5, dim=-1) @ v\n",
        given=1.9,
        why="a student would give 1; but what is seen in the submission's own process is worth a twentieth",
    ),
    "scores of a batch alone": _part2(
        "attention_scores",
        0.7,
        "def attention_scores(queries, keys):\n    return torch.bmm(queries, keys.transpose(1, 2))\n",
        given=0.15,
    ),
    "scores of one sentence": _part2(
        "attention_scores",
        1.5,
        "def attention_scores(queries, keys):\n    return queries @ keys.T\n",
        why="the review has no such row",
    ),
}

USELESS = [
    ("part1_simplified.dot_product", "def dot_product(a, b):\n    return torch.zeros(())\n"),
    (
        "part1_simplified.attention_scores",
        "def attention_scores(query, inputs):\n    return torch.zeros(len(inputs))\n",
    ),
    ("part1_simplified.softmax", "def softmax(scores):\n    return scores\n"),
    ("part1_simplified.context_vector", "def context_vector(weights, inputs):\n    return inputs[0]\n"),
    ("part1_simplified.simplified_self_attention", "def simplified_self_attention(inputs):\n    return inputs * 0\n"),
    ("part2_trainable.project_qkv", "def project_qkv(x, W_query, W_key, W_value):\n    return x, x, x\n"),
    ("part2_trainable.attention_weights", "def attention_weights(s):\n    return torch.zeros_like(s)\n"),
    (
        "part2_trainable.dot_product_variance",
        "def dot_product_variance(d_k, num_trials, scaled, generator):\n    return torch.tensor(1.0)\n",
    ),
    ("part2_trainable.copy_weights", "def copy_weights(source, target):\n    pass\n"),
    (
        "part2_trainable.self_attention_loops",
        "def self_attention_loops(x, W_query, W_key, W_value):\n    return torch.zeros(len(x), W_value.shape[-1])\n",
    ),
    (
        "part2_trainable.SelfAttentionV2",
        "class SelfAttentionV2(nn.Module):\n    def __init__(self, d_in, d_out, qkv_bias=False):\n        super().__init__()\n"
        "    def forward(self, x):\n        return x\n",
    ),
]


@pytest.mark.parametrize("row", NEARLY.values(), ids=NEARLY)
def test_nearly_right_earns_nearly_all(mark_step: MarkStep, row: Row) -> None:
    marks = mark_step(*row.step.split("."), HEADER + row.text)
    assert not marks.passed
    assert abs(marks.score - row.fair) <= HALF_A_POINT, marks.criteria


@pytest.mark.parametrize(("path", "text"), USELESS)
def test_code_that_does_nothing_earns_nearly_nothing(mark_step: MarkStep, path: str, text: str) -> None:
    marks = mark_step(*path.split("."), HEADER + text)
    assert marks.score <= 0.15 * marks.max_score, marks.criteria
