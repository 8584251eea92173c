"""A diagnosis explains the failure that is shown first, or there is none: a false one is worse than none."""

from collections.abc import Callable

import pytest

from autograder.grading.results import StepMarks

MarkStep = Callable[..., StepMarks]

HEADER = "import torch\nimport torch.nn.functional as F\nfrom torch import nn\n\n"

V1 = (
    "class SelfAttentionV1(nn.Module):\n    def __init__(self, d_in, d_out):\n        super().__init__()\n"
    "        self.W_query = nn.Parameter(torch.rand(d_in, d_out))\n"
    "        self.W_key = nn.Parameter(torch.rand(d_in, d_out))\n"
    "        self.W_value = nn.Parameter(torch.rand(d_in, d_out))\n"
    "    def forward(self, x):\n        q = x @ self.W_query\n        k = x @ self.W_key\n"
    "        return torch.softmax(q @ k.mT / k.shape[-1] ** 0.5, -1) @ (x @ self.W_value)\n"
)

CACHE = (
    "class KVCache:\n    def __init__(self):\n        self.keys, self.values = [], []\n"
    "    def append(self, keys, values):\n        self.keys.append(keys)\n        self.values.append(values)\n"
    "        return torch.cat(self.keys, dim=2), torch.cat(self.values, dim={})\n"
    "    def __len__(self):\n        return sum(keys.shape[2] for keys in self.keys)\n"
)

UNEXPLAINED = {
    "raises everywhere, with other sizes than the mistake": (
        "part2_trainable.SelfAttentionV1",
        V1.replace("k = x @ self.W_key", "k = q @ self.W_key"),
    ),
    "raises for another reason than the argument it writes into": (
        "part4_multihead.head_weights",
        "def head_weights(scores, head_dim):\n    mask = torch.ones(scores.shape[-2:]).triu(1).bool()\n"
        "    scores[:, :, mask] = -torch.inf\n    return torch.softmax(scores / head_dim(6, 2) ** 0.5, -1)\n",
    ),
    "raises first, and is in another order in a later case": (
        "part4_multihead.merge_heads",
        "def merge_heads(context):\n    b, h, t, hd = context.shape\n    undefined if b == 1 else b\n"
        "    return context.permute(0, 3, 2, 1).reshape(b, t, h * hd)\n",
    ),
}

