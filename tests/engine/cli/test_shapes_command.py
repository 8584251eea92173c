"""`attn shapes`: what a student sees of their own code, and that nothing of it reaches further than its process."""

import re
import subprocess
from collections.abc import Callable

import pytest
from command import attn_at_terminal, attn_in, attn_process
from screen_text import SEQUENCE, one_line

from autograder.workspace import Workspace

NewCourse = Callable[..., Workspace]

WITHOUT_T = """
def simplified_self_attention(inputs):
    scores = inputs @ inputs.T
    weights = torch.softmax(scores.sum(dim=0), dim=-1)
    return weights @ inputs
"""

SHOWN = """\
part1_simplified.simplified_self_attention, case journey
simplified_self_attention is given inputs (t=6, d=3)

exercises/part1_simplified.py  simplified_self_attention
{first:>4}  scores = inputs @ inputs.T
      ✓ T        (d=3, t=6)
      ✓ scores   (t=6, t=6)
{second:>4}  weights = torch.softmax(scores.sum(dim=0), dim=-1)
      ✗ sum      (t=6)       reference: (t=6, t=6)
      · weights  (t=6)

Line {second} is where the shapes begin to differ from the reference's.
It comes out as (d=3), from the reference as (t=6, d=3).
"""

RAISES = """
def attention_scores(queries, keys):
    print("\\nlooking at", queries.shape)
    scores = queries @ keys
    return scores
"""

BATCHES = """
def attention_scores(queries, keys):
    return queries @ keys.T
"""


STACKED = """
def repeat_kv(x, groups):
    copies_of_heads_one_behind_the_other = [head for head in x.unbind(1) for _ in range(groups)]
    return torch.stack(copies_of_heads_one_behind_the_other)
"""

CALLS = """
def scored(query, inputs):
    return query @ inputs

def attention_scores(query, inputs):
    return scored(query, inputs)
"""

NOT_TRAINED = """
class SelfAttentionV1(nn.Module):
    def __init__(self, d_in, d_out):
        super().__init__()
        self.W_query = nn.Parameter(torch.rand(d_in, d_out))
        self.W_key = nn.Parameter(torch.rand(d_in, d_out))
        self.W_value = torch.rand(d_in, d_out)

    def forward(self, x):
        return x @ self.W_value
"""

TWO_TENSORS = """
def scaled_dot_product_attention(queries, keys, values):
    weights = torch.softmax(queries @ keys.transpose(-2, -1) / keys.shape[-1] ** 0.5, dim=-1)
    return weights, weights @ values
"""

LIST_OF_ROWS = """
def scores_for_query(query, keys):
    return [query @ key for key in keys]
"""

NOT_TRANSPOSED = """
def copy_weights(source, target):
    target.W_query.data = source.W_query.weight.data.clone()
    target.W_key.data = source.W_key.weight.data.clone()
    target.W_value.data = source.W_value.weight.data.clone()
"""

MASK_NOT_CUT = """
class MultiHeadAttention(nn.Module):
    def __init__(self, d_in, d_out, context_length, dropout, num_heads, qkv_bias=False):
        super().__init__()
        self.num_heads = num_heads
        self.W_query = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.W_key = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.W_value = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.out_proj = nn.Linear(d_out, d_out)
        self.dropout = nn.Dropout(dropout)
        self.register_buffer("mask", torch.ones(context_length, context_length).triu(1).bool())

    def forward(self, x):
        heads = [layer(x).unflatten(-1, (self.num_heads, -1)) for layer in (self.W_query, self.W_key, self.W_value)]
        queries, keys, values = (own.transpose(1, 2) for own in heads)
        masked = (queries @ keys.transpose(2, 3)).masked_fill(self.mask, -torch.inf)
        weights = self.dropout(torch.softmax(masked / queries.shape[-1] ** 0.5, dim=-1))
        return self.out_proj((weights @ values).transpose(1, 2).flatten(2))
"""

KEYS_OF_QUERIES = """
class SelfAttentionV1(nn.Module):
    def __init__(self, d_in, d_out):
        super().__init__()
        self.W_query = nn.Parameter(torch.rand(d_in, d_out))
        self.W_key = nn.Parameter(torch.rand(d_in, d_out))
        self.W_value = nn.Parameter(torch.rand(d_in, d_out))

    def forward(self, x):
        queries = x @ self.W_query
        return queries @ self.W_key
"""

