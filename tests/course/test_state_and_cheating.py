"""What is right only sometimes, or only for the numbers that everybody has, is not right."""

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest

from autograder.exam.build import build_exam
from autograder.exam.model import Exam
from autograder.grading.results import Marks, StepMarks
from autograder.workspace import Workspace

MarkStep = Callable[..., StepMarks]
MarkText = Callable[..., Marks]

HEADER = "import torch\nimport torch.nn.functional as F\nfrom torch import nn\n\n"

# Answers that depend on earlier calls

DEPENDS_ON_CALLS = {
    "right at the first call only": (
        "calls = []\n"
        "def attention_scores(queries, keys):\n    calls.append(1)\n"
        "    return queries @ keys.mT * (1 if len(calls) == 1 else 2)\n"
    ),
    "right at every second call": (
        "calls = []\n"
        "def attention_scores(queries, keys):\n    calls.append(1)\n"
        "    return queries @ keys.mT * (1 + len(calls) % 2)\n"
    ),
    "the first answer for ever": (
        "kept = []\n"
        "def attention_scores(queries, keys):\n    if not kept:\n        kept.append(queries @ keys.mT)\n"
        "    return kept[0]\n"
    ),
    "kept by shape": (
        "kept = {}\n"
        "def attention_scores(queries, keys):\n    shape = queries.shape, keys.shape, queries.dtype\n"
        "    if shape not in kept:\n        kept[shape] = queries @ keys.mT\n"
        "    return kept[shape]\n"
    ),
    "a buffer that only grows": (
        "buffer = torch.zeros(0, 0)\n"
        "def attention_scores(queries, keys):\n    global buffer\n"
        "    scores = queries @ keys.mT\n"
        "    if buffer.shape[-1] < scores.shape[-1]:\n        buffer = scores\n"
        "    return buffer if buffer.shape == scores.shape else scores\n"
    ),
    "a default argument that remembers": (
        "def attention_scores(queries, keys, seen=[]):\n    seen.append(queries)\n"
        "    return seen[0] @ keys.mT if seen[0].shape == queries.shape else queries @ keys.mT\n"
    ),
    "wrong when it goes backward": (
        "def attention_scores(queries, keys):\n"
        "    return queries @ keys.mT if not queries.requires_grad else 2 * (queries @ keys.mT)\n"
    ),
    "right for float32 only": (
        "def attention_scores(queries, keys):\n"
        "    return queries @ keys.mT if queries.dtype == torch.float32 else keys @ queries.mT\n"
    ),
}


@pytest.mark.parametrize("text", DEPENDS_ON_CALLS.values(), ids=DEPENDS_ON_CALLS)
def test_an_answer_that_depends_on_earlier_calls_is_caught(mark_step: MarkStep, text: str) -> None:
    assert not mark_step("part2_trainable", "attention_scores", HEADER + text).passed


def test_a_module_that_remembers_longer_sentences_is_caught(mark_step: MarkStep) -> None:
    text = HEADER + (
        "class CausalAttention(nn.Module):\n"
        "    def __init__(self, d_in, d_out, context_length, dropout, qkv_bias=False):\n"
        "        super().__init__()\n"
        "        self.W_query, self.W_key, self.W_value = (nn.Linear(d_in, d_out, bias=qkv_bias) for _ in range(3))\n"
        "        self.dropout = nn.Dropout(dropout)\n"
        "        self.register_buffer('mask', torch.ones(context_length, context_length).triu(1).bool())\n"
        "        self.seen = None\n"
        "    def forward(self, x):\n"
        "        if self.seen is None or self.seen.shape[1] < x.shape[1]:\n            self.seen = x\n"
        "        t = x.shape[1]\n"
        "        k, v = self.W_key(self.seen), self.W_value(self.seen)\n"
        "        s = self.W_query(x) @ k.mT / k.shape[-1] ** 0.5\n"
        "        if s.shape[-1] == t:\n            s = s.masked_fill(self.mask[:t, :t], -torch.inf)\n"
        "        return self.dropout(s.softmax(-1)) @ v\n"
    )
    marks = mark_step("part3_causal", "CausalAttention", text)
    assert marks.first_failure is not None
    assert marks.first_failure.message.startswith("context of the first tokens alone: ")


