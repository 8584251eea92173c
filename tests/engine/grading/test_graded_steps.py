"""Marks: verdicts, messages, points and diagnoses, through the real path."""

from collections.abc import Callable

import pytest

from autograder.classroom.looks import looks_of
from autograder.course.answer import Failure
from autograder.exam.model import Exam
from autograder.grading.grade import clean, mark
from autograder.grading.results import Marks, StepMarks
from autograder.runner.answers import Answers, PartAnswers
from autograder.submission.model import Submission, Urgency
from autograder.workspace import Workspace

MarkStep = Callable[..., StepMarks]
MarkText = Callable[..., Marks]

RIGHT_SCORES = "def attention_scores(queries, keys):\n    return queries @ keys.transpose(-2, -1)\n"


def scores_step(mark_step: MarkStep, body: str) -> StepMarks:
    text = f"import torch\nimport numpy\ndef attention_scores(queries, keys):\n    {body}\n"
    return mark_step("part2_trainable", "attention_scores", text)


VERDICTS = {
    "right": ("return queries @ keys.mT", "passed"),
    "None": ("queries @ keys.mT", "wrong_dtype"),
    "list": ("return (queries @ keys.mT).tolist()", "wrong_dtype"),
    "NumPy array": ("return (queries @ keys.mT).numpy()", "wrong_dtype"),
    "NumPy array in float16": ("return (queries @ keys.mT).numpy().astype('f2')", "wrong_dtype"),
    "NumPy array with the larger byte first": ("return (queries @ keys.mT).numpy().astype('>f4')", "wrong_dtype"),
    "float64": ("return (queries @ keys.mT).double()", "wrong_dtype"),
    "float16": ("return (queries @ keys.mT).half()", "wrong_dtype"),
    "complex": ("return (queries @ keys.mT).to(torch.complex64)", "wrong_dtype"),
    "integers": ("return (queries @ keys.mT).long()", "wrong_dtype"),
    "nan": ("return (queries @ keys.mT) * float('nan')", "wrong_values"),
    "zeros": ("return (queries @ keys.mT) * 0", "wrong_values"),
    "two tensors": ("return queries @ keys.mT, keys", "wrong_shape"),
    "one dimension too many": ("return (queries @ keys.mT)[None]", "wrong_shape"),
    "detached": ("return (queries @ keys.mT).detach()", "wrong_gradient"),
    "half detached": ("return queries @ keys.detach().mT", "wrong_gradient"),
    "zero gradients": ("out = queries @ keys.mT\n    return out.detach() + 0 * out", "wrong_gradient"),
    "input changed": ("out = queries @ keys.mT\n    keys.zero_()\n    return out", "changed_inputs"),
    "input transposed in place": ("keys.transpose_(-2, -1)\n    return queries @ keys", "changed_inputs"),
    "a name that does not exist": ("return queris @ keys.mT", "raised"),
}


@pytest.mark.parametrize(("body", "verdict"), VERDICTS.values(), ids=VERDICTS)
def test_the_verdict_says_what_is_wrong(mark_step: MarkStep, body: str, verdict: str) -> None:
    assert scores_step(mark_step, body).verdict == verdict


def test_what_a_right_step_prints_is_in_its_own_marks_alone(mark_step: MarkStep) -> None:
    for said in ("hello", "", "goodbye"):
        step = scores_step(mark_step, f"print({said!r}) if {said!r} else None\n    return queries @ keys.mT")

        assert step.passed
        assert ("hello" in step.printed, "goodbye" in step.printed) == (said == "hello", said == "goodbye")


def test_a_mask_without_gradients_is_not_told_of_any(mark_step: MarkStep) -> None:
    text = "import numpy as np\n\ndef causal_mask(num_tokens):\n    return np.triu(np.ones((num_tokens, num_tokens)), 1) == 1\n"
    failure = mark_step("part3_causal", "causal_mask", text).first_failure
    assert failure is not None
    assert failure.message.endswith("stay in torch")


def test_lists_of_booleans_become_a_tensor_at_once(mark_step: MarkStep) -> None:
    text = "import torch\n\ndef causal_mask(num_tokens):\n    return {}([[j > i for j in range(num_tokens)] for i in range(num_tokens)])\n"
    failure = mark_step("part3_causal", "causal_mask", text.format("list")).first_failure
    assert failure is not None
    assert failure.message.endswith(": `torch.tensor` makes a tensor of it")
    assert mark_step("part3_causal", "causal_mask", text.format("torch.tensor")).passed


