"""Which part a name belongs to: told by the name alone, by the notebook's, or by what else stands in it."""

import pytest

from autograder.exam.model import Exam
from autograder.exam.syllabus import Syllabus
from autograder.student.jupyter.ownership import UnknownPart, step_called

SHARED = "attention_scores"


@pytest.fixture
def syllabus(practice: Exam) -> Syllabus:
    return practice.syllabus


def path_of(name: str, syllabus: Syllabus, notebook: str = "", others: tuple[str, ...] = ()) -> str:
    found = step_called(name, syllabus, notebook, others)
    assert found
    return found.path


def test_a_name_that_one_part_has_is_known_in_any_notebook(syllabus: Syllabus) -> None:
    assert path_of("softmax", syllabus, "part2_trainable") == "part1_simplified.softmax"


def test_a_name_that_no_part_has_is_no_step(syllabus: Syllabus) -> None:
    assert step_called("helper", syllabus, "part1_simplified", ()) is None


@pytest.mark.parametrize("part", ["part1_simplified", "part2_trainable"])
def test_a_name_of_several_parts_belongs_to_that_of_the_notebooks_name(syllabus: Syllabus, part: str) -> None:
    assert path_of(SHARED, syllabus, part) == f"{part}.{SHARED}"


def test_in_a_notebook_of_another_name_it_belongs_to_the_part_of_the_other_steps(syllabus: Syllabus) -> None:
    assert path_of(SHARED, syllabus, "Untitled", ("helper", "softmax", SHARED)) == f"part1_simplified.{SHARED}"


@pytest.mark.parametrize("others", [(), ("softmax", "scale_scores")])
def test_where_nothing_tells_the_parts_apart_both_calls_are_named(syllabus: Syllabus, others: tuple[str, ...]) -> None:
    with pytest.raises(UnknownPart) as told:
        step_called(SHARED, syllabus, "Untitled", others)

    assert str(told.value) == (
        "attention_scores is a step of part1_simplified and part2_trainable. "
        '`check("part1_simplified.attention_scores")` or `check("part2_trainable.attention_scores")` marks it.'
    )
