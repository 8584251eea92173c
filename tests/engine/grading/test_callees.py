"""A step is judged alone; where it calls another of the student's that has not passed, the message says so."""

from collections.abc import Callable

import pytest

from autograder.grading.results import Marks, StepMarks
from autograder.submission.parsed import Definitions

MarkText = Callable[..., Marks]

PART2 = "part2_trainable"
SCORES, ATTENTION = "attention_scores", "scaled_dot_product_attention"
START_THERE = "It calls your `attention_scores`, which has not passed itself: start there."
WRONG_SCORES = "import torch\n\ndef attention_scores(queries, keys):\n    return keys @ queries.mT + 1\n\n"
RIGHT_ATTENTION = (
    "def scaled_dot_product_attention(queries, keys, values):\n"
    "    return torch.softmax(queries @ keys.mT / keys.shape[-1] ** 0.5, -1) @ values\n"
)
CALLING_ATTENTION = (
    "def scaled_dot_product_attention(queries, keys, values):\n"
    "    return torch.softmax(attention_scores(queries, keys) / keys.shape[-1] ** 0.5, -1) @ values\n"
)


def _steps(mark_text: MarkText, part: str, text: str, *names: str) -> dict[str, StepMarks]:
    return {step.step: step for part in mark_text(part, text, *names).parts for step in part.steps}


def _says(mark_text: MarkText, part: str, text: str, *names: str) -> str:
    """Return the cause of the last of some steps."""
    diagnosis = _steps(mark_text, part, text, *names)[names[-1]].diagnosis
    return diagnosis.says if diagnosis else ""


def test_a_broken_step_does_not_cost_the_points_of_another(mark_text: MarkText) -> None:
    steps = _steps(mark_text, PART2, WRONG_SCORES + RIGHT_ATTENTION, SCORES, ATTENTION)
    assert (steps[SCORES].passed, steps[ATTENTION].passed) == (False, True)


NAMED = {
    "wrong tensors": WRONG_SCORES + CALLING_ATTENTION,
    "an error": WRONG_SCORES.replace("+ 1", "+ one") + CALLING_ATTENTION,
    "beside a relation": WRONG_SCORES + CALLING_ATTENTION.replace("@ values", "@ values * 0"),
}


@pytest.mark.parametrize("code", NAMED.values(), ids=NAMED)
def test_a_step_that_calls_a_broken_one_names_it(mark_text: MarkText, code: str) -> None:
    assert _says(mark_text, PART2, code, SCORES, ATTENTION).endswith(START_THERE)


def test_a_callee_is_named_beside_the_mistake_that_its_own_looks_like(mark_text: MarkText) -> None:
    text = (
        "import torch\n\ndef softmax(scores):\n    return torch.exp(scores) / torch.exp(scores).sum(0, keepdim=True)\n\n"
        "def simplified_self_attention(inputs):\n    return softmax(inputs @ inputs.T) @ inputs\n"
    )
    step = _steps(mark_text, "part1_simplified", text, "softmax", "simplified_self_attention")[
        "simplified_self_attention"
    ]
    assert step.diagnosis
    assert step.diagnosis.kind == "mistake"
    assert step.diagnosis.says.endswith("It calls your `softmax`, which has not passed itself: start there.")