def test_of_a_mask_of_numbers_it_is_said_what_makes_booleans(mark_step: MarkStep) -> None:
    text = "import torch\n\ndef causal_mask(num_tokens):\n    return torch.ones(num_tokens, num_tokens).triu(1)\n"
    failure = mark_step("part3_causal", "causal_mask", text).first_failure
    assert failure is not None
    assert failure.message == "expected dtype bool; yours is float32. A comparison makes booleans, or `.bool()`"


def test_what_lacks_in_a_class_is_no_missing_return(mark_step: MarkStep, course: Workspace) -> None:
    right = (course.solutions / "part4_multihead.py").read_text(encoding="utf-8")
    text = right.replace("nn.Linear(d_out, d_out)", "nn.Linear(d_out, d_out, bias=False)")
    assert text != right
    marks = mark_step("part4_multihead", "MultiHeadAttention", text)
    assert not marks.passed
    assert not any("missing" in check.message for check in marks.checks)


MESSAGES = {
    "queries @ keys.mT": "expected a tensor of shape (tq=6, tk=6), you returned None. Is a `return` missing?",
    "return (queries @ keys.mT).tolist()": "you returned a list (6 items, each of type list): keep the numbers tensors",
    "return [[float(q @ k) for k in keys] for q in queries][0]": "each of type float): keep the numbers tensors",
    "return [queries @ keys.mT, 1]": "you returned a list (2 items): put the tensors together with `torch.stack`",
    "return [query @ keys.mT for query in queries]": "you returned 6 in a tuple or list: `torch.stack` makes one",
    "return (queries @ keys.mT,)": "you returned 1 in a tuple or list: return the tensor itself, without brackets",
    "return (queries @ keys.mT).numpy()": "you returned a NumPy array (shape (6, 6)): stay in torch",
    "return (queries @ keys.mT).double()": "expected dtype float32, as the inputs have; yours is float64",
    "return (queries @ keys.mT)[:, :5]": "expected shape (tq=6, tk=6), yours is (tq=6, 5)",
    "return queries @ keys.mT, keys": "expected one tensor, you returned 2 in a tuple or list",
    "out = queries @ keys.mT\n    keys.zero_()\n    return out": "your code writes into its argument `keys`",
    "return (queries @ keys.mT).detach()": "no gradient reaches `queries`",
    "return (queries @ keys.mT) * float('nan')": "nan in 36 of 36 places at [tq 0, tk 0]; expected",
}


@pytest.mark.parametrize(("body", "message"), MESSAGES.items(), ids=MESSAGES)
def test_the_message_says_what_was_expected_and_what_came(mark_step: MarkStep, body: str, message: str) -> None:
    failure = scores_step(mark_step, body).first_failure

    assert failure is not None
    assert message in failure.message


HEADLINES = {
    "queries @ keys.mT": "nothing returned",
    "return (queries @ keys.mT).tolist()": "not a tensor",
    "return (queries @ keys.mT).double()": "wrong dtype",
    "return queries @ keys.mT, keys": "wrong number of tensors",
}


@pytest.mark.parametrize(("body", "words"), HEADLINES.items())
def test_the_verdict_in_words_says_more_than_its_name(mark_step: MarkStep, body: str, words: str) -> None:
    assert scores_step(mark_step, body).words == words


def test_a_whole_number_that_is_wrong_is_called_a_number(mark_step: MarkStep) -> None:
    text = "def head_dim(d_out, num_heads):\n    return d_out % num_heads\n"
    assert mark_step("part4_multihead", "head_dim", text).words == "wrong number"


def test_a_number_that_is_not_returned_is_called_so(mark_step: MarkStep) -> None:
    step = mark_step("part4_multihead", "head_dim", "def head_dim(d_out, num_heads):\n    d_out // num_heads\n")
    assert step.words == "nothing returned"
    assert step.first_failure
    assert "you returned None. Is a `return` missing?" in step.first_failure.message


