"""`attn values`: which numbers of a student's code are the reference's, and where they become others."""

from collections.abc import Callable

import pytest
from command import attn_in

from autograder.workspace import Workspace

NewCourse = Callable[..., Workspace]

OVER_THE_QUERIES = """
def scaled_dot_product_attention(queries, keys, values):
    root = keys.shape[-1] ** 0.5
    similar = (queries / root) @ keys.transpose(-2, -1)
    shares = torch.softmax(similar, dim=-2)
    return shares @ values
"""

RAISES = """
def attention_scores(query, inputs):
    return query @ inputs.nothing
"""


@pytest.fixture(scope="module")
def wrong(new_course: NewCourse) -> Workspace:
    return new_course(part1_simplified=RAISES, part2_trainable=OVER_THE_QUERIES)


def line_of(workspace: Workspace, text: str) -> int:
    lines = workspace.exercise("part2_trainable").read_text(encoding="utf-8").splitlines()
    return 1 + next(number for number, line in enumerate(lines) if text in line)


def test_lines_are_shown_with_what_the_reference_has_too(wrong: Workspace) -> None:
    done = attn_in(wrong, "values", "scaled_dot_product_attention")
    line = line_of(wrong, "similar = ")

    assert f"{line:>4}  similar = (queries / root) @ keys.transpose(-2, -1)\n      ✓ similar  (" in done.stdout
    assert "      ✗ shares   (" in done.stdout
    assert f"The first wrong value comes out of line {line + 1}: `" in done.stdout
    assert (done.returncode, done.stderr) == (1, "")


def test_right_code_is_told_so(new_course: NewCourse) -> None:
    done = attn_in(new_course(solved=True), "values", "part2.attention_scores")

    assert done.stdout == "The answers of part2_trainable.attention_scores are right in every case.\n"
    assert done.returncode == 0
