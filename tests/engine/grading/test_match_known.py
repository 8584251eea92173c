"""What is in no bank of known mistakes is told by a general relation, through the real path."""

from collections.abc import Callable

import pytest

from autograder.exam.model import Exam
from autograder.grading.results import StepMarks

MarkStep = Callable[..., StepMarks]

HEADER = "import torch\nimport torch.nn.functional as F\nfrom torch import nn\n\n"

UNKNOWN = {
    "transposed": (
        "part1_simplified.simplified_self_attention",
        "def simplified_self_attention(inputs):\n    return (torch.softmax(inputs @ inputs.T, -1) @ inputs).T\n",
    ),
    "constant_factor": (
        "part2_trainable.context_vectors",
        "def context_vectors(weights, values):\n    return weights @ values / weights.shape[-1] ** 0.5\n",
    ),
    "same_values_reordered": (
        "part4_multihead.merge_heads",
        "def merge_heads(context):\n    b, h, t, hd = context.shape\n"
        "    return context.transpose(1, 2).reshape(b, t, h * hd).flip(-1)\n",
    ),
    "softmax_over_wrong_dimension": (
        "part4_multihead.head_weights",
        "def head_weights(scores, head_dim):\n"
        "    return torch.softmax(scores.flatten(2) / head_dim, dim=-1).view(scores.shape)\n",
    ),
    "right_until_the_future": (
        "part3_causal.causal_attention_weights",
        "def causal_attention_weights(scores, d_k):\n    t = scores.shape[-1]\n"
        "    hidden = torch.ones(t, t).triu(1).bool()\n"
        "    w = torch.softmax(scores.masked_fill(hidden, -torch.inf) / d_k**0.5, -1)\n"
        "    return w.masked_fill(hidden, 0.25)\n",
    ),
    "first_of_batch_only": (
        "part3_causal.mask_scores",
        "def mask_scores(scores):\n    t = scores.shape[-1]\n    out = scores.clone()\n"
        "    hidden = torch.ones(t, t).triu(1).bool()\n"
        "    if scores.dim() == 2:\n        return out.masked_fill(hidden, -torch.inf)\n"
        "    out[0] = out[0].masked_fill(hidden, -torch.inf)\n    return out\n",
    ),
    "scores_scaled_otherwise": (
        "part3_causal.causal_attention_weights",
        "def causal_attention_weights(scores, d_k):\n    t = scores.shape[-1]\n"
        "    masked = scores.masked_fill(torch.ones(t, t).triu(1).bool(), -torch.inf)\n"
        "    return torch.softmax(masked / d_k**0.5 / 2, -1)\n",
    ),
    "changed_places": (
        "part3_causal.CausalAttention",
        "class CausalAttention(nn.Module):\n"
        "    def __init__(self, d_in, d_out, context_length, dropout, qkv_bias=False):\n        super().__init__()\n"
        "        for name in ('W_query', 'W_value', 'W_key'):\n"
        "            setattr(self, name, nn.Linear(d_in, d_out, bias=qkv_bias))\n"
        "        self.dropout = nn.Dropout(dropout)\n"
        "        self.register_buffer('mask', torch.ones(context_length, context_length).triu(1).bool())\n"
        "    def forward(self, x):\n        t = x.shape[1]\n"
        "        scores = self.W_query(x) @ self.W_key(x).mT / self.W_key.weight.shape[0] ** 0.5\n"
        "        weights = scores.masked_fill(self.mask[:t, :t], -torch.inf).softmax(-1)\n"
        "        return self.dropout(weights) @ self.W_value(x)\n",
    ),
    "detached": (
        "part4_multihead.head_context",
        "def head_context(weights, values):\n    return weights.detach() @ values\n",
    ),
    "double_softmax": (
        "part2_trainable.attention_weights",
        "def attention_weights(scaled_scores):\n    return scaled_scores.softmax(-1).softmax(-1)\n",
    ),
    "all_zero": (
        "part4_multihead.head_scores",
        "def head_scores(queries, keys):\n    return 0 * (queries @ keys.mT)\n",
    ),
    "returns_an_input": (
        "part2_trainable.scaled_dot_product_attention",
        "def scaled_dot_product_attention(queries, keys, values):\n    return queries * 1\n",
    ),
    "extra_dimension": (
        "part2_trainable.scores_for_query",
        "def scores_for_query(query, keys):\n    return keys @ query[:, None]\n",
    ),
    "one_row_only": (
        "part1_simplified.simplified_self_attention",
        "def simplified_self_attention(inputs):\n"
        "    for token in inputs:\n        return torch.softmax(inputs @ token, -1) @ inputs\n",
    ),
    "rows_do_not_add_up": (
        "part4_multihead.head_weights",
        "def head_weights(scores, head_dim):\n    return torch.sigmoid(scores / head_dim**0.5).tril()\n",
    ),
    "fixed_dtype": (
        "part3_causal.renormalized_weights",
        "def renormalized_weights(weights):\n    visible = weights.tril()\n"
        "    return (visible / visible.sum(-1, keepdim=True)).float()\n",
    ),
    "changed_inputs": (
        "part3_causal.apply_dropout",
        "def apply_dropout(weights, keep, p):\n    weights[~keep] = 0\n    return weights / (1 - p)\n",
    ),
    "unbatched_only": (
        "part2_trainable.attention_scores",
        "def attention_scores(queries, keys):\n    return torch.mm(queries, keys.T)\n",
    ),
}


