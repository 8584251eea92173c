"""What an exception means is said with the line that raised it, and the advice works: the mended code passes."""

from collections.abc import Callable

import pytest

from autograder.course.answer import Answer, Failure
from autograder.course.verdicts import Verdict
from autograder.exam.model import Exam
from autograder.grading.checks import Sheet
from autograder.grading.exceptions import explain
from autograder.grading.results import StepMarks
from autograder.submission.parsed import Definitions

MarkStep = Callable[..., StepMarks]

SOFTMAX = "def softmax(scores):\n    {}\n    return e / e.sum(-1, keepdim=True)\n"
SCALE = "def scale_scores(scores, d_k):\n    return {}\n"
SCORES = "def attention_scores(queries, keys):\n    return {}\n"
HEADS = "def split_heads(x, num_heads):\n    b, t, d = x.shape\n    return x.{}.transpose(1, 2)\n"
MASK = "def mask_scores(scores):\n    t = scores.shape[-1]\n    mask = torch.ones(t, t).triu(1)\n    return {}\n"
LAYERS = (
    "class SelfAttentionV2(nn.Module):\n    def __init__(self, d_in, d_out, qkv_bias=False):\n        {}\n"
    "        self.W_query = nn.Linear(d_in, d_out, bias=qkv_bias)\n"
    "        self.W_key = nn.Linear(d_in, d_out, bias=qkv_bias)\n"
    "        self.W_value = nn.Linear(d_in, d_out, bias=qkv_bias)\n\n"
    "    def forward(self, x):\n        queries, values = self.W_query(x), self.W_value(x)\n        keys = {}\n"
    "        return torch.softmax(queries @ keys.mT / keys.shape[-1] ** 0.5, -1) @ values\n"
)
SUPER = "super().__init__()"

RAISE = {
    "not_imported": ("part2_trainable.scale_scores", SCALE.format("scores / math.sqrt(d_k)")),
    "no_tensor": ("part2_trainable.scale_scores", SCALE.format("scores / torch.sqrt(d_k)")),
    "operand": ("part2_trainable.SelfAttentionV2", LAYERS.format(SUPER, "x @ self.W_key")),
    "super_init": ("part2_trainable.SelfAttentionV2", LAYERS.format("pass", "self.W_key(x)")),
    "attribute": ("part2_trainable.SelfAttentionV2", LAYERS.format(SUPER, "x @ self.W_key.T")),
    "argument_missing": ("part2_trainable.SelfAttentionV2", LAYERS.format(SUPER, "self.W_key()")),
    "unpacked": (
        "part2_trainable.attention_scores",
        "def attention_scores(queries, keys):\n    b, t, d = keys.shape\n",
    ),
    "condition": ("part1_simplified.softmax", SOFTMAX.format("e = scores.exp() if scores > 0 else scores")),
    "matrices_alone": (
        "part4_multihead.head_scores",
        "def head_scores(queries, keys):\n    return torch.mm(queries, keys.mT)\n",
    ),
    "product": (
        "part2_trainable.context_vectors",
        "def context_vectors(weights, values):\n    return values @ weights\n",
    ),
    "sizes": ("part1_simplified.softmax", SOFTMAX.format("e = scores + torch.zeros(len(scores) + 1)")),
    "expanded": ("part1_simplified.softmax", SOFTMAX.format("e = scores.expand(17)")),
    "einsum_letters": (
        "part2_trainable.attention_scores",
        SCORES.format("torch.einsum('bqd,bkd->bqk', queries, keys)"),
    ),
    "einsum_sizes": ("part2_trainable.attention_scores", SCORES.format("torch.einsum('qd,dk->qk', queries, keys)")),
    "index": ("part1_simplified.softmax", SOFTMAX.format("e = scores[len(scores)]")),
    "index_of_floats": ("part1_simplified.softmax", SOFTMAX.format("e = scores[scores.float()]")),
    "dimension": ("part1_simplified.softmax", SOFTMAX.format("e = scores.transpose(0, 1)")),
    "single_number": ("part1_simplified.softmax", SOFTMAX.format("e = scores.sum()[0]")),
    "one_number": ("part1_simplified.softmax", SOFTMAX.format("e = float(scores)")),
    "unset": ("part1_simplified.softmax", SOFTMAX.format("e += scores")),
    "shape": ("part4_multihead.split_heads", HEADS.format("view(b, t, num_heads, d)")),
    "float_size": ("part4_multihead.split_heads", HEADS.format("view(b, t, num_heads, d / num_heads)")),
    "masked_fill": ("part3_causal.mask_scores", MASK.format("torch.where(mask, -torch.inf, scores)")),
    "inverted": ("part3_causal.mask_scores", MASK.format("scores.masked_fill(1 - mask.bool(), -torch.inf)")),
    "dtypes": (
        "part2_trainable.context_vectors",
        "def context_vectors(weights, values):\n    return weights.long() @ values\n",
    ),
    "keyword": ("part1_simplified.softmax", SOFTMAX.format("e = scores.sum(dims=-1)")),
    "called": ("part2_trainable.scale_scores", SCALE.format("scores / d_k(2)")),
    "no_layer": (
        "part2_trainable.SelfAttentionV2",
        LAYERS.format("super().__init__(); self.both = nn.Sequential(torch.relu)", "self.W_key(x)"),
    ),
    "einsum_equation": (
        "part2_trainable.attention_scores",
        SCORES.format("torch.einsum('(qd),kd->qk', queries, keys)"),
    ),
    "dimensions_in_a_list": ("part2_trainable.attention_scores", SCORES.format("torch.transpose(keys, [1, 0])")),
    "contracted": ("part2_trainable.attention_scores", SCORES.format("torch.tensordot(queries, keys, dims=1)")),
    "written_into": (
        "part3_causal.mask_scores",
        "def mask_scores(scores):\n    scores = scores.clone()\n    return scores.add_(torch.zeros(2, *scores.shape))\n",
    ),
    "split": (
        "part4_multihead.split_heads",
        "def split_heads(x, num_heads):\n    one, other, third, fourth, fifth = x.split(9, dim=-1)\n",
    ),
    "joined_dimensions": ("part1_simplified.softmax", SOFTMAX.format("e = torch.cat([scores, scores[None]])")),
    "stacked": ("part1_simplified.softmax", SOFTMAX.format("e = torch.stack([scores[:1], scores[:2]])")),
    "endless": ("part1_simplified.softmax", SOFTMAX.format("e = softmax(scores)")),
}