def test_a_wrong_shape_is_kept_dimension_by_dimension(mark_step: MarkStep) -> None:
    failure = scores_step(mark_step, "return (queries @ keys.mT)[:, :5]").first_failure
    assert failure
    assert failure.boxes
    assert [side.says for side in failure.boxes.sides] == ["", "tk should be 6 and is 5"]


def test_a_wrong_gradient_has_a_picture_named_after_its_input(mark_step: MarkStep) -> None:
    out = "out = queries @ keys.mT\n    return out.detach() + 2 * out - 2 * out.detach()"
    failure = scores_step(mark_step, out).first_failure
    assert failure
    assert failure.picture
    assert failure.picture.name == "gradient of queries"


def test_a_changed_input_has_a_picture_of_what_it_was_and_what_it_became(mark_step: MarkStep) -> None:
    failure = scores_step(mark_step, "out = queries @ keys.mT\n    keys.data.zero_()\n    return out").first_failure
    assert failure
    assert failure.picture
    assert failure.picture.expected.all()
    assert not failure.picture.yours.any()


def test_a_wrong_shape_is_told_by_the_names_of_its_dimensions(mark_step: MarkStep) -> None:
    text = "def context_vectors(weights, values):\n    return values.transpose(-2, -1) @ weights.transpose(-2, -1)\n"

    messages = [check.message for check in mark_step("part2_trainable", "context_vectors", text).checks]

    assert "expected shape (tq=4, d_v=6), yours is (d_v=6, tq=4)" in messages


def test_a_wrong_number_is_told_with_its_place(mark_step: MarkStep) -> None:
    body = "out = queries @ keys.mT\n    return out.index_fill(-1, torch.tensor(2), 0.0)"

    failure = scores_step(mark_step, body).first_failure

    assert failure is not None
    assert failure.message == "6 of 36 numbers differ, most at [tq 1, tk 2]: expected 1.8111, yours 0.0000"


def test_a_raised_error_is_told_by_the_students_own_lines(mark_step: MarkStep) -> None:
    step = scores_step(mark_step, "return queries.foo(keys)")

    assert step.traceback == "part2_trainable.py, line 4, in attention_scores\n    return queries.foo(keys)"


def test_a_wrong_number_of_arguments_is_told_with_both_signatures(mark_step: MarkStep) -> None:
    step = mark_step("part2_trainable", "attention_scores", "def attention_scores(queries):\n    return queries\n")

    assert step.verdict == "raised"
    assert step.first_failure is not None
    assert (
        "called as attention_scores(queries, keys), but yours is attention_scores(queries)"
        in step.first_failure.message
    )


def test_arguments_may_have_other_names(mark_step: MarkStep) -> None:
    text = "def attention_scores(q, k):\n    return q @ k.mT\n"

    assert mark_step("part2_trainable", "attention_scores", text).passed


def test_a_renamed_function_is_guessed(mark_step: MarkStep) -> None:
    step = mark_step("part2_trainable", "attention_scores", RIGHT_SCORES.replace("attention_scores", "attention_score"))

    assert step.verdict == "missing"
    assert step.first_failure is not None
    assert "Did you rename it to `attention_score`?" in step.first_failure.message


def test_a_missing_attribute_of_a_class_is_named(mark_step: MarkStep) -> None:
    text = "from torch import nn\nclass SelfAttentionV1(nn.Module):\n    def __init__(self, d_in, d_out):\n        super().__init__()\n"

    step = mark_step("part2_trainable", "SelfAttentionV1", text)

    assert step.verdict == "incomplete"
    assert step.first_failure is not None
    assert "your SelfAttentionV1 has no attribute `W_query`" in step.first_failure.message


PLAIN_VALUES = (
    "import torch\nfrom torch import nn\nclass SelfAttentionV1(nn.Module):\n    def __init__(self, d_in, d_out):\n        super().__init__()\n"
    "        self.W_query = nn.Parameter(torch.rand(d_in, d_out))\n        self.W_key = nn.Parameter(torch.rand(d_in, d_out))\n"
    "        self.W_value = torch.rand(d_in, d_out)\n"
    "    def forward(self, x):\n        q, k, v = x @ self.W_query, x @ self.W_key, x @ self.W_value\n"
    "        return torch.softmax(q @ k.mT / k.shape[-1] ** 0.5, -1) @ v\n"
)


