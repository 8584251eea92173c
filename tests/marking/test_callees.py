"""A step is judged alone; where it calls another of the student's that has not passed, the message says so."""

from collections.abc import Callable

from autograder.marking.marks import Marks, StepMarks

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