TORCH_SAYS = {
    "masked_fill": (
        "part3_causal.mask_scores",
        "def mask_scores(scores):\n    return scores.masked_fill(torch.ones_like(scores).triu(1), -torch.inf)\n",
    ),
    "view": (
        "part4_multihead.head_context",
        "def head_context(weights, values):\n    b, h, t, hd = values.shape\n"
        "    return weights @ values.transpose(1, 2).view(b, t, h * hd)\n",
    ),
    "inplace": (
        "part1_simplified.simplified_self_attention",
        "def simplified_self_attention(inputs):\n    weights = torch.softmax(inputs @ inputs.T, -1)\n"
        "    context = weights @ inputs\n    weights.zero_()\n    return context\n",
    ),
}


@pytest.mark.parametrize(("relation", "case"), TORCH_SAYS.items(), ids=TORCH_SAYS)
def test_a_frequent_error_of_torch_s_own_is_explained(
    mark_step: MarkStep, relation: str, case: tuple[str, str]
) -> None:
    part, _, step = case[0].partition(".")
    diagnosis = mark_step(part, step, HEADER + case[1]).diagnosis
    assert diagnosis is not None
    assert diagnosis.id == relation


def test_of_two_faults_the_one_that_shows_in_numbers_is_named(mark_step: MarkStep) -> None:
    split = (
        "def split_heads(x, num_heads):\n    b, t, d = x.shape\n    return x.view(b, t, d // num_heads, num_heads)\n"
    )
    both = mark_step("part4_multihead", "split_heads", split).diagnosis
    assert both is not None
    assert both.id == "head_dim_before_heads"


NORM = (
    "class LayerNorm(nn.Module):\n    def __init__(self, emb_dim):\n        super().__init__()\n"
    "        self.eps, self.scale = 1e-5, nn.Parameter(torch.ones(emb_dim))\n        self.shift = nn.Parameter(torch.zeros(emb_dim))\n\n"
    "    def forward(self, x):\n        return self.scale * x / torch.sqrt((x**2).mean(-1, keepdim=True) + self.eps){}\n"
)


@pytest.mark.parametrize(("shift", "more"), [(" + self.shift", False), ("", True)])
def test_a_second_mistake_does_not_silence_the_first(mark_step: MarkStep, shift: str, more: bool) -> None:
    found = mark_step("part6_training", "LayerNorm", HEADER + NORM.format(shift)).diagnosis
    assert found is not None
    assert (found.kind, found.id, found.more) == ("mistake", "RootMeanSquare", more)


@pytest.mark.parametrize(("scores", "more"), [("scores", False), ("scores.detach()", True)])
def test_beside_a_known_mistake_a_lost_gradient_is_another(mark_step: MarkStep, scores: str, more: bool) -> None:
    text = f"def scale_scores(scores, d_k):\n    return {scores} / d_k\n"
    found = mark_step("part2_trainable", "scale_scores", HEADER + text).diagnosis
    assert found is not None
    assert (found.kind, found.more) == ("mistake", more)


def test_a_known_mistake_that_fits_one_output_alone_is_not_named(mark_step: MarkStep) -> None:
    only_first = (
        "calls = []\n\ndef attention_scores(queries, keys):\n    scores = queries @ keys.mT\n    calls.append(scores)\n"
        "    return scores / keys.shape[-1] ** 0.5 if len(calls) == 1 else scores**3\n"
    )
    found = mark_step("part2_trainable", "attention_scores", HEADER + only_first).diagnosis
    assert found is None or found.kind != "mistake"


def test_a_known_mistake_that_raises_for_the_same_sizes_is_named(mark_step: MarkStep) -> None:
    after = (
        "def attend_with_cache(queries, keys, values, cache):\n    k, v = cache.append(keys, values)\n"
        "    t, past = queries.shape[2], len(cache)\n    hidden = torch.ones(t, past + t).triu(past + 1) == 1\n"
        "    s = torch.einsum('bhqd,bhkd->bhqk', queries, k) / k.shape[-1] ** 0.5\n"
        "    return s.masked_fill(hidden, -torch.inf).softmax(-1) @ v\n"
    )
    found = mark_step("part5_inference", "attend_with_cache", HEADER + after).diagnosis
    assert found is not None
    assert found.kind == "mistake"
    assert "after appending" in found.says


def test_of_many_whole_numbers_a_known_mistake_is_named_beside_another(mark_step: MarkStep) -> None:
    written = (
        "def generate(model, tokens, max_new_tokens):\n    torch.set_grad_enabled(False)\n    new = []\n"
        "    for _ in range(max_new_tokens):\n        logits = model(tokens[:, -model.context_length:])\n"
        "        new.append(logits[:, -1].argmax(-1, keepdim=True))\n        tokens = torch.cat([tokens, new[-1]], 1)\n"
        "    return torch.cat(new, 1) if new else tokens[:, :0]\n"
    )
    found = mark_step("part6_training", "generate", HEADER + written).diagnosis
    assert found is not None
    assert (found.kind, found.id, found.more) == ("mistake", "new_tokens_only", True)


@pytest.mark.parametrize(("relation", "case"), UNKNOWN.items(), ids=UNKNOWN)
def test_a_mistake_that_nobody_foresaw_is_told_by_what_it_has_to_do_with_the_right_answer(
    mark_step: MarkStep, relation: str, case: tuple[str, str]
) -> None:
    part, _, step = case[0].partition(".")
    marks = mark_step(part, step, HEADER + case[1])
    assert marks.diagnosis is not None
    assert (marks.diagnosis.kind, marks.diagnosis.id) == ("relation", relation)


def test_no_two_known_mistakes_of_a_step_say_the_same(practice: Exam) -> None:
    for path, known_wrong in practice.key.known_wrong.items():
        said = [one.says for one in known_wrong]
        assert len(set(said)) == len(said), path