def test_no_code_is_read_where_all_other_steps_have_passed(
    mark_text: MarkText, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The code of a submission is in syntax trees, which take long to make."""
    monkeypatch.setattr(Definitions, "called_by", lambda *_: pytest.fail("it is read"))
    text = WRONG_SCORES.replace("keys @ queries.mT + 1", "queries @ keys.mT / keys.shape[-1] ** 0.5") + RIGHT_ATTENTION

    assert not _steps(mark_text, PART2, text, SCORES, ATTENTION)[SCORES].passed


WITHOUT_THE_ERROR = (
    "import torch\nfrom torch import nn\n\ndef head_dim(d_out, num_heads):\n    return d_out // num_heads\n\n"
)

MULTI_HEAD = (
    "class MultiHeadAttention(nn.Module):\n"
    "    def __init__(self, d_in, d_out, context_length, dropout, num_heads, qkv_bias=False):\n"
    "        super().__init__()\n"
    "        self.num_heads, self.head_dim = num_heads, head_dim(d_out, num_heads)\n"
    "        for name in ('W_query', 'W_key', 'W_value'):\n"
    "            setattr(self, name, nn.Linear(d_in, d_out, bias=qkv_bias))\n"
    "        self.out_proj = nn.Linear(d_out, d_out)\n"
    "        self.dropout = nn.Dropout(dropout)\n"
    "        self.mask = torch.ones(context_length, context_length).triu(1).bool()\n"
    "    def forward(self, x):\n"
    "        b, t, _ = x.shape\n"
    "        q, k, v = (w(x).view(b, t, self.num_heads, -1).transpose(1, 2) for w in (self.W_query, self.W_key, self.W_value))\n"
    "        scores = (q @ k.mT / self.head_dim ** 0.5).masked_fill(self.mask[:t, :t], -torch.inf)\n"
    "        return self.out_proj((self.dropout(torch.softmax(scores, -1)) @ v).transpose(1, 2).flatten(2))\n"
)

OF_ITS_OWN = {
    "it does not call it": (PART2, WRONG_SCORES + RIGHT_ATTENTION.replace("** 0.5", "** 0.7"), (SCORES, ATTENTION)),
    "it raises before it calls": (
        "part4_multihead",
        WITHOUT_THE_ERROR + MULTI_HEAD.replace("        super().__init__()\n", ""),
        ("head_dim", "MultiHeadAttention"),
    ),
    "what is wrong is no tensor": (
        "part4_multihead",
        WITHOUT_THE_ERROR + MULTI_HEAD,
        ("head_dim", "MultiHeadAttention"),
    ),
    "it raises in a callee that passes": (
        PART2,
        "import torch\n\n"
        "def project_qkv(x, W_query, W_key, W_value):\n    return x @ W_query, x @ W_key, x @ W_value\n\n"
        "def scaled_dot_product_attention(queries, keys, values):\n    return torch.softmax(queries @ keys.mT, -1) @ values\n\n"
        "def self_attention_columns(H, W_query, W_key, W_value):\n"
        "    q, k, v = project_qkv(H.T, W_query, W_key, W_value)\n"
        "    return scaled_dot_product_attention(q, k, v).T\n",
        ("scaled_dot_product_attention", "self_attention_columns"),
    ),
    "it returns too many tensors": (
        PART2,
        WRONG_SCORES + CALLING_ATTENTION.replace("return ", "return values, "),
        ("attention_scores", "scaled_dot_product_attention"),
    ),
    "it hands over what the callee cannot take": (
        "part5_inference",
        "import torch\n\n"
        "def repeat_kv(x, groups):\n    return x.repeat(1, 1, groups, 1)\n\n"
        "def grouped_query_attention(queries, keys, values):\n"
        "    groups = queries.shape[1] / keys.shape[1]\n"
        "    return queries @ repeat_kv(keys, groups).mT @ repeat_kv(values, groups)\n",
        ("repeat_kv", "grouped_query_attention"),
    ),
}


@pytest.mark.parametrize(("part", "text", "names"), OF_ITS_OWN.values(), ids=OF_ITS_OWN)
def test_a_failure_that_the_callee_does_not_share_names_nobody(
    mark_text: MarkText, part: str, text: str, names: tuple[str, str]
) -> None:
    steps = _steps(mark_text, part, text, *names)
    assert not any(step.passed for step in steps.values())
    diagnosis = steps[names[-1]].diagnosis
    assert diagnosis is None or "start there" not in diagnosis.says


STUB = "def attention_scores(queries, keys):\n    raise NotImplementedError{}\n\n"
CALLS_A_STUB = {
    "a stub": (STUB.format('("step 3: attention_scores")'), ": step 3"),
    "nbgrader's": (STUB.format(""), ""),
    "a class": (
        "class attention_scores(torch.nn.Module):\n    def __init__(self, *given):\n        raise NotImplementedError\n\n",
        "",
    ),
}


@pytest.mark.parametrize(("stub", "number"), CALLS_A_STUB.values(), ids=CALLS_A_STUB)
def test_a_step_that_calls_a_stub_names_it(mark_text: MarkText, stub: str, number: str) -> None:
    columns = (
        "\ndef self_attention_columns(H, W_query, W_key, W_value):\n"
        "    return scaled_dot_product_attention((W_query @ H).T, (W_key @ H).T, (W_value @ H).T).T\n"
    )
    text = "import torch\n" + stub + CALLING_ATTENTION + columns
    for step in _steps(mark_text, PART2, text, ATTENTION, "self_attention_columns").values():
        assert (step.verdict, step.diagnosis) == ("raised", None)
        assert step.first_failure
        said = f"it calls your `attention_scores`, which is not written yet{number}. Write that one first."
        assert step.first_failure.message == said


UNKNOWN = {
    "an earlier part": (
        "part3_causal.mask_scores",
        "def mask_scores(scores):\n    return scaled_dot_product_attention(scores, scores, scores)\n",
        "import it, `from part2_trainable import scaled_dot_product_attention`",
    ),
    "a later part": (
        "part3_causal.mask_scores",
        "def mask_scores(scores):\n    return head_weights(scores)\n",
        "There is no `head_weights` here: no argument, no variable and no import has this name.",
    ),
}


@pytest.mark.parametrize(("path", "code", "says"), UNKNOWN.values(), ids=UNKNOWN)
def test_a_name_that_is_not_defined_is_explained(mark_text: MarkText, path: str, code: str, says: str) -> None:
    part, _, step = path.partition(".")
    assert says in _says(mark_text, part, f"import torch\n\n{code}", step)