EXPLAINED = {
    "raises everywhere, with the sizes of the mistake": (
        "part2_trainable.SelfAttentionV1",
        V1.replace("rand(d_in, d_out)", "rand(d_out, d_in)"),
        "ShapeSwapped",
    ),
    "a gradient is lost first, a dtype later": (
        "part2_trainable.scores_for_query",
        "def scores_for_query(query, keys):\n    scores = torch.zeros(len(keys))\n"
        "    for i, key in enumerate(keys):\n        scores[i] = torch.dot(query, key).item()\n    return scores\n",
        "detached",
    ),
    "an argument is changed first, a dimension is wrong later": (
        "part1_simplified.softmax",
        "def softmax(scores):\n    scores -= scores.max()\n    e = scores.exp()\n    return e / e.sum(0)\n",
        "changed_inputs",
    ),
    "a parameter is written into": (
        "part2_trainable.copy_weights",
        "def copy_weights(source, target):\n    target.W_query.copy_(source.W_query.weight.T)\n",
        "leaf",
    ),
    "a weight is handed over untransposed": (
        "part2_trainable.copy_weights",
        "def copy_weights(source, target):\n    for name in ('W_query', 'W_key', 'W_value'):\n"
        "        getattr(target, name).data = getattr(source, name).weight.data\n",
        "shared_without_transpose",
    ),
    "a copy is untransposed": (
        "part2_trainable.copy_weights",
        "def copy_weights(source, target):\n    for name in ('W_query', 'W_key', 'W_value'):\n"
        "        getattr(target, name).data = getattr(source, name).weight.data.clone()\n",
        "replaced_without_transpose",
    ),
    "keys are reshaped for a transpose": (
        "part2_trainable.attention_scores",
        "def attention_scores(queries, keys):\n    *leading, tk, d_k = keys.shape\n"
        "    return queries @ keys.reshape(*leading, d_k, tk)\n",
        "scores_of_keys_cut_anew",
    ),
    "sums stand as a row": (
        "part2_trainable.attention_weights",
        "def attention_weights(scaled_scores):\n    e = torch.exp(scaled_scores)\n    return e / e.sum(-1)\n",
        "sums_of_plain_exp_stand_as_a_row",
    ),
    "a product takes the place of the one before": (
        "part2_trainable.context_vectors",
        "def context_vectors(weights, values):\n"
        "    out = torch.zeros(*weights.shape[:-1], values.shape[-1], dtype=values.dtype)\n"
        "    for j in range(values.shape[-2]):\n"
        "        out = weights[..., j, None] * values[..., None, j, :]\n    return out\n",
        "last_product_kept",
    ),
    "the inner loop has the key of the outer": (
        "part2_trainable.self_attention_loops",
        "def self_attention_loops(x, W_query, W_key, W_value):\n    rows = []\n    for i in range(len(x)):\n"
        "        scores = torch.stack([(x[i] @ W_query) @ (x[i] @ W_key) for j in range(len(x))])\n"
        "        rows.append(torch.softmax(scores / W_key.shape[1] ** 0.5, -1) @ (x @ W_value))\n"
        "    return torch.stack(rows)\n",
        "loops_with_one_key",
    ),
    "keys of heads are reshaped for a transpose": (
        "part4_multihead.head_scores",
        "def head_scores(queries, keys):\n    b, h, t, hd = keys.shape\n    return queries @ keys.reshape(b, h, hd, t)\n",
        "head_scores_of_keys_cut_anew",
    ),
    "numbers are wrong first, a dtype later": (
        "part4_multihead.split_heads",
        "def split_heads(x, num_heads):\n    b, t, d = x.shape\n    out = torch.zeros(b, t, num_heads, d // num_heads)\n"
        "    for h in range(num_heads):\n        out[:, :, h] = x[:, :, h::num_heads]\n    return out\n",
        "every_other_number",
    ),
    "sentences are joined for heads": (
        "part4_multihead.merge_heads",
        "def merge_heads(context):\n    return torch.cat([head for head in context], dim=-1)\n",
        "sentences_joined",
    ),
    "values are joined along their numbers": (
        "part5_inference.KVCache",
        CACHE.format(-1),
        "ValuesJoinedAlongTheNumbers",
    ),
    "values are joined along the batch": ("part5_inference.KVCache", CACHE.format(0), "ValuesJoinedAlongTheBatch"),
    "the batch is repeated": (
        "part5_inference.repeat_kv",
        "def repeat_kv(x, groups):\n    return torch.cat([x] * groups)\n",
        "batch_repeated",
    ),
    "keys come from x": (
        "part5_inference.cross_attention",
        "def cross_attention(x, memory, W_query, W_key, W_value):\n"
        "    q, k, v = x @ W_query, x @ W_key, memory @ W_value\n"
        "    return torch.softmax(q @ k.transpose(-2, -1) / W_key.shape[-1] ** 0.5, dim=-1) @ v\n",
        "keys_from_x",
    ),
    "queries and keys are exchanged": (
        "part5_inference.cross_attention",
        "def cross_attention(x, memory, W_query, W_key, W_value):\n"
        "    q, k, v = memory @ W_query, x @ W_key, memory @ W_value\n"
        "    return torch.softmax(q @ k.transpose(-2, -1) / W_key.shape[-1] ** 0.5, dim=-1) @ v\n",
        "queries_and_keys_exchanged",
    ),
}


@pytest.mark.parametrize(("path", "text"), UNEXPLAINED.values(), ids=UNEXPLAINED)
def test_what_does_not_explain_the_first_failure_is_not_told(mark_step: MarkStep, path: str, text: str) -> None:
    marks = mark_step(*path.split("."), HEADER + text)
    assert marks.verdict == "raised"
    assert marks.diagnosis is None or marks.diagnosis.kind == "exception"


@pytest.mark.parametrize(("path", "text", "told"), EXPLAINED.values(), ids=EXPLAINED)
def test_what_explains_the_first_failure_is_told(mark_step: MarkStep, path: str, text: str, told: str) -> None:
    diagnosis = mark_step(*path.split("."), HEADER + text).diagnosis
    assert diagnosis is not None
    assert diagnosis.id == told


def test_an_error_that_is_returned_is_not_called_a_rounding(mark_step: MarkStep) -> None:
    text = (
        "def head_dim(d_out, num_heads):\n    if d_out % num_heads:\n        return ValueError\n"
        "    return d_out // num_heads\n"
    )
    diagnosis = mark_step("part4_multihead", "head_dim", text).diagnosis
    assert diagnosis is not None
    assert diagnosis.says.startswith("Nothing is raised for 7 numbers and 2 heads")


def test_an_input_that_is_found_where_nothing_is_returned_is_named_where_it_stands(mark_step: MarkStep) -> None:
    text = (
        "def copy_weights(source, target):\n    for name in ('W_query', 'W_key', 'W_value'):\n"
        "        getattr(target, name).data = getattr(source, name).weight.data.T.clone()\n"
        "    target.W_query.data = source.W_key.weight.data\n"
    )
    diagnosis = mark_step("part2_trainable", "copy_weights", HEADER + text).diagnosis
    assert diagnosis is not None
    assert diagnosis.says == "Your W_query is `W_key` unchanged."