HEADER = "import torch\nfrom torch import nn\n\n"


@pytest.mark.parametrize("id", RAISE)
def test_an_exception_that_students_meet_is_explained_with_its_line(mark_step: MarkStep, id: str) -> None:
    (part, _, step), code = RAISE[id][0].partition("."), HEADER + RAISE[id][1]
    found = mark_step(part, step, code).diagnosis
    assert found is not None
    assert (found.kind, found.id) == ("exception", id)
    assert found.spot is not None
    assert code.splitlines()[found.spot.line - 1] == found.spot.text
    assert found.spot.text[found.spot.first : found.spot.last] == found.spot.text.strip()


def test_a_layer_that_is_given_a_tensor_when_it_is_made_is_to_be_called(mark_step: MarkStep) -> None:
    code = HEADER + SOFTMAX.format("e = torch.exp(nn.GELU(scores))")
    found = mark_step("part1_simplified", "softmax", code).diagnosis
    assert found is not None
    assert "made and not called yet" in found.says


def test_one_of_pythons_own_functions_is_not_only_taken_for_a_method(mark_step: MarkStep) -> None:
    text = "def attention_scores(queries, keys):\n    return input @ keys.mT\n"
    found = mark_step("part2_trainable", "attention_scores", HEADER + text).diagnosis
    assert found is not None
    assert "a function of Python's own" in found.says


def test_a_whole_order_of_dimensions_is_for_permute(mark_step: MarkStep) -> None:
    code = HEADER + "def group_by_head(x):\n    return x.transpose(0, 2, 1, 3)\n"
    found = mark_step("part4_multihead", "group_by_head", code).diagnosis
    assert found is not None
    assert (found.kind, found.id) == ("exception", "dimensions_in_a_list")


def test_a_class_without_forward_is_asked_for_its_name_and_its_place(mark_step: MarkStep) -> None:
    code = HEADER + LAYERS.format(SUPER, "self.W_key(x)").replace("forward", "foward")
    found = mark_step("part2_trainable", "SelfAttentionV2", code).diagnosis
    assert found is not None
    assert found.id == "no_forward"


MENDED = {
    "a number in math": ("part2_trainable.scale_scores", "import math\n\n" + SCALE.format("scores / math.sqrt(d_k)")),
    "a number to a power": ("part2_trainable.scale_scores", SCALE.format("scores / d_k ** 0.5")),
    "a layer called": ("part2_trainable.SelfAttentionV2", LAYERS.format(SUPER, "self.W_key(x)")),
    "@": ("part2_trainable.attention_scores", SCORES.format("queries @ keys.transpose(-2, -1)")),
    "letters of any dimensions": (
        "part2_trainable.attention_scores",
        SCORES.format("torch.einsum('...qd,...kd->...qk', queries, keys)"),
    ),
    "tensors stacked": ("part1_simplified.softmax", SOFTMAX.format("e = torch.stack([s.exp() for s in scores])")),
    "whole sizes": ("part4_multihead.split_heads", HEADS.format("view(b, t, num_heads, d // num_heads)")),
    "booleans of a mask": (
        "part3_causal.mask_scores",
        MASK.format("scores.masked_fill(mask.bool(), float('-inf'))"),
    ),
    "a mask compared": ("part3_causal.mask_scores", MASK.format("scores.masked_fill(mask == 1, -torch.inf)")),
    "booleans inverted": ("part3_causal.mask_scores", MASK.format("torch.where(~mask.bool(), scores, -torch.inf)")),
}


