"""A step is judged alone; where it calls another of the student's that has not passed, the message says so."""

from collections.abc import Callable

import pytest

from autograder.grading.results import Marks, StepMarks
from autograder.submission.parsed import Definitions

MarkText = Callable[..., Marks]

PART2 = "part2_trainable"
WRONG_SCORES = "import torch\n\ndef attention_scores(queries, keys):\n    return keys @ queries.mT + 1\n\n"
RIGHT_ATTENTION = (
    "def scaled_dot_product_attention(queries, keys, values):\n"
    "    return torch.softmax(queries @ keys.mT / keys.shape[-1] ** 0.5, -1) @ values\n"
)
CALLING_ATTENTION = (
    "def scaled_dot_product_attention(queries, keys, values):\n"
    "    return torch.softmax(attention_scores(queries, keys) / keys.shape[-1] ** 0.5, -1) @ values\n"
)


def _steps(marks: Marks) -> dict[str, StepMarks]:
    return {step.step: step for part in marks.parts for step in part.steps}


def _both(mark_text: MarkText, text: str) -> dict[str, StepMarks]:
    return _steps(mark_text(PART2, text, "attention_scores", "scaled_dot_product_attention"))


def test_a_broken_step_does_not_cost_the_points_of_another(mark_text: MarkText) -> None:
    steps = _both(mark_text, WRONG_SCORES + RIGHT_ATTENTION)
    assert not steps["attention_scores"].passed
    assert steps["scaled_dot_product_attention"].passed


def test_a_step_that_does_not_call_the_broken_one_does_not_name_it(mark_text: MarkText) -> None:
    steps = _both(mark_text, WRONG_SCORES + RIGHT_ATTENTION.replace("** 0.5", "** 0.7"))
    diagnosis = steps["scaled_dot_product_attention"].diagnosis
    assert diagnosis is None or "attention_scores" not in diagnosis.says


def test_a_step_that_calls_a_broken_one_names_it(mark_text: MarkText) -> None:
    diagnosis = _both(mark_text, WRONG_SCORES + CALLING_ATTENTION)["scaled_dot_product_attention"].diagnosis
    assert diagnosis is not None
    assert diagnosis.says.startswith("It calls your `attention_scores`, which has not passed itself: start there.")


