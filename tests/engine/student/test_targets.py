"""What a user means by PART or PART.STEP."""

from dataclasses import replace

import pytest

from autograder.course.errors import ExplainedError
from autograder.exam.model import Exam
from autograder.exam.syllabus import Syllabus
from autograder.student.targets import find_step, find_steps

FIRST = "part1_convolution"
SECOND = "part2_network"


@pytest.fixture
def syllabus(convolution_exam: Exam) -> Syllabus:
    return convolution_exam.syllabus


@pytest.mark.parametrize("name", [FIRST, "1", "part1", f"{FIRST}.py", f"exercises/{FIRST}.py"])
def test_a_part_goes_by_name_number_beginning_and_file(syllabus: Syllabus, name: str) -> None:
    assert find_steps(syllabus, (name,)) == syllabus.part(FIRST).steps


@pytest.mark.parametrize("name", [f"{FIRST}.output_size", "1.output_size", "part1.output_size", "1.3", "output_size"])
def test_a_step_goes_by_part_and_name_by_number_and_alone(syllabus: Syllabus, name: str) -> None:
    assert find_step(syllabus, name).path == f"{FIRST}.output_size"


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("output_siz", "There is no part or step `output_siz`. Did you mean `output_size`?"),
        ("1.output_siz", f"There is no part or step `{FIRST}.output_siz`. Did you mean `{FIRST}.output_size`?"),
        ("prt1_convolution.output_size", "There is no part or step `prt1_convolution.output_size`."),
        ("1.99", f"There is no part or step `{FIRST}.99`."),
        ("-1", "There is no part or step `-1`."),
        ("part", "There is no part or step `part`."),
        (
            "part1.ipynb",
            "part1.ipynb is a notebook, which is marked in Jupyter: run its cells, or `check()` in a cell.",
        ),
    ],
)
def test_an_unknown_name_is_told_with_a_guess(syllabus: Syllabus, name: str, message: str) -> None:
    with pytest.raises(ExplainedError) as found:
        find_steps(syllabus, (name,))
    assert str(found.value).startswith(message)


def test_a_step_of_several_parts_is_asked_for_by_its_part(syllabus: Syllabus) -> None:
    first, second = syllabus.parts
    renamed = replace(second, steps=(replace(second.steps[0], name="pad"), *second.steps[1:]))

    with pytest.raises(ExplainedError, match=f"`{FIRST}.pad` or `{SECOND}.pad`"):
        find_steps(replace(syllabus, parts=(first, renamed)), ("pad",))


def test_next_is_the_students_next_step_and_a_name_of_several_parts_is_of_its_part(syllabus: Syllabus) -> None:
    first, second = syllabus.parts
    renamed = replace(second, steps=(replace(second.steps[0], name="pad"), *second.steps[1:]))
    both, following = replace(syllabus, parts=(first, renamed)), renamed.steps[1]

    assert find_steps(both, ("next",), following) == (following,)
    assert find_step(both, "pad", following).path == f"{SECOND}.pad"
