"""`attn trace`: the tensors of a student's code, up to where they differ from the reference's; its failures."""

import subprocess
from collections.abc import Callable

import pytest
from command import attn_in
from screen_text import one_line

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
      ✓ T        (d=3, t=6)  as in the reference
      ✓ scores   (t=6, t=6)  as in the reference
{second:>4}  weights = torch.softmax(scores.sum(dim=0), dim=-1)
      · sum      (t=6)       not in the reference
      · weights  (t=6)       not in the reference
{third:>4}  return weights @ inputs
      · return   (d=3)       not in the reference

Look from line {second} on: `scores.sum(dim=0)`. Before it, `scores` of line {first} is
right.
expected shape (t=6, d=3), yours is (d=3)
"""

PART2 = """
def attention_scores(queries, keys):
    print("\\nlooking at", queries.shape)
    scores = queries @ keys
    return scores


def scaled_dot_product_attention(queries, keys, values):
    root = keys.shape[-1] ** 0.5
    similar = (queries / root) @ keys.transpose(-2, -1)
    shares = torch.softmax(similar, dim=-2)
    return shares @ values
"""


@pytest.fixture(scope="module")
def fresh(new_course: NewCourse) -> Workspace:
    return new_course()


@pytest.fixture(scope="module")
def solved(new_course: NewCourse) -> Workspace:
    return new_course(solved=True)


@pytest.fixture(scope="module")
def wrong(new_course: NewCourse) -> Workspace:
    return new_course(part1_simplified=WITHOUT_T, part2_trainable=PART2)


@pytest.fixture(scope="module")
def raised(wrong: Workspace) -> subprocess.CompletedProcess[str]:
    return attn_in(wrong, "trace", "part2.attention_scores")


def line_of(workspace: Workspace, part: str, text: str) -> int:
    lines = workspace.exercise(part).read_text(encoding="utf-8").splitlines()
    return 1 + next(number for number, line in enumerate(lines) if text in line)


def test_lines_are_shown_up_to_where_the_tensors_differ(wrong: Workspace) -> None:
    done = attn_in(wrong, "trace", "simplified_self_attention")
    first = line_of(wrong, "part1_simplified", "scores = inputs @ inputs.T")

    assert done.stdout == SHOWN.format(first=first, second=first + 1, third=first + 2)
    assert (done.returncode, done.stderr) == (1, "")


def test_plain_tells_the_same_in_sentences(wrong: Workspace) -> None:
    done = attn_in(wrong, "trace", "simplified_self_attention", "--plain")

    assert "scores is (t=6, t=6), as in the reference.\nexercises/part1_simplified.py, line " in done.stdout
    assert "sum is (t=6), not in the reference." in done.stdout


def test_where_the_reference_makes_the_same_its_numbers_are_drawn_beside(wrong: Workspace) -> None:
    done = attn_in(wrong, "trace", "scaled_dot_product_attention")
    line = line_of(wrong, "part2_trainable", "shares = ")

    assert "✓ similar" in done.stdout
    assert "✗ shares" in done.stdout
    assert "expected" in done.stdout
    assert f"The first wrong value comes out of line {line}: `" in done.stdout
    assert (done.returncode, done.stderr) == (1, "")


def test_a_line_that_raises_shows_the_message_and_what_the_operation_was_given(
    wrong: Workspace, raised: subprocess.CompletedProcess[str]
) -> None:
    line = line_of(wrong, "part2_trainable", "scores = queries @ keys")

    assert f"Line {line} of exercises/part2_trainable.py: RuntimeError: mat1 and mat2" in one_line(raised.stdout)
    assert "It was given queries (6, d_k=2) and keys (6, d_k=2)." in raised.stdout
    assert raised.returncode == 1


def test_right_code_is_shown_on_the_lectures_example_to_the_end(solved: Workspace) -> None:
    done = attn_in(solved, "trace", "part3_causal.causal_attention_weights")

    assert done.stdout.startswith("part3_causal.causal_attention_weights, case journey\n")
    assert done.stdout.endswith("The answers are right in every case.\n")
    assert (done.returncode, done.stderr) == (0, "")


def test_a_step_that_is_not_attempted_shows_what_it_is_given_and_what_must_come_out(fresh: Workspace) -> None:
    done = attn_in(fresh, "trace", "split_heads")

    assert "split_heads is given x (b=1, t=3, d_out=6), num_heads 2\n" in done.stdout
    assert "not written yet" in done.stdout
    assert "What must come out: (b=1, t=3, h=2, hd=3)." in done.stdout
    assert done.returncode == 1
