"""`attn lab`: what is printed, and who is turned away."""

from collections.abc import Callable

import pytest
from command import attn_in
from screen_text import one_line

from autograder.workspace import Workspace

NewCourse = Callable[..., Workspace]

CACHE_MEMORY = """\
KiB in the cache of one layer
tokens  MHA              GQA      MQA   MLA
    16  128 ━━━           32 ━     8    16
    32  256 ━━━━━━        64 ━    16    32 ━
    48  384 ━━━━━━━━      96 ━━   24 ━  48 ━
    64  512 ━━━━━━━━━━━  128 ━━━  32 ━  64 ━

"""


@pytest.fixture(scope="module")
def solved(new_course: NewCourse) -> Workspace:
    return new_course(solved=True)


def test_what_was_found_is_a_table_with_bars_and_a_sentence(solved: Workspace) -> None:
    done = attn_in(solved, "lab", "cache-memory", "--longest", "64")

    assert done.stdout.startswith(CACHE_MEMORY)
    assert one_line(done.stdout.removeprefix(CACHE_MEMORY)).startswith("At 64 tokens, 16 heads ")
    assert (done.returncode, done.stderr) == (0, "")


def test_the_reference_finds_the_same_as_code_that_is_the_same(solved: Workspace, new_course: NewCourse) -> None:
    own = attn_in(solved, "lab", "largest-tensor", "--longest", "256")
    reference = attn_in(new_course(), "lab", "largest-tensor", "--longest", "256", "--reference")

    assert reference.returncode == 0, reference.stderr
    assert reference.stdout == own.stdout


def test_a_step_that_is_not_written_yet_is_named_and_nothing_is_measured(new_course: NewCourse) -> None:
    done = attn_in(new_course(), "lab", "cache-memory")

    assert done.returncode == 1
    assert "not attempted" in done.stdout
    assert "KiB" not in done.stdout
    assert "`attn lab` needs part5_inference.KVCache, which does not pass yet" in one_line(done.stderr)