def test_no_code_is_read_where_all_other_steps_have_passed(
    mark_text: MarkText, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The code of a submission is in syntax trees, which take long to make."""
    monkeypatch.setattr(Definitions, "called_by", lambda *_: pytest.fail("it is read"))

    assert not _both(mark_text, WRONG_SCORES.replace(" + 1", "") + RIGHT_ATTENTION)["attention_scores"].passed


def test_a_class_that_calls_a_broken_step_through_another_names_it(mark_text: MarkText) -> None:
    text = (
        WRONG_SCORES
        + CALLING_ATTENTION
        + (
            "\nclass SelfAttentionV1(torch.nn.Module):\n"
            "    def __init__(self, d_in, d_out):\n        super().__init__()\n"
            "        for name in ('W_query', 'W_key', 'W_value'):\n"
            "            setattr(self, name, torch.nn.Parameter(torch.rand(d_in, d_out)))\n"
            "    def forward(self, x):\n"
            "        return scaled_dot_product_attention(x @ self.W_query, x @ self.W_key, x @ self.W_value)\n"
        )
    )
    diagnosis = _steps(mark_text(PART2, text, "attention_scores", "SelfAttentionV1"))["SelfAttentionV1"].diagnosis
    assert diagnosis is not None
    assert "`attention_scores`" in diagnosis.says


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
    steps = _steps(mark_text(part, text, *names))
    callee, step = (steps[name] for name in names)
    assert not callee.passed
    assert not step.passed
    assert step.diagnosis is None or "start there" not in step.diagnosis.says


def test_a_step_that_raises_where_its_callee_raises_names_it(mark_text: MarkText) -> None:
    steps = _both(mark_text, WRONG_SCORES.replace("+ 1", "+ one") + CALLING_ATTENTION)
    diagnosis = steps["scaled_dot_product_attention"].diagnosis
    assert diagnosis is not None
    assert diagnosis.says == "It calls your `attention_scores`, which has not passed itself: start there."


def test_a_mistake_that_is_known_by_name_stands_alone(mark_text: MarkText) -> None:
    text = (
        "import torch\nfrom torch import nn\n\nclass SelfAttentionV1(nn.Module):\n    pass\n\n"
        "def copy_weights(source, target):\n    SelfAttentionV1\n"
    )
    diagnosis = _steps(mark_text(PART2, text, "SelfAttentionV1", "copy_weights"))["copy_weights"].diagnosis
    assert diagnosis is not None
    assert diagnosis.says == "Nothing has been copied: the target's parameters are what they were before."


def test_a_relation_is_told_before_the_callee_is_named(mark_text: MarkText) -> None:
    diagnosis = _both(mark_text, WRONG_SCORES + CALLING_ATTENTION.replace("@ values", "@ values * 0"))[
        "scaled_dot_product_attention"
    ].diagnosis
    assert diagnosis is not None
    assert diagnosis.id == "all_zero"
    assert diagnosis.says.endswith("It calls your `attention_scores`, which has not passed itself: start there.")


def test_a_step_that_passes_names_nobody(mark_text: MarkText) -> None:
    text = WRONG_SCORES.replace(" + 1", "") + CALLING_ATTENTION.replace(
        "attention_scores(queries, keys)", "attention_scores(keys, queries)"
    )
    steps = _both(mark_text, text)
    assert not steps["attention_scores"].passed
    assert steps["scaled_dot_product_attention"].diagnosis is None


def test_a_step_that_calls_a_stub_is_told_which(mark_text: MarkText) -> None:
    stub = 'def head_dim(d_out, num_heads):\n    raise NotImplementedError("step 2: head_dim")\n\n'
    split = (
        "def split_heads(x, num_heads):\n    return x.view(*x.shape[:2], num_heads, head_dim(x.shape[-1], num_heads))\n"
    )
    marks = _steps(mark_text("part4_multihead", stub + split, "head_dim", "split_heads"))
    assert marks["head_dim"].verdict == "not_attempted"
    assert marks["split_heads"].verdict == "raised"
    failure = marks["split_heads"].first_failure
    assert failure is not None
    assert failure.message == "it calls your `head_dim`, which is not written yet: step 2. Write that one first."


def test_a_stub_that_is_reached_through_another_step_is_named_alone(mark_text: MarkText) -> None:
    stub = "import torch\n\ndef attention_scores(queries, keys):\n    raise NotImplementedError\n\n"
    columns = (
        "\ndef self_attention_columns(H, W_query, W_key, W_value):\n"
        "    return scaled_dot_product_attention((W_query @ H).T, (W_key @ H).T, (W_value @ H).T).T\n"
    )
    names = ("scaled_dot_product_attention", "self_attention_columns")
    step = _steps(mark_text(PART2, stub + CALLING_ATTENTION + columns, *names))["self_attention_columns"]

    assert step.first_failure is not None
    assert "it calls your `attention_scores`, which is not written yet." in step.first_failure.message
    assert step.diagnosis is None


def test_a_stub_that_nbgrader_has_made_is_named_too(mark_text: MarkText) -> None:
    stub = "def attention_scores(queries, keys):\n    # TODO 3\n    raise NotImplementedError\n\n"
    step = _both(mark_text, "import torch\n" + stub + CALLING_ATTENTION)["scaled_dot_product_attention"]

    assert step.verdict == "raised"
    assert step.first_failure is not None
    assert (
        "it calls your `attention_scores`, which is not written yet. Write that one first."
        in step.first_failure.message
    )


def test_a_method_of_a_stub_names_its_class(mark_text: MarkText) -> None:
    text = (
        "import torch\nfrom torch import nn\n\n"
        "class SelfAttentionV2(nn.Module):\n"
        "    def __init__(self, d_in, d_out, qkv_bias=False):\n        super().__init__()\n        raise NotImplementedError\n\n"
        "def copy_weights(source, target):\n    SelfAttentionV2(3, 2)\n"
    )
    step = _steps(mark_text(PART2, text, "copy_weights"))["copy_weights"]

    assert step.first_failure is not None
    assert "it calls your `SelfAttentionV2`, which is not written yet." in step.first_failure.message


def test_a_name_of_an_earlier_part_is_to_be_imported(mark_text: MarkText) -> None:
    text = "import torch\n\ndef mask_scores(scores):\n    return scaled_dot_product_attention(scores, scores, scores)\n"
    diagnosis = _steps(mark_text("part3_causal", text, "mask_scores"))["mask_scores"].diagnosis
    assert diagnosis is not None
    assert "`from part2_trainable import scaled_dot_product_attention`" in diagnosis.says


def test_who_leaves_an_argument_aside_is_asked_whether_it_is_what_they_look_for(mark_text: MarkText) -> None:
    text = (
        "from torch import nn\n\nclass TransformerBlock(nn.Module):\n"
        "    def __init__(self, attention, emb_dim, dropout):\n        super().__init__()\n"
        "        self.attention = MultiHeadAttention(emb_dim, emb_dim, 8, dropout, 2)\n"
        "        self.drop = nn.Dropout(dropout)\n    def forward(self, x):\n        return x + self.attention(x)\n"
    )
    diagnosis = _steps(mark_text("part6_training", text, "TransformerBlock"))["TransformerBlock"].diagnosis
    assert diagnosis is not None
    assert diagnosis.says.startswith("Your code never uses `attention`, which it is given: should that stand where")


def test_a_name_that_no_earlier_part_has_is_not_looked_for_in_later_ones(mark_text: MarkText) -> None:
    text = "import torch\n\ndef mask_scores(scores):\n    return head_weights(scores)\n"
    diagnosis = _steps(mark_text("part3_causal", text, "mask_scores"))["mask_scores"].diagnosis
    assert diagnosis is not None
    assert "import it" not in diagnosis.says


def test_a_step_of_the_same_part_that_is_not_there_is_not_said_to_be_elsewhere(mark_text: MarkText) -> None:
    marks = mark_text(PART2, "import torch\n\n" + CALLING_ATTENTION, "scaled_dot_product_attention")
    diagnosis = _steps(marks)["scaled_dot_product_attention"].diagnosis
    assert diagnosis is not None
    assert "There is no `attention_scores` here, a step of this part" in diagnosis.says


def test_a_callee_is_named_beside_the_mistake_that_its_own_looks_like(mark_text: MarkText) -> None:
    text = (
        "import torch\n\ndef softmax(scores):\n    return torch.exp(scores) / torch.exp(scores).sum(0, keepdim=True)\n\n"
        "def simplified_self_attention(inputs):\n    return softmax(inputs @ inputs.T) @ inputs\n"
    )
    marks = _steps(mark_text("part1_simplified", text, "softmax", "simplified_self_attention"))
    diagnosis = marks["simplified_self_attention"].diagnosis
    assert diagnosis is not None
    assert diagnosis.kind == "mistake"
    assert diagnosis.says.endswith("It calls your `softmax`, which has not passed itself: start there.")


def test_a_name_that_nothing_has_is_named(mark_text: MarkText) -> None:
    text = "import torch\n\ndef attention_weights(scaled_scores):\n    return torch.softmax(wei, dim=-1)\n"
    diagnosis = _steps(mark_text(PART2, text, "attention_weights"))["attention_weights"].diagnosis
    assert diagnosis is not None
    assert diagnosis.says == "There is no `wei` here: no argument, no variable and no import has this name."


def test_a_step_that_is_marked_alone_names_the_broken_one_that_it_calls(mark_text: MarkText) -> None:
    text = WRONG_SCORES.replace("+ 1", "* 3 + queries.sum()") + CALLING_ATTENTION
    step = _steps(mark_text(PART2, text, "scaled_dot_product_attention"))
    assert list(step) == ["scaled_dot_product_attention"]
    diagnosis = step["scaled_dot_product_attention"].diagnosis
    assert diagnosis is not None
    assert diagnosis.says == "It calls your `attention_scores`, which has not passed itself: start there."