def test_a_matrix_that_is_no_parameter_is_told_as_that(mark_step: MarkStep) -> None:
    step = mark_step("part2_trainable", "SelfAttentionV1", PLAIN_VALUES)

    assert (step.verdict, step.words) == ("wrong_values", "something is missing")
    assert next(check.message for check in step.checks if check.message.startswith("W_value")) == (
        "W_value: expected an `nn.Parameter`, which training changes; yours is a plain tensor"
    )


def test_of_a_matrix_that_is_no_parameter_nothing_is_said_of_its_gradient(mark_step: MarkStep) -> None:
    step = mark_step("part2_trainable", "SelfAttentionV1", PLAIN_VALUES)

    said = [check.message for check in step.checks] + [step.diagnosis.says if step.diagnosis else ""]
    assert not any("no gradient reaches" in one.lower() for one in said)
    assert next(one.score for one in step.criteria if one.name == "gradients") == 0


def test_a_stub_is_not_attempted_and_not_wrong(mark_step: MarkStep) -> None:
    step = mark_step(
        "part2_trainable", "attention_scores", "def attention_scores(queries, keys):\n    raise NotImplementedError\n"
    )

    assert (step.verdict, step.score, step.diagnosis) == ("not_attempted", 0.0, None)


def test_a_stub_that_is_half_written_has_been_attempted(mark_step: MarkStep) -> None:
    text = (
        "def attention_scores(queries, keys):\n    if queries.dim() == 2:\n        return queries @ keys.T\n"
        "    raise NotImplementedError\n"
    )

    assert mark_step("part2_trainable", "attention_scores", text).verdict == "raised"


def test_torchs_own_function_earns_nothing(mark_step: MarkStep) -> None:
    text = (
        "from torch.nn import functional\ndef scaled_dot_product_attention(queries, keys, values):\n"
        "    return functional.scaled_dot_product_attention(queries, keys, values)\n"
    )

    step = mark_step("part2_trainable", "scaled_dot_product_attention", text)

    assert (step.verdict, step.score) == ("forbidden", 0.0)


def test_right_numbers_that_are_detached_lose_the_share_of_gradients_alone(mark_step: MarkStep) -> None:
    step = scores_step(mark_step, "return (queries @ keys.mT).detach()")

    assert lost(step) == {"gradients"}


def test_a_step_earns_the_share_of_cases_with_right_numbers(mark_step: MarkStep) -> None:
    step = scores_step(mark_step, "return queries @ keys.permute(*reversed(range(keys.dim())))")

    assert 0 < step.score < step.max_score
    assert step.score == pytest.approx(sum(criterion.score for criterion in step.criteria))


def test_what_is_forbidden_earns_nothing(mark_step: MarkStep) -> None:
    body = "return torch.nn.functional.scaled_dot_product_attention(queries, keys, keys)"
    assert {criterion.score for criterion in scores_step(mark_step, body).criteria} == {0.0}


FORMS = {
    "another dtype": "return (queries @ keys.mT).double()",
    "a dimension of size 1 too many": "return (queries @ keys.mT)[None]",
}


@pytest.mark.parametrize("body", FORMS.values(), ids=FORMS)
def test_right_numbers_in_another_form_lose_the_share_of_the_form_alone(mark_step: MarkStep, body: str) -> None:
    assert lost(scores_step(mark_step, body)) == {"shape and dtype"}


def test_a_changed_argument_costs_its_share_alone(mark_step: MarkStep) -> None:
    step = scores_step(mark_step, "out = queries @ keys.mT\n    keys.data.zero_()\n    return out")

    assert "inputs untouched" in lost(step)
    assert "values" not in lost(step)


def lost(step: StepMarks) -> set[str]:
    """Return the criteria by which a step has not earned everything."""
    return {criterion.name for criterion in step.criteria if criterion.score < criterion.max_score}


DIAGNOSES = {
    "fails with a batch": ("return torch.mm(queries, keys.t())", "unbatched_only"),
    "detached": ("return (queries @ keys.mT).detach()", "detached"),
    "scaled by another number": ("return queries @ keys.mT / 2", "constant_factor"),
    "the last row": ("return (queries @ keys.mT)[-1]", "one_row_only"),
}


