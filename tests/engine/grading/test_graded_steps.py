"""Marks: messages, verdicts and points, through the real path. More verdicts, points and causes are in tests/course/cases.jsonl."""

from collections.abc import Callable

import pytest

from autograder.course.answer import Failure
from autograder.exam.model import Exam
from autograder.grading.grade import clean, mark
from autograder.grading.results import Marks, StepMarks
from autograder.runner.answers import Answers, PartAnswers
from autograder.submission.model import Submission
from autograder.workspace import Workspace

MarkStep = Callable[..., StepMarks]
MarkText = Callable[..., Marks]

SCORES = "part2_trainable.attention_scores"
RIGHT_SCORES = "def attention_scores(queries, keys):\n    return queries @ keys.transpose(-2, -1)\n"
SELF_ATTENTION = (
    "class SelfAttentionV1(nn.Module):\n    def __init__(self, d_in, d_out):\n        super().__init__()\n"
    "        for name in ('W_query', 'W_key', 'W_value'):\n            setattr(self, name, nn.Parameter(torch.rand(d_in, d_out)))\n"
    "    def forward(self, x):\n        q, k, v = x @ self.W_query, x @ self.W_key, x @ self.W_value\n"
    "        return torch.softmax(q @ k.mT / k.shape[-1] ** 0.5, -1) @ v\n"
)
CAUSAL = (
    "class CausalAttention(nn.Module):\n    def __init__(self, d_in, d_out, context_length, dropout, qkv_bias=False):\n"
    "        super().__init__()\n        self.W_query, self.W_key, self.W_value = (nn.Linear(d_in, d_out, bias=qkv_bias) for _ in range(3))\n"
    "        self.dropout = nn.Dropout(dropout)\n        self.mask = torch.ones(context_length, context_length).triu(1).bool()\n"
    "    def forward(self, x):\n        queries, keys, t = self.W_query(x), self.W_key(x), x.shape[1]\n"
    "        scores = (queries @ keys.mT).masked_fill(self.mask[:t, :t], -torch.inf)\n"
    "        return self.dropout(torch.softmax(scores / keys.shape[-1] ** 0.5, -1)) @ self.W_value(x)\n"
)


def scores(body: str) -> str:
    return f"def attention_scores(queries, keys):\n    {body}\n"


def mask(body: str) -> str:
    return f"def causal_mask(num_tokens):\n    {body}\n"


def marked(mark_step: MarkStep, path: str, code: str) -> StepMarks:
    part, _, step = path.partition(".")
    return mark_step(part, step, f"import torch\nimport numpy\nfrom torch import nn\n\n{code}")


