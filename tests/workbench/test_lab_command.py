"""`attn lab`: what is printed, and who is turned away."""

import shutil
from collections.abc import Callable
from dataclasses import replace

import pytest
from command import attn_in
from screen_text import one_line

from autograder.exam.syllabus import load, to_json
from autograder.workspace import Workspace
from workbench.lab_command import NAMES

NewCourse = Callable[..., Workspace]

CACHE_MEMORY = """\
KiB in the cache of one layer
tokens  MHA              GQA      MQA   MLA
    16  128 ━━━           32 ━     8    16
    32  256 ━━━━━━        64 ━    16    32 ━
    48  384 ━━━━━━━━      96 ━━   24 ━  48 ━
    64  512 ━━━━━━━━━━━  128 ━━━  32 ━  64 ━

"""

FULL = """
class KVCache(KVCache):
    def append(self, keys, values):
        if len(self) > 90:
            raise RuntimeError("the cache is full")
        return super().append(keys, values)
"""
"""A cache that is right for all lengths that the grader looks at."""


@pytest.fixture(scope="module")
def solved(new_course: NewCourse) -> Workspace:
    return new_course(solved=True)


def test_the_command_offers_every_lab() -> None:
    from workbench.labs import LABS

    assert tuple(LABS) == NAMES


def test_what_was_found_is_a_table_with_bars_and_a_sentence(solved: Workspace) -> None:
    done = attn_in(solved, "lab", "cache-memory", "--longest", "64")

    assert done.stdout.startswith(CACHE_MEMORY)
    assert one_line(done.stdout.removeprefix(CACHE_MEMORY)).startswith("At 64 tokens, 16 heads ")
    assert (done.returncode, done.stderr) == (0, "")


def test_a_terminal_without_unicode_gets_bars_that_it_knows(solved: Workspace) -> None:
    done = attn_in(solved, "lab", "cache-memory", "--longest", "64", "--reference", PYTHONIOENCODING="ascii")

    assert "512 ###########  " in done.stdout


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


def test_a_lab_whose_part_has_not_been_released_yet_says_so(new_course: NewCourse) -> None:
    course = new_course()
    syllabus = load(course.syllabus)
    course.syllabus.write_text(to_json(replace(syllabus, parts=syllabus.parts[:4])), encoding="utf-8")

    done = attn_in(course, "lab", "cache-memory")

    assert done.returncode == 1
    assert "`attn lab` needs part5_inference.KVCache" in one_line(done.stderr)


def test_wrong_code_is_told_by_the_grader(new_course: NewCourse) -> None:
    wrong = "def scaled_dot_product_attention(queries, keys, values):\n    return values\n"
    done = attn_in(new_course(solved=True, part2_trainable=wrong), "lab", "against-torch")

    assert done.returncode == 1
    assert "scaled_dot_product_attention" in done.stdout
    assert "milliseconds" not in done.stdout


def test_code_that_fails_at_greater_lengths_is_told_by_its_own_line(new_course: NewCourse) -> None:
    done = attn_in(new_course(solved=True, part5_inference=FULL), "lab", "cache-memory", "--longest", "200")

    assert done.returncode == 1
    assert "RuntimeError: the cache is full" in done.stderr
    assert 'raise RuntimeError("the cache is full")' in done.stderr
    assert "Traceback" not in done.stderr


def test_a_copy_without_solutions_says_so(new_course: NewCourse) -> None:
    course = new_course()
    shutil.rmtree(course.solutions)

    done = attn_in(course, "lab", "cache-speed", "--reference")

    assert done.returncode == 1
    assert "the solutions are not included" in done.stderr


def test_an_unknown_lab_is_answered_with_those_that_exist(solved: Workspace) -> None:
    done = attn_in(solved, "lab", "speed")

    assert done.returncode == 2
    assert all(name in done.stderr for name in NAMES)


def test_a_length_that_shows_nothing_is_refused(solved: Workspace) -> None:
    done = attn_in(solved, "lab", "cache-speed", "--longest", "1")

    assert done.returncode == 2
    assert "--longest" in done.stderr