@pytest.mark.parametrize("advice", MENDED)
def test_code_mended_as_the_explanation_says_runs(mark_step: MarkStep, advice: str) -> None:
    part, _, step = MENDED[advice][0].partition(".")
    assert mark_step(part, step, HEADER + MENDED[advice][1]).checks[0].passed


def test_torch_s_advice_that_cuts_the_gradient_off_is_not_repeated(mark_step: MarkStep) -> None:
    code = "import numpy\n" + HEADER + SOFTMAX.format("e = torch.from_numpy(numpy.exp(scores.numpy()))")
    marks = mark_step("part1_simplified", "softmax", code)
    failure = next(one for one in marks.checks if one.check == "gradients" and not one.passed)
    assert failure.message == "backward fails: RuntimeError: Can't call numpy() on Tensor that requires grad."


def test_the_matrix_is_named_that_fits_when_it_is_transposed(mark_step: MarkStep) -> None:
    found = mark_step("part2_trainable", "context_vectors", HEADER + RAISE["product"][1]).diagnosis
    assert found is not None
    assert "6×2 times 6×6 does not go" in found.says
    assert "the two in the other order (6×6 times 6×2, which gives 6×2)" in found.says


@pytest.mark.parametrize(
    ("raised", "says"),
    {
        "NameError: name 'tokens' is not defined": None,
        "AttributeError: 'Tensor' object has no attribute 'transpoze'": None,
        "ValueError: not enough values to unpack (expected 2, got 1)": None,
        "ValueError: only even numbers": None,
        "RuntimeError: shape '[, ]' is invalid for input of size 4": None,
    }.items(),
)
def test_of_an_exception_of_which_nothing_is_known_nothing_is_said(practice: Exam, raised: str, says: None) -> None:
    failure = Failure(Verdict.RAISED, raised, traceback="part.py, line 3, in f\n    a, b = pair")
    case = practice.paper.cases[0]
    sheet = Sheet(practice.syllabus, case, practice.key.cases[case.path], Answer(failure=failure))
    assert explain(sheet, Definitions({})) is says


CALLS_A_RIGHT_STEP = """def project_qkv(x, W_query, W_key, W_value):
    return x @ W_query, x @ W_key, x @ W_value

def self_attention_columns(H, W_query, W_key, W_value):
    queries, keys, values = project_qkv(H.T, W_query, W_key, W_value)
"""


def test_where_another_step_raised_its_call_is_named_for_what_it_is_given(mark_step: MarkStep) -> None:
    found = mark_step("part2_trainable", "self_attention_columns", HEADER + CALLS_A_RIGHT_STEP).diagnosis
    assert found is not None
    assert found.says.startswith("Your `project_qkv`, called here, raised. 6×3 times 2×3 does not go")
    assert found.spot is not None
    assert found.spot.text.strip() == "queries, keys, values = project_qkv(H.T, W_query, W_key, W_value)"


@pytest.mark.parametrize(
    ("code", "meant"),
    {
        "e = score.exp()": "scores",
        "e = scores.expp()": "exp",
        "e = torch.sofmax(scores)": "softmax",
    }.items(),
)
def test_a_name_that_is_nearly_right_is_asked_for(mark_step: MarkStep, code: str, meant: str) -> None:
    failure = mark_step("part1_simplified", "softmax", HEADER + SOFTMAX.format(code)).first_failure
    assert failure is not None
    assert failure.message.endswith(f". Did you mean: '{meant}'?")


def test_an_attribute_without_self_is_asked_for_with_it(mark_step: MarkStep) -> None:
    code = HEADER + LAYERS.format(SUPER, "W_key(x)")
    failure = mark_step("part2_trainable", "SelfAttentionV2", code).first_failure
    assert failure is not None
    assert failure.message == "NameError: name 'W_key' is not defined. Did you mean: 'self.W_key'?"


@pytest.mark.parametrize(
    ("code", "is_cut_already"),
    {
        "scores.masked_fill(self.mask, 0)": False,
        "scores.masked_fill(self.mask[:t, :t], 0)": True,
        "s + mask": True,
    }.items(),
)
def test_only_a_mask_that_is_kept_and_not_cut_yet_is_to_be_cut(practice: Exam, code: str, is_cut_already: bool) -> None:
    message = "RuntimeError: The size of tensor a (2) must match the size of tensor b (3) at non-singleton dimension 1"
    failure = Failure(Verdict.RAISED, message, traceback=f"part.py, line 3, in f\n    {code}")
    case = practice.paper.cases[0]
    found = explain(
        Sheet(practice.syllabus, case, practice.key.cases[case.path], Answer(failure=failure)), Definitions({})
    )
    assert found is not None
    assert ("cut it" in found.says) is not is_cut_already