SAID = [
    (SCORES, scores("queries @ keys.mT"), "nothing returned",
     "expected a tensor of shape (tq=6, tk=6), you returned None. Is a `return` missing?"),
    (SCORES, scores("return (queries @ keys.mT).tolist()"), "not a tensor",
     "you returned a list (6 items, each of type list): keep the numbers tensors"),
    (SCORES, scores("return [[float(q @ k) for k in keys] for q in queries][0]"), "not a tensor",
     "each of type float): keep the numbers tensors"),
    (SCORES, scores("return [queries @ keys.mT, 1]"), "not a tensor",
     "you returned a list (2 items): put the tensors together with `torch.stack`"),
    (SCORES, scores("return [query @ keys.mT for query in queries]"), "wrong number of tensors",
     "you returned 6 in a tuple or list: `torch.stack` makes one"),
    (SCORES, scores("return (queries @ keys.mT,)"), "wrong number of tensors",
     "you returned 1 in a tuple or list: return the tensor itself, without brackets"),
    (SCORES, scores("return queries @ keys.mT, keys"), "wrong number of tensors",
     "expected one tensor, you returned 2 in a tuple or list"),
    (SCORES, scores("return (queries @ keys.mT).numpy()"), "not a tensor",
     "you returned a NumPy array (shape (6, 6)): stay in torch"),
    (SCORES, scores("return (queries @ keys.mT).double()"), "wrong dtype",
     "expected dtype float32, as the inputs have; yours is float64"),
    (SCORES, scores("return (queries @ keys.mT)[:, :5]"), "wrong shape",
     "expected shape (tq=6, tk=6), yours is (tq=6, 5)"),
    (SCORES, scores("out = queries @ keys.mT\n    keys.zero_()\n    return out"), "changed inputs",
     "your code writes into its argument `keys`"),
    (SCORES, scores("return (queries @ keys.mT).detach()"), "wrong gradient", "no gradient reaches `queries`"),
    (SCORES, scores("return (queries @ keys.mT) * float('nan')"), "wrong values",
     "nan in 36 of 36 places at [tq 0, tk 0]; expected"),
    (SCORES, scores("return (queries @ keys.mT).index_fill(-1, torch.tensor(2), 0.0)"), "wrong values",
     "6 of 36 numbers differ, most at [tq 1, tk 2]: expected 1.8111, yours 0.0000"),
    (SCORES, "def attention_scores(queries):\n    return queries\n", "raised",
     "attention_scores() takes 1 positional argument but 2 were given"),
    (SCORES, RIGHT_SCORES.replace("attention_scores", "attention_score"), "missing",
     "Did you rename it to `attention_score`?"),
    (SCORES, RIGHT_SCORES + scores("raise NotImplementedError('step 3')"), "raised",
     "is defined more than once, in line 5 and line 7"),
    ("part2_trainable.SelfAttentionV1", SELF_ATTENTION.replace("('W_query', ", "("), "incomplete",
     "your SelfAttentionV1 has no attribute `W_query`"),
    ("part2_trainable.self_attention_loops",
     "def self_attention_loops(x, W_query, W_key, W_value):\n    q, k, v = x @ W_query, x @ W_key, x @ W_value\n"
     "    return torch.softmax(q @ k.T / k.shape[-1] ** 0.5, -1) @ v\n", "wrong behaviour",
     "a t x t matrix was built: this should not be so"),
    ("part3_causal.causal_mask", mask("return numpy.triu(numpy.ones((num_tokens, num_tokens)), 1) == 1"), "not a tensor",
     "(shape (6, 6)): stay in torch"),
    ("part3_causal.causal_mask", mask("return [[j > i for j in range(num_tokens)] for i in range(num_tokens)]"),
     "not a tensor", ": `torch.tensor` makes a tensor of it"),
    ("part3_causal.causal_mask", mask("return torch.ones(num_tokens, num_tokens).triu(1)"), "wrong dtype",
     "expected dtype bool; yours is float32. A comparison makes booleans, or `.bool()`"),
    ("part3_causal.CausalAttention", CAUSAL, "wrong values", "expected a buffer, yours is a plain attribute"),
    ("part4_multihead.head_dim", "def head_dim(d_out, num_heads):\n    return d_out % num_heads\n", "wrong number",
     "yours is 0"),
    ("part4_multihead.head_dim", "def head_dim(d_out, num_heads):\n    d_out // num_heads\n", "nothing returned",
     "you returned None. Is a `return` missing?"),
]  # fmt: skip


@pytest.mark.parametrize(("path", "code", "words", "message"), SAID)
def test_the_verdict_and_the_message_name_what_was_expected_and_what_came(
    mark_step: MarkStep, path: str, code: str, words: str, message: str
) -> None:
    step = marked(mark_step, path, code)

    assert step.words == words
    assert any(message in check.message for check in step.checks if not check.passed)


def test_each_cause_of_a_missing_parameter_is_reported_once(mark_step: MarkStep) -> None:
    code = SELF_ATTENTION.replace("'W_key', 'W_value'", "'W_key'").replace(
        "    def forward", "        self.W_value = torch.rand(d_in, d_out)\n    def forward"
    )
    step = marked(mark_step, "part2_trainable.SelfAttentionV1", code)

    said = [check.message for check in step.checks] + [step.diagnosis.says if step.diagnosis else ""]
    assert step.words == "something is missing"
    assert "W_value: expected an `nn.Parameter`, which training changes; yours is a plain tensor" in said
    assert not any("no gradient reaches" in one.lower() for one in said)
    assert next(one.score for one in step.criteria if one.name == "form") == 0