def test_a_function_that_remembers_without_effect_passes(mark_step: MarkStep) -> None:
    text = (
        "seen = []\ndef attention_scores(queries, keys):\n    seen.append(keys.shape)\n    return queries @ keys.mT\n"
    )
    assert mark_step("part2_trainable", "attention_scores", HEADER + text).passed


# Answers learned by heart


def _learned(exam: Exam, part: str, step: str) -> str:
    """Return a text that answers every case of an exam from a table, by the shapes and first numbers of the inputs."""
    lines = ["import torch", "ANSWERS = {}"]
    for case in exam.paper.of(part, frozenset({step})):
        value = exam.key.cases[case.path].expected.outputs["result"]
        inputs = [item for item in case.inputs.values() if isinstance(item, np.ndarray)]
        known = tuple(round(float(item.ravel()[0]), 3) for item in inputs), tuple(item.shape for item in inputs)
        array = getattr(value, "array", None)
        assert array is not None
        lines.append(f"ANSWERS[{known!r}] = torch.tensor({array.tolist()!r}, dtype=torch.{array.dtype})")
    lines += [
        f"def {step}(*inputs):",
        "    known = tuple(round(float(x.flatten()[0]), 3) for x in inputs), tuple(tuple(x.shape) for x in inputs)",
        "    return ANSWERS[known] + 0 * sum(x.sum() for x in inputs)",
    ]
    return "\n".join(lines) + "\n"


@pytest.fixture
def unseen(course: Workspace, monkeypatch: pytest.MonkeyPatch) -> Exam:
    """Another exam, of one part."""
    return build_exam(replace(course.course, parts=("part2_trainable",)), 4_242, with_mistakes=False)


def test_answers_learned_by_heart_are_the_practice_exam_s(practice: Exam, mark_step: MarkStep) -> None:
    marks = mark_step("part2_trainable", "attention_scores", _learned(practice, "part2_trainable", "attention_scores"))
    assert all(check.passed for check in marks.checks if check.check == "values")


def test_answers_learned_by_heart_earn_nothing_in_another_exam(
    practice: Exam, unseen: Exam, mark_text: MarkText
) -> None:
    text = _learned(practice, "part2_trainable", "attention_scores")
    (marks,) = mark_text("part2_trainable", text, "attention_scores", exam=unseen).parts[0].steps
    right = {check.case for check in marks.checks if check.check == "values" and check.passed}
    assert (marks.score, right) == (0.0, {"journey"})


def test_the_lecture_s_answer_alone_is_not_enough(mark_step: MarkStep) -> None:
    text = "def scores_for_query(query, keys):\n    import torch\n    return torch.tensor([1.2705, 1.8524, 1.8111, 1.0795, .5577, 1.5440])\n"
    assert not mark_step(
        "part1_simplified", "attention_scores", text.replace("scores_for_query", "attention_scores")
    ).passed
    assert not mark_step("part2_trainable", "scores_for_query", text).passed


# torch's own attention

