"""Wrong attentions that the tests of other courses let through; here each is caught."""

from collections.abc import Callable

import pytest

from autograder.grading.results import StepMarks

MarkStep = Callable[..., StepMarks]

HEADER = "import torch\nfrom torch import nn\n\n"

ATTENTION = "def scaled_dot_product_attention(queries, keys, values):\n    "
CAUSAL = "def causal_attention_weights(scores, d_k):\n    hidden = torch.ones_like(scores).triu(1).bool()\n    "

WRONG_ATTENTION = {
    "the root of d_v instead of d_k": "return torch.softmax(queries @ keys.mT / values.shape[-1] ** 0.5, -1) @ values",
    "the root of the number of tokens": "return torch.softmax(queries @ keys.mT / keys.shape[-2] ** 0.5, -1) @ values",
    "gradients of zero that are not None": (
        "context = torch.softmax(queries @ keys.mT / keys.shape[-1] ** 0.5, -1) @ values\n"
        "    return context.detach() + 0 * context"
    ),
    "inputs changed": ("queries /= keys.shape[-1] ** 0.5\n    return torch.softmax(queries @ keys.mT, -1) @ values"),
    "exp that overflows": (
        "e = (queries @ keys.mT / keys.shape[-1] ** 0.5).exp()\n    return e / e.sum(-1, keepdim=True) @ values"
    ),
    "the largest score takes it all": (
        "best = (queries @ keys.mT).argmax(-1)\n"
        "    return nn.functional.one_hot(best, keys.shape[-2]).to(values.dtype) @ values"
    ),
    "all zeros": "return 0 * (queries @ keys.mT @ values)",
    "unscaled scores": "return torch.softmax(queries @ keys.mT, -1) @ values",
    "the values themselves": "return values[..., : queries.shape[-2], :] * 1",
    "scores transposed, where the sizes allow it": (
        "scores = queries @ keys.mT\n    if scores.shape[-1] == scores.shape[-2]:\n        scores = scores.mT\n"
        "    return torch.softmax(scores / keys.shape[-1] ** 0.5, -1) @ values"
    ),
    "a mean of the values": (
        "return values.mean(-2, keepdim=True).expand(*queries.shape[:-1], values.shape[-1]) + 0 * queries.sum()"
    ),
    "a constant in place of the root": "return torch.softmax(queries @ keys.mT / 1.4142135, -1) @ values",
    "the softmax over the queries": "return torch.softmax(queries @ keys.mT / keys.shape[-1] ** 0.5, -2) @ values",
    "the scaling behind the softmax": "return torch.softmax(queries @ keys.mT, -1) / keys.shape[-1] ** 0.5 @ values",
    "always float32": (
        "q, k, v = queries.float(), keys.float(), values.float()\n"
        "    return torch.softmax(q @ k.mT / k.shape[-1] ** 0.5, -1) @ v"
    ),
    "no gradient": (
        "with torch.no_grad():\n        return torch.softmax(queries @ keys.mT / keys.shape[-1] ** 0.5, -1) @ values"
    ),
}

WRONG_CAUSAL = {
    "no mask": "return torch.softmax(scores / d_k**0.5, -1)",
    "the diagonal hidden but for the first row": (
        "hidden = torch.ones_like(scores).triu().bool()\n    hidden[..., 0, 0] = False\n"
        "    return torch.softmax(scores.masked_fill(hidden, -torch.inf) / d_k**0.5, -1)"
    ),
    "one future token seen": (
        "hidden = torch.ones_like(scores).triu(2).bool()\n"
        "    return torch.softmax(scores.masked_fill(hidden, -torch.inf) / d_k**0.5, -1)"
    ),
    "a mask of small negative numbers": "return torch.softmax(scores.masked_fill(hidden, -10.0) / d_k**0.5, -1)",
    "a mask behind the softmax": "return torch.softmax(scores / d_k**0.5, -1).masked_fill(hidden, 0.0)",
    "the mask of the first sentence only": (
        "masked = scores.masked_fill(hidden, -torch.inf)\n"
        "    masked = torch.cat([masked[:1], scores[1:]]) if scores.dim() > 2 else masked\n"
        "    return torch.softmax(masked / d_k**0.5, -1)"
    ),
    "nan turned into zero": (
        "visible = torch.softmax(scores / d_k**0.5, -1).tril()\n"
        "    return torch.nan_to_num(visible / visible.sum(-1, keepdim=True))"
    ),
}


@pytest.mark.parametrize("body", WRONG_ATTENTION.values(), ids=WRONG_ATTENTION)
def test_a_wrong_attention_is_caught(mark_step: MarkStep, body: str) -> None:
    marks = mark_step("part2_trainable", "scaled_dot_product_attention", HEADER + ATTENTION + body + "\n")
    assert marks.verdict.startswith(("wrong_", "changed_inputs"))


@pytest.mark.parametrize("body", WRONG_CAUSAL.values(), ids=WRONG_CAUSAL)
def test_a_wrong_causal_attention_is_caught(mark_step: MarkStep, body: str) -> None:
    marks = mark_step("part3_causal", "causal_attention_weights", HEADER + CAUSAL + body + "\n")
    assert marks.verdict == "wrong_values"
