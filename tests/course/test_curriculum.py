"""The curriculum: which steps there are, what they are worth, and what they forbid."""

import pytest

from autograder.exam.build import make_syllabus
from autograder.exam.syllabus import Syllabus
from autograder.workspace import Workspace


@pytest.fixture(scope="module")
def syllabus(course: Workspace) -> Syllabus:
    return make_syllabus(course.course)


def test_every_part_has_25_points(syllabus: Syllabus) -> None:
    assert [part.points for part in syllabus.parts] == [25.0] * 6


def test_torch_s_own_softmax_is_forbidden_in_the_step_that_writes_it(syllabus: Syllabus) -> None:
    assert {"softmax", "log_softmax"} <= set(syllabus.part("part1_simplified").step("softmax").forbids)


def test_torch_s_own_attention_is_forbidden_in_every_step_of_part_2(syllabus: Syllabus) -> None:
    for step in syllabus.part("part2_trainable").steps:
        assert {"scaled_dot_product", "MultiheadAttention"} <= set(step.forbids), step.name