def test_a_missing_bias_is_no_missing_return(mark_step: MarkStep, course: Workspace) -> None:
    right = (course.solutions / "part4_multihead.py").read_text(encoding="utf-8")
    text = right.replace("nn.Linear(d_out, d_out)", "nn.Linear(d_out, d_out, bias=False)")
    marks = mark_step("part4_multihead", "MultiHeadAttention", text)

    assert not marks.passed
    assert not any("missing" in check.message for check in marks.checks)


def test_what_a_right_step_prints_is_in_its_own_marks_alone(mark_step: MarkStep) -> None:
    for said in ("hello", "", "goodbye"):
        step = marked(mark_step, SCORES, scores(f"print({said!r}) if {said!r} else None\n    return queries @ keys.mT"))

        assert step.passed
        assert ("hello" in step.printed, "goodbye" in step.printed) == (said == "hello", said == "goodbye")


def test_a_wrong_gradient_has_a_picture(mark_step: MarkStep) -> None:
    out = "out = queries @ keys.mT\n    return out.detach() + 2 * out - 2 * out.detach()"
    gradient = marked(mark_step, SCORES, scores(out)).picture

    assert gradient
    assert gradient.name == "gradient of queries"


@pytest.mark.parametrize(
    ("part", "code", "traceback"),
    [
        ("part2_trainable.attention_scores", scores("return queries.foo(keys)"), "return queries.foo(keys)"),
        ("part1_simplified.dot_product", "def dot_product(a, b):\n    return dot_product(a, b)\n", "return dot_product(a, b)"),
    ],
)  # fmt: skip
def test_an_error_is_reported_by_the_students_own_lines_once(
    mark_step: MarkStep, part: str, code: str, traceback: str
) -> None:
    module, _, name = part.partition(".")
    step = marked(mark_step, part, code)

    assert step.traceback == f"{module}.py, line 6, in {name}\n    {traceback}"


BEGUN = {
    "code above": ("def scale_scores(scores, d_k):\n    scaled = scores\n    raise NotImplementedError('step 4: scale_scores')\n", " of line 7"),
    "code below": ("def scale_scores(scores, d_k):\n    raise NotImplementedError('todo')\n    return scores\n", " of line 6"),
    "a function of one's own": (
        "def root(d_k):\n    raise NotImplementedError\n\ndef scale_scores(scores, d_k):\n    return scores / root(d_k)\n",
        " of line 6, in `root`,",
    ),
}  # fmt: skip


@pytest.mark.parametrize(("code", "place"), BEGUN.values(), ids=BEGUN)
def test_the_raise_that_still_stands_in_code_that_was_begun_is_named(
    mark_step: MarkStep, code: str, place: str
) -> None:
    step = marked(mark_step, "part2_trainable.scale_scores", code)

    assert step.verdict == "raised"
    assert step.first_failure
    assert f"the `raise NotImplementedError`{place} still stands" in step.first_failure.message


@pytest.mark.parametrize(
    "body", ["raise NotImplementedError", '"""Scale."""\n    # HERE\n    raise NotImplementedError()']
)
def test_a_stub_is_not_attempted_whatever_its_text_is(mark_step: MarkStep, body: str) -> None:
    step = marked(mark_step, "part2_trainable.scale_scores", f"def scale_scores(scores, d_k):\n    {body}\n")

    assert (step.verdict, step.score, step.diagnosis) == ("not_attempted", 0.0, None)


LOST = {
    "detached": ("return (queries @ keys.mT).detach()", {"form"}),
    "another dtype": ("return (queries @ keys.mT).double()", {"form"}),
    "a dimension of size 1 too many": ("return (queries @ keys.mT)[None]", {"form"}),
    "a changed argument": ("out = queries @ keys.mT\n    keys.data.zero_()\n    return out", {"form"}),
}  # fmt: skip


@pytest.mark.parametrize(("body", "lost"), LOST.values(), ids=LOST)
def test_right_numbers_lose_the_share_of_what_is_wrong_beside_them(
    mark_step: MarkStep, body: str, lost: set[str]
) -> None:
    step = marked(mark_step, SCORES, scores(body))

    assert {one.name for one in step.criteria if one.score < one.max_score} == lost