FORBIDDEN = {
    "scaled_dot_product_attention": (
        "part2_trainable.scaled_dot_product_attention",
        "def scaled_dot_product_attention(queries, keys, values):\n"
        "    return F.scaled_dot_product_attention(queries, keys, values)\n",
    ),
    "an alias of it": (
        "part2_trainable.scaled_dot_product_attention",
        "from torch.nn.functional import scaled_dot_product_attention as attend\n"
        "def scaled_dot_product_attention(queries, keys, values):\n    return attend(queries, keys, values)\n",
    ),
    "getattr with a constant": (
        "part2_trainable.scaled_dot_product_attention",
        "def scaled_dot_product_attention(queries, keys, values):\n"
        "    return getattr(F, 'scaled_dot_product_attention')(queries, keys, values)\n",
    ),
    "MultiheadAttention": (
        "part4_multihead.MultiHeadAttention",
        "class MultiHeadAttention(nn.Module):\n"
        "    def __init__(self, d_in, d_out, context_length, dropout, num_heads, qkv_bias=False):\n"
        "        super().__init__()\n        self.inner = nn.MultiheadAttention(d_out, num_heads, dropout)\n"
        "    def forward(self, x):\n        return self.inner(x, x, x)[0]\n",
    ),
    "inside a class": (
        "part3_causal.CausalAttention",
        "class CausalAttention(nn.Module):\n"
        "    def __init__(self, d_in, d_out, context_length, dropout, qkv_bias=False):\n"
        "        super().__init__()\n"
        "        self.W_query, self.W_key, self.W_value = (nn.Linear(d_in, d_out, bias=qkv_bias) for _ in range(3))\n"
        "    def forward(self, x):\n        q, k, v = self.W_query(x), self.W_key(x), self.W_value(x)\n"
        "        return F.scaled_dot_product_attention(q, k, v, is_causal=True)\n",
    ),
    "softmax in the step that writes it": (
        "part1_simplified.softmax",
        "def softmax(scores):\n    return torch.softmax(scores, dim=-1)\n",
    ),
    "the method softmax": ("part1_simplified.softmax", "def softmax(scores):\n    return scores.softmax(-1)\n"),
    "another one that begins with other words": (
        "part1_simplified.softmax",
        "def softmax(scores):\n    return torch._safe_softmax(scores, -1)\n",
    ),
    "the operation below it": (
        "part1_simplified.softmax",
        "def softmax(scores):\n    return torch.ops.aten._softmax.default(scores, -1, False)\n",
    ),
    "a distribution that computes it": (
        "part1_simplified.softmax",
        "def softmax(scores):\n    return torch.distributions.Categorical(logits=scores, validate_args=False).probs\n",
    ),
    "a name bound by `for`": (
        "part1_simplified.softmax",
        "def softmax(scores):\n    for turn in [torch.softmax]:\n        return turn(scores, -1)\n",
    ),
    "a name bound by `with`": (
        "part1_simplified.softmax",
        "import contextlib\ndef softmax(scores):\n    with contextlib.nullcontext(torch.softmax) as turn:\n        return turn(scores, -1)\n",
    ),
    "a name bound by `:=`": (
        "part1_simplified.softmax",
        "def softmax(scores):\n    return (turn := torch.softmax)(scores, -1)\n",
    ),
    "a name bound by `match`": (
        "part1_simplified.softmax",
        "def softmax(scores):\n    match torch.softmax:\n        case turn:\n            return turn(scores, -1)\n",
    ),
    "methodcaller": (
        "part1_simplified.softmax",
        "import operator\ndef softmax(scores):\n    return operator.methodcaller('softmax', -1)(scores)\n",
    ),
    "a text put together": (
        "part1_simplified.softmax",
        "def softmax(scores):\n    return getattr(torch, 'soft' + 'max')(scores, -1)\n",
    ),
}


@pytest.mark.parametrize(("path", "text"), FORBIDDEN.values(), ids=FORBIDDEN)
def test_torch_s_own_is_forbidden_where_it_is_the_exercise(mark_step: MarkStep, path: str, text: str) -> None:
    marks = mark_step(*path.split("."), HEADER + text)
    assert (marks.verdict, marks.score) == ("forbidden", 0.0)


def test_a_forbidden_use_is_told_with_line_and_reason(mark_step: MarkStep) -> None:
    path, text = FORBIDDEN["the method softmax"]
    failure = mark_step(*path.split("."), text).first_failure
    assert failure is not None
    assert failure.message == "line 2 uses torch's own `softmax`. In this step you write that yourself."


def test_torch_s_own_softmax_is_welcome_later(mark_step: MarkStep) -> None:
    text = "def attention_weights(scaled_scores):\n    return scaled_scores.softmax(-1)\n"
    assert mark_step("part2_trainable", "attention_weights", text).passed


FORGED = """
from dataclasses import replace

from autograder.runner import child

honest = child.observe
child.observe = lambda *given: replace(honest(*given), changed_inputs=("z" * 50,) * 60)


def dot_product(a, b):
    return (a * b).sum()
"""


def test_of_the_inputs_that_a_child_says_were_changed_only_those_of_the_case_are_believed(mark_step: MarkStep) -> None:
    assert mark_step("part1_simplified", "dot_product", FORGED).verdict == "passed"