@pytest.mark.parametrize(("body", "diagnosis"), DIAGNOSES.values(), ids=DIAGNOSES)
def test_what_is_in_no_bank_is_diagnosed_by_a_relation(mark_step: MarkStep, body: str, diagnosis: str) -> None:
    step = scores_step(mark_step, body)

    assert step.diagnosis is not None
    assert (step.diagnosis.kind, step.diagnosis.id) == ("relation", diagnosis)


def test_a_known_mistake_written_in_another_way_is_named(mark_step: MarkStep) -> None:
    step = mark_step("part2_trainable", "scale_scores", "def scale_scores(s, d):\n    return s.div(float(d))\n")

    assert step.diagnosis is not None
    assert (step.diagnosis.kind, step.diagnosis.id) == ("mistake", "divided_by_d_k")


def test_a_step_is_judged_alone(mark_text: MarkText) -> None:
    text = (
        "def attention_scores(queries, keys):\n    return queries\n"
        "def scaled_dot_product_attention(queries, keys, values):\n"
        "    return ((queries @ keys.mT) / keys.shape[-1] ** 0.5).softmax(-1) @ values\n"
    )

    marks = mark_text("part2_trainable", text, "attention_scores", "scaled_dot_product_attention")

    assert [step.passed for step in marks.parts[0].steps] == [False, True]


def test_a_text_that_does_not_parse_is_told_with_its_line(mark_text: MarkText) -> None:
    part = mark_text("part1_simplified", "def dot_product(a, b):\n    return (a * b\n").parts[0]

    assert part.error is not None
    assert part.error.startswith("SyntaxError in part1_simplified.py, line 2: '(' was never closed\n    ")
    assert {step.verdict for step in part.steps} == {"missing"}


def test_a_text_with_a_null_byte_is_told(mark_text: MarkText) -> None:
    assert mark_text("part1_simplified", "x = 1\0\n").parts[0].error is not None


def test_the_same_text_has_the_same_digest(mark_text: MarkText) -> None:
    one, other, another = (mark_text("part1_simplified", text, "dot_product") for text in ("x = 1", "x = 1", "x = 2"))

    assert one.digest == other.digest != another.digest


def test_text_of_a_student_is_bounded_and_free_of_control_characters() -> None:
    assert clean("a\x1b[31mb\tc\nd\x00\u202ee") == "a[31mb\tc\nde"
    assert len(clean("x" * 10_000)) == 4_000


def test_an_error_of_torchs_own_is_no_sign_of_a_stub(mark_step: MarkStep) -> None:
    step = mark_step(
        "part2_trainable", "scale_scores", "def scale_scores(scores, d_k):\n    return scores / d_k ^ 0.5\n"
    )

    assert step.verdict == "raised"
    assert step.diagnosis is not None
    assert step.diagnosis.id == "caret_for_power"


LAYERS_ALONE = (
    "import torch\nfrom torch import nn\n\nclass SelfAttentionV2(nn.Module):\n    def __init__(self, d_in, d_out, qkv_bias=False):\n"
    "        super().__init__()\n        for name in ('W_query', 'W_key', 'W_value'):\n            setattr(self, name, nn.Linear(d_in, d_out, bias=qkv_bias))\n"
    "    def forward(self, x):\n        raise NotImplementedError('step 9: SelfAttentionV2')\n"
)


@pytest.mark.parametrize(
    ("step", "text", "stands"),
    {
        "code above": (
            "scale_scores",
            "def scale_scores(scores, d_k):\n    scaled = scores / d_k**0.5\n    raise NotImplementedError('step 4: scale_scores')\n",
            "`raise NotImplementedError` of line 3 still stands",
        ),
        "code below": (
            "scale_scores",
            "def scale_scores(scores, d_k):\n    raise NotImplementedError('step 4: scale_scores')\n    return scores / d_k**0.5\n",
            "`raise NotImplementedError` of line 2 still stands",
        ),
        "a print": (
            "scale_scores",
            "def scale_scores(scores, d_k):\n    print(scores)\n    raise NotImplementedError('step 4: scale_scores')\n",
            "`raise NotImplementedError` of line 3 still stands",
        ),
        "words of one's own": (
            "scale_scores",
            "def scale_scores(scores, d_k):\n    print(scores)\n    raise NotImplementedError('todo')\n",
            "`raise NotImplementedError` of line 3 still stands",
        ),
        "a function of one's own": (
            "scale_scores",
            "def root(d_k):\n    raise NotImplementedError\n\ndef scale_scores(scores, d_k):\n    return scores / root(d_k)\n",
            "`raise NotImplementedError` of line 2, in `root`, still stands",
        ),
        "one of two methods": (
            "SelfAttentionV2",
            LAYERS_ALONE,
            "`raise NotImplementedError` of line 10, in `forward`, still stands",
        ),
    }.values(),
)
def test_of_code_that_was_begun_the_raise_that_still_stands_is_named(
    mark_step: MarkStep, step: str, text: str, stands: str
) -> None:
    marks = mark_step("part2_trainable", step, text)
    assert marks.verdict == "raised"
    assert marks.first_failure is not None
    assert stands in marks.first_failure.message