def test_what_is_forbidden_in_one_case_earns_nothing(mark_step: MarkStep) -> None:
    text = (
        "def softmax(scores):\n    if scores.dim() > 2:\n        return scores.softmax(-1)\n"
        "    shifted = (scores - scores.amax(-1, keepdim=True)).exp()\n    return shifted / shifted.sum(-1, keepdim=True)\n"
    )
    step = marked(mark_step, "part1_simplified.softmax", text)

    assert (step.verdict, {one.score for one in step.criteria}) == ("forbidden", {0.0})


def test_a_step_is_judged_alone(mark_text: MarkText) -> None:
    text = (
        "def attention_scores(queries, keys):\n    return queries\n"
        "def scaled_dot_product_attention(queries, keys, values):\n"
        "    return ((queries @ keys.mT) / keys.shape[-1] ** 0.5).softmax(-1) @ values\n"
    )
    marks = mark_text("part2_trainable", text, "attention_scores", "scaled_dot_product_attention")

    assert [step.passed for step in marks.parts[0].steps] == [False, True]


def test_a_text_that_does_not_parse_loses_the_steps_that_were_asked_for(mark_text: MarkText) -> None:
    part = mark_text("part1_simplified", "def dot_product(a, b):\n    return (a * b\n", "softmax").parts[0]

    assert part.error
    assert part.error.startswith("SyntaxError in part1_simplified.py, line 2: '(' was never closed\n    ")
    assert [(step.step, step.verdict, step.max_score) for step in part.steps] == [("softmax", "missing", 8.0)]


def test_the_same_text_has_the_same_digest(mark_text: MarkText) -> None:
    one, other, another = (mark_text("part1_simplified", text, "dot_product") for text in ("x = 1", "x = 1", "x = 2"))

    assert one.digest == other.digest != another.digest


def test_text_of_a_student_is_bounded_and_free_of_control_characters() -> None:
    assert clean("a\x1b[31mb\tc\nd\x00\u202ee") == "a[31mb\tc\nde"
    assert len(clean("x" * 10_000)) == 4_000


def test_a_class_that_another_step_mentions_can_be_renamed(mark_text: MarkText, practice: Exam) -> None:
    text = practice.syllabus.part("part2_trainable").stub.replace("class SelfAttentionV1(", "class SelfAttention_v1(")
    part = mark_text("part2_trainable", text).parts[0]

    assert part.error is None
    assert {step.step: step.verdict for step in part.steps}["SelfAttentionV1"] == "missing"


def test_a_fault_in_the_search_for_a_cause_costs_no_marks(mark_step: MarkStep, monkeypatch: pytest.MonkeyPatch) -> None:
    wrong = "def softmax(scores):\n    return scores / scores.sum(-1, keepdim=True)\n"
    expected = marked(mark_step, "part1_simplified.softmax", wrong)

    monkeypatch.setattr("autograder.grading.grade.diagnose", lambda *_: 1 / 0)
    found = marked(mark_step, "part1_simplified.softmax", wrong)

    assert expected.diagnosis
    assert found.diagnosis is None
    assert (found.verdict, found.criteria) == (expected.verdict, expected.criteria)


@pytest.mark.parametrize("message", ["", "\x00\x1b"])
def test_who_cannot_be_loaded_and_gives_no_reason_is_to_be_looked_at(practice: Exam, message: str) -> None:
    part = PartAnswers("part1_simplified", frozenset({"softmax"}), Failure("raised", message))

    marks = mark(practice, Answers("ada", {part.part: part}), Submission("ada"), ())

    assert (marks.parts[0].error or "").endswith("it failed to load without a reason, which ordinary code always gives")


def test_a_small_difference_is_written_with_the_digits_that_show_it(mark_step: MarkStep) -> None:
    failure = marked(mark_step, SCORES, scores("return queries @ keys.mT + 5e-4")).first_failure

    assert failure
    expected, yours = failure.message.rpartition("expected ")[2].split(", yours ")
    assert expected != yours