ROOT_OF_A_NUMBER = """
def dot_product_variance(d_k, num_trials, scaled, generator):
    queries, keys = (torch.randn(num_trials, d_k, generator=generator) for _ in range(2))
    products = (queries * keys).sum(dim=-1)
    if not scaled:
        return products.var()
    return (products / torch.sqrt(d_k)).var()
"""

NAMES_REUSED = """
def grouped_query_attention(queries, keys, values):
    groups = queries.shape[1] // keys.shape[1]
    keys = keys.repeat_interleave(groups, dim=1)
    keys = keys.transpose(2, 3)
    values = values.repeat_interleave(groups, dim=1)
    scores = queries @ keys
    scores = scores.masked_fill(torch.ones(scores.shape[-2:]).triu(1).bool(), -torch.inf)
    weights = torch.softmax(scores / queries.shape[3] ** 0.5, dim=-1)
    return (weights @ values).transpose(1, 2)
"""


@pytest.fixture(scope="module")
def fresh(new_course: NewCourse) -> Workspace:
    return new_course()


@pytest.fixture(scope="module")
def solved(new_course: NewCourse) -> Workspace:
    return new_course(solved=True)


@pytest.fixture(scope="module")
def wrong(new_course: NewCourse) -> Workspace:
    return new_course(part1_simplified=WITHOUT_T, part2_trainable=RAISES, part3_causal="import os\nos._exit(7)\n")


@pytest.fixture(scope="module")
def raised(wrong: Workspace) -> subprocess.CompletedProcess[str]:
    return attn_in(wrong, "shapes", "part2.attention_scores")


def line_of(workspace: Workspace, part: str, text: str) -> int:
    lines = workspace.exercise(part).read_text(encoding="utf-8").splitlines()
    return 1 + next(number for number, line in enumerate(lines) if text in line)


def test_lines_are_shown_up_to_where_the_shapes_part(wrong: Workspace) -> None:
    done = attn_in(wrong, "shapes", "simplified_self_attention")
    first = line_of(wrong, "part1_simplified", "scores = inputs @ inputs.T")

    assert done.stdout == SHOWN.format(first=first, second=first + 1)
    assert (done.returncode, done.stderr) == (1, "")


@pytest.mark.slow
def test_the_command_shows_them_as_a_process(wrong: Workspace) -> None:
    done = attn_process(wrong, "shapes", "simplified_self_attention")

    assert "      ✗ sum      (t=6)       reference: (t=6, t=6)\n" in done.stdout
    assert (done.returncode, done.stderr) == (1, "")


def test_a_terminal_without_unicode_gets_signs_that_it_knows(wrong: Workspace) -> None:
    done = attn_in(wrong, "shapes", "simplified_self_attention", PYTHONIOENCODING="ascii")

    assert "      X  sum      (t=6)       reference: (t=6, t=6)\n" in done.stdout


def test_plain_tells_the_same_in_sentences(wrong: Workspace) -> None:
    done = attn_in(wrong, "shapes", "simplified_self_attention", "--plain")

    assert "scores is (t=6, t=6), as in the reference.\nexercises/part1_simplified.py, line " in done.stdout
    assert "sum is (t=6), in the reference (t=6, t=6)." in done.stdout


def test_a_line_that_raises_shows_the_message_and_what_the_operation_was_given(
    wrong: Workspace, raised: subprocess.CompletedProcess[str]
) -> None:
    line = line_of(wrong, "part2_trainable", "scores = queries @ keys")

    assert f"Line {line} of exercises/part2_trainable.py: RuntimeError: mat1 and mat2" in one_line(raised.stdout)
    assert "It was given queries (6, d_k=2) and keys (6, d_k=2)." in raised.stdout
    assert raised.returncode == 1


def test_what_the_code_prints_is_kept_out(raised: subprocess.CompletedProcess[str]) -> None:
    assert "looking at" not in raised.stdout + raised.stderr


def test_a_case_that_parts_is_shown_in_place_of_one_that_does_not(new_course: NewCourse) -> None:
    done = attn_in(new_course(part2_trainable=BATCHES), "shapes", "part2.attention_scores")

    assert done.stdout.startswith(
        "part2_trainable.attention_scores, case batch\nattention_scores is given queries (b=2, tq=4, d_k=3), keys (b=2, tk=5, d_k=3)\n"
    )


