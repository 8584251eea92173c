"""A known mistake is named where it explains the answers. Causes without one are in tests/course/cases.jsonl."""

from collections.abc import Callable

import pytest

from autograder.exam.model import Exam
from autograder.grading.results import StepMarks

MarkStep = Callable[..., StepMarks]

HEADER = "import torch\nimport torch.nn.functional as F\nfrom torch import nn\n\n"

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


def test_no_two_known_mistakes_of_a_step_say_the_same(practice: Exam) -> None:
    for path, known_wrong in practice.key.known_wrong.items():
        said = [one.says for one in known_wrong]
        assert len(set(said)) == len(said), path
