"""What is slow the first time is done before anybody waits for it, and nothing that nobody needs."""

from collections.abc import Iterator
from dataclasses import replace

import pytest
from quick_starts import quick_starts

from autograder.course.answer import PlainValue
from autograder.exam.model import Exam, Paper
from autograder.exam.syllabus import Syllabus
from autograder.sitting.host import sit
from autograder.sitting.processes import Sitter, open_sitter
from autograder.sitting.submission import Source, Submission

LOOKS = """
import sys

def head_dim(d_out, num_heads):
    return "torch._dynamo" in sys.modules
"""


@pytest.fixture(params=["forked", "spawned"])
def cold(request: pytest.FixtureRequest) -> Iterator[Sitter]:
    with quick_starts():
        sitter = open_sitter(spawn=request.param == "spawned")
        yield sitter
        sitter.close()


def has_compiler(sitter: Sitter, practice: Exam, loads_compiler: bool) -> bool:
    """Let a step tell whether the compiler is there when it begins."""
    part = replace(practice.syllabus.part("part4_multihead"), loads_compiler=loads_compiler)
    case = next(case for case in practice.paper.cases if case.step == "head_dim")
    submission = Submission("text", {part.name: Source.module("part4_multihead.py", LOOKS)})
    answers = sit(sitter, submission, Syllabus((part,)), Paper((case,)), {part.name: frozenset({"head_dim"})})
    value = answers.parts[part.name].answers[case.path].outputs["result"]
    assert isinstance(value, PlainValue)
    return bool(value.value)


@pytest.mark.slow
def test_the_compiler_is_loaded_before_a_part_that_needs_it_begins(cold: Sitter, practice: Exam) -> None:
    assert has_compiler(cold, practice, loads_compiler=True)


@pytest.mark.slow
def test_other_parts_do_not_wait_for_the_compiler(cold: Sitter, practice: Exam) -> None:
    assert not has_compiler(cold, practice, loads_compiler=False)


@pytest.mark.slow
def test_a_part_that_needs_the_compiler_may_come_after_one_that_does_not(cold: Sitter, practice: Exam) -> None:
    has_compiler(cold, practice, loads_compiler=False)

    assert has_compiler(cold, practice, loads_compiler=True)