def test_right_code_is_shown_on_the_lectures_example_to_the_end(solved: Workspace) -> None:
    done = attn_in(solved, "shapes", "part3_causal.causal_attention_weights")

    assert done.stdout.startswith("part3_causal.causal_attention_weights, case journey\n")
    assert one_line(done.stdout).endswith(
        "The result has the reference's shapes. `attn check part3_causal.causal_attention_weights` checks the numbers."
    )
    assert (done.returncode, done.stderr) == (0, "")


def test_a_table_keeps_to_eighty_columns(solved: Workspace) -> None:
    done = attn_in(solved, "shapes", "TinyGPT")

    assert [line for line in done.stdout.splitlines() if len(line) > 80] == []
    assert re.search(r"✓ logits +\(2, t=5, \d+\)\n", done.stdout)


def test_a_narrow_terminal_shows_the_references_shape_below(new_course: NewCourse) -> None:
    workspace = new_course(part5_inference=STACKED)
    done = attn_at_terminal(workspace, "shapes", "repeat_kv", COLUMNS="60")

    below = r"✗ return  \(kv\*groups=12, b=2, t=5, hd=6\)\s+reference: \(b=2, kv\*groups=12, t=5, hd=6\)\s"
    assert re.search(below, SEQUENCE.sub("", done.stdout))


def test_a_step_that_is_not_attempted_shows_what_it_is_given_and_what_must_come_out(fresh: Workspace) -> None:
    done = attn_in(fresh, "shapes", "split_heads")

    assert "split_heads is given x (b=1, t=3, d_out=6), num_heads 2\n" in done.stdout
    assert "Not attempted yet: line " in done.stdout
    assert "What must come out: (b=1, t=3, h=2, hd=3)." in done.stdout
    assert done.returncode == 1


def test_what_must_come_out_is_named_where_it_is_several_tensors(fresh: Workspace) -> None:
    done = attn_in(fresh, "shapes", "project_qkv")

    assert "What must come out: queries (6, d_k=2), keys (6, d_k=2), values (6, d_v=2)." in done.stdout


@pytest.mark.parametrize("line", ["while True: pass", "while True: scores = scores * 1"])
def test_a_line_that_never_ends_is_named(new_course: NewCourse, line: str) -> None:
    endless = f"def softmax(scores):\n    largest = scores.amax()\n    {line}\n"
    course = new_course(part1_simplified=endless)
    done = attn_in(course, "shapes", "softmax", "--timeout", "1")

    number = line_of(course, "part1_simplified", line)
    assert f"Line {number} of exercises/part1_simplified.py: this line was still running after 1 s" in done.stdout
    assert "· largest" in done.stdout
    assert done.returncode == 1


def test_what_hangs_while_the_module_is_loaded_is_ended_with_its_process(new_course: NewCourse) -> None:
    done = attn_in(new_course(part1_simplified="while True: pass\n"), "shapes", "softmax", "--timeout", "1")

    assert "it did not finish in time. Is there a loop, or other long work, outside your functions?" in one_line(
        done.stdout
    )
    assert done.returncode == 1


def test_an_error_in_a_function_of_your_own_says_where_it_was_called(new_course: NewCourse) -> None:
    course = new_course(part1_simplified=CALLS)
    done = attn_in(course, "shapes", "part1.attention_scores")

    assert f"Called from line {line_of(course, 'part1_simplified', 'return scored(')} of exercises/" in done.stdout


def test_a_missing_parameter_is_told_beside_those_that_there_are(new_course: NewCourse) -> None:
    done = attn_in(new_course(part2_trainable=NOT_TRAINED), "shapes", "SelfAttentionV1")

    assert re.search(r"✓ self.W_query +\(d_in=3, d_out=2\)", done.stdout)
    assert "W_value: expected an `nn.Parameter`, which training changes; yours is a plain tensor." in one_line(
        done.stdout
    )