@pytest.mark.parametrize(
    "body",
    ["raise NotImplementedError", '"""What it does."""\n    # YOUR CODE HERE\n    raise NotImplementedError()'],
)
def test_a_stub_is_not_attempted_whatever_its_text_is(mark_step: MarkStep, body: str) -> None:
    text = f"def scale_scores(scores, d_k):\n    {body}\n"
    assert mark_step("part2_trainable", "scale_scores", text).verdict == "not_attempted"


def test_a_stub_below_the_students_own_code_is_pointed_out(mark_step: MarkStep) -> None:
    stub = "def attention_scores(queries, keys):\n    raise NotImplementedError('step 3')\n"

    step = mark_step("part2_trainable", "attention_scores", RIGHT_SCORES + stub)

    assert step.verdict == "raised"
    assert step.first_failure is not None
    assert "is defined more than once, in line 1 and line 3" in step.first_failure.message


def test_a_step_that_is_forbidden_in_one_case_earns_nothing(mark_step: MarkStep) -> None:
    text = (
        "import torch\ndef softmax(scores):\n    if scores.dim() > 2:\n        return scores.softmax(-1)\n"
        "    shifted = (scores - scores.amax(-1, keepdim=True)).exp()\n    return shifted / shifted.sum(-1, keepdim=True)\n"
    )

    step = mark_step("part1_simplified", "softmax", text)

    assert (step.verdict, step.score) == ("forbidden", 0.0)


def test_a_class_that_another_step_mentions_can_be_renamed(mark_text: MarkText, practice: Exam) -> None:
    text = practice.syllabus.part("part2_trainable").stub.replace("class SelfAttentionV1(", "class SelfAttention_v1(")

    part = mark_text("part2_trainable", text).parts[0]

    assert part.error is None
    assert {step.step: step.verdict for step in part.steps}["SelfAttentionV1"] == "missing"


def test_arguments_in_another_order_are_told(mark_step: MarkStep) -> None:
    text = "def attention_scores(keys, queries):\n    return queries @ keys.mT\n"

    failure = mark_step("part2_trainable", "attention_scores", text).first_failure

    assert failure is not None
    assert "the arguments are in another order" in failure.message


def test_numbers_in_a_fixed_type_are_told_as_such(mark_step: MarkStep) -> None:
    text = (
        "import torch\ndef scores_for_query(query, keys):\n    scores = torch.zeros(len(keys))\n"
        "    for i, key in enumerate(keys):\n        scores[i] = (query * key).sum()\n    return scores\n"
    )

    step = mark_step("part2_trainable", "scores_for_query", text)

    assert step.verdict == "wrong_dtype"
    assert step.diagnosis is not None
    assert step.diagnosis.id == "fixed_dtype"


def test_a_changed_input_is_not_taken_for_a_lost_gradient(mark_step: MarkStep) -> None:
    step = mark_step("part1_simplified", "dot_product", "def dot_product(a, b):\n    a *= b\n    return a.sum()\n")

    assert step.verdict == "changed_inputs"
    assert step.diagnosis is not None
    assert step.diagnosis.id == "changed_inputs"


@pytest.mark.parametrize("body", ["q @ k.T", "torch.tensor(1.0) if scaled else torch.tensor(float(d_k))"])
def test_a_variance_that_is_not_measured_pair_by_pair_does_not_pass(mark_step: MarkStep, body: str) -> None:
    text = (
        "import torch\ndef dot_product_variance(d_k, num_trials, scaled, generator):\n"
        "    q = torch.randn(num_trials, d_k, generator=generator)\n"
        "    k = torch.randn(num_trials, d_k, generator=generator)\n"
        f"    products = {body}\n    return products.var() / (d_k if scaled else 1) if products.dim() else products\n"
    )

    assert mark_step("part2_trainable", "dot_product_variance", text).verdict == "wrong_values"