@pytest.mark.parametrize(
    ("step", "text", "came_out"),
    [
        ("scaled_dot_product_attention", TWO_TENSORS, "2 tensors of (5, 5) and (5, 2)"),
        ("scores_for_query", LIST_OF_ROWS, "6 tensors of ()"),
    ],
)
def test_several_tensors_in_place_of_one_are_called_so(
    new_course: NewCourse, step: str, text: str, came_out: str
) -> None:
    shown = attn_in(new_course(part2_trainable=text), "shapes", step).stdout

    assert f"It comes out as {came_out} in a tuple or list, from the reference as (" in one_line(shown)


def test_of_lines_alike_the_one_is_shown_whose_output_is_wrong(new_course: NewCourse) -> None:
    course = new_course(part2_trainable=NOT_TRANSPOSED)
    done = attn_in(course, "shapes", "copy_weights")

    assert f"Line {line_of(course, 'part2_trainable', 'target.W_query.data =')} is where" in one_line(done.stdout)


def test_the_call_that_fails_shows_what_it_was_given(new_course: NewCourse) -> None:
    done = attn_in(new_course(part4_multihead=MASK_NOT_CUT), "shapes", "MultiHeadAttention")

    assert "MultiHeadAttention.forward is given x (b=2, t=7, d_in=4)\n" in done.stdout


def test_what_fails_in_forward_shows_what_forward_must_return(new_course: NewCourse) -> None:
    done = attn_in(new_course(part2_trainable=KEYS_OF_QUERIES), "shapes", "SelfAttentionV1")

    assert "What must come out: context (t=6, d_out=2).\n" in done.stdout


def test_of_several_runs_the_one_that_fails_is_shown(new_course: NewCourse) -> None:
    done = attn_in(new_course(part2_trainable=ROOT_OF_A_NUMBER), "shapes", "dot_product_variance")

    assert re.search(r"dot_product_variance is given d_k \d+, num_trials \d+, scaled True\n", done.stdout)
    assert "return products.var()" not in done.stdout


def test_a_name_for_one_thing_after_the_other_is_not_blamed(new_course: NewCourse) -> None:
    course = new_course(part5_inference=NAMES_REUSED)
    done = attn_in(course, "shapes", "grouped_query_attention")

    line = line_of(course, "part5_inference", "return (weights @ values).transpose")
    assert f"Line {line} is where the shapes begin to differ from the reference's." in done.stdout
    assert re.search(r"✓ keys +\(1, h=6, hd=5, t=4\)\n", done.stdout)


def test_what_has_the_numbers_of_something_else_is_shown_beside_it(new_course: NewCourse) -> None:
    done = attn_in(new_course(part5_inference=NAMES_REUSED), "shapes", "grouped_query_attention")

    assert re.search(r"· keys +\(1, h=6, t=4, hd=5\) +reference: \(1, h=6, hd=5, t=4\)\n", done.stdout)


def test_code_that_ends_its_process_is_told_without_a_traceback(wrong: Workspace) -> None:
    done = attn_in(wrong, "shapes", "causal_mask")

    assert "the process ended with exit code 7 while running this code: does it call `os._exit`?" in one_line(
        done.stdout
    )
    assert (done.returncode, done.stderr) == (1, "")


def test_a_file_that_cannot_be_read_as_python_is_told(new_course: NewCourse) -> None:
    done = attn_in(new_course(part1_simplified="def softmax(:\n"), "shapes", "softmax")

    assert "SyntaxError in exercises/part1_simplified.py, line " in one_line(done.stdout)
    assert (done.returncode, done.stderr) == (1, "")


def test_another_folder_is_run_instead(fresh: Workspace, solved: Workspace) -> None:
    done = attn_in(fresh, "shapes", "softmax", "--from", str(solved.exercises))

    assert done.returncode == 0


@pytest.mark.parametrize("arguments", [("no_such_step",), ("softmax", "--from", "nowhere"), ("part1_simplified",)])
def test_what_cannot_be_understood_is_a_usage_error(fresh: Workspace, arguments: tuple[str, ...]) -> None:
    done = attn_in(fresh, "shapes", *arguments)

    assert (done.returncode, done.stdout) == (2, "")


def test_a_missing_exam_is_told(new_course: NewCourse) -> None:
    workspace = new_course()
    workspace.practice_exam.unlink()
    done = attn_in(workspace, "shapes", "softmax")

    assert "Copy the folder exams/ again from where you got the course." in one_line(done.stderr)
    assert done.returncode == 2