def test_a_fault_in_the_search_for_a_cause_costs_no_marks(mark_step: MarkStep, monkeypatch: pytest.MonkeyPatch) -> None:
    wrong = "def softmax(scores):\n    return scores / scores.sum(-1, keepdim=True)\n"
    expected = mark_step("part1_simplified", "softmax", wrong)

    monkeypatch.setattr("autograder.grading.grade.diagnose", lambda *_: 1 / 0)
    found = mark_step("part1_simplified", "softmax", wrong)

    assert expected.diagnosis is not None
    assert found.diagnosis is None
    assert (found.verdict, found.criteria) == (expected.verdict, expected.criteria)


def test_an_endless_recursion_shows_its_line_once(mark_step: MarkStep) -> None:
    step = mark_step("part1_simplified", "dot_product", "def dot_product(a, b):\n    return dot_product(a, b)\n")

    assert step.traceback == "part1_simplified.py, line 2, in dot_product\n    return dot_product(a, b)"


@pytest.mark.parametrize("message", ["", " \n", "\x00\x1b"])
def test_who_cannot_be_loaded_and_gives_no_reason_is_to_be_looked_at(practice: Exam, message: str) -> None:
    part = PartAnswers("part1_simplified", frozenset({"softmax"}), Failure("raised", message))

    marks = mark(practice, Answers("ada", {part.part: part}), Submission("ada"), ())

    (look,) = looks_of(marks)
    assert look.urgency == Urgency.MUST_ACT
    assert look.says.endswith("it failed to load and did not say why, as no ordinary code does")


def test_of_a_part_that_cannot_be_loaded_only_what_was_asked_for_is_lost(mark_text: MarkText) -> None:
    part = mark_text("part1_simplified", "def dot_product(a, b:\n", "softmax").parts[0]

    assert [(step.step, step.max_score) for step in part.steps] == [("softmax", 8.0)]


def test_a_small_difference_is_told_with_the_digits_that_show_it(mark_step: MarkStep) -> None:
    failure = scores_step(mark_step, "return queries @ keys.mT + 5e-4").first_failure

    assert failure is not None
    expected, yours = failure.message.rpartition("expected ")[2].split(", yours ")
    assert expected != yours


def test_a_matrix_where_none_should_be_is_told_in_words(mark_step: MarkStep) -> None:
    text = (
        "import torch\ndef self_attention_loops(x, W_query, W_key, W_value):\n    q, k, v = x @ W_query, x @ W_key, x @ W_value\n"
        "    return torch.softmax(q @ k.T / k.shape[-1] ** 0.5, -1) @ v\n"
    )

    failure = mark_step("part2_trainable", "self_attention_loops", text).first_failure

    assert failure is not None
    assert failure.message == "a t x t matrix was built: this should not be so"


def test_what_a_probe_says_in_words_stands_without_quotes(mark_text: MarkText) -> None:
    text = (
        "import torch\nfrom torch import nn\n\nclass CausalAttention(nn.Module):\n"
        "    def __init__(self, d_in, d_out, context_length, dropout, qkv_bias=False):\n        super().__init__()\n"
        "        self.W_query, self.W_key, self.W_value = (nn.Linear(d_in, d_out, bias=qkv_bias) for _ in range(3))\n"
        "        self.dropout = nn.Dropout(dropout)\n"
        "        self.mask = torch.ones(context_length, context_length).triu(1).bool()\n"
        "    def forward(self, x):\n"
        "        queries, keys, t = self.W_query(x), self.W_key(x), x.shape[1]\n"
        "        scores = (queries @ keys.mT).masked_fill(self.mask[:t, :t], -torch.inf)\n"
        "        return self.dropout(torch.softmax(scores / keys.shape[-1] ** 0.5, -1)) @ self.W_value(x)\n"
    )
    (step,) = mark_text("part3_causal", text, "CausalAttention").parts[0].steps
    assert "expected a buffer, yours is a plain attribute" in " ".join(check.message for check in step.checks)
