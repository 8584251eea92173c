"""What leads from a lecture to a step is made from the syllabus, the known mistakes and the reference."""

import textwrap

import pytest

from autograder.exam.model import Exam
from autograder.site.exercise import exercise
from autograder.site.figure import Edition
from autograder.workspace import COURSE, Workspace

STEP = "part2_trainable.scale_scores"


@pytest.fixture(scope="module")
def open_page() -> str:
    return exercise(STEP, edition=Edition.OPEN).page


def test_the_task_names_the_step_its_points_its_file_and_the_command(open_page: str, practice: Exam) -> None:
    step = practice.syllabus.part("part2_trainable").step("scale_scores")

    assert (
        f"step {step.number} of {len(practice.syllabus.part('part2_trainable').steps)}, part 2, `scale_scores`"
        in open_page
    )
    assert step.summary in open_page
    assert f"{step.points:g} point, {step.effort}." in open_page
    assert "`exercises/part2_trainable.py`" in open_page
    assert f"```sh\n    attn check {STEP}\n    ```" in open_page


def test_the_common_mistakes_are_those_of_the_bank(open_page: str) -> None:
    known = [mistake.says for mistake in COURSE.course.mistakes("part2_trainable") if mistake.step == "scale_scores"]

    assert len(known) >= 3
    assert all(f"- {says}" in open_page for says in known)


def test_the_solution_is_the_reference_without_the_marks_of_its_region(open_page: str, course: Workspace) -> None:
    reference = (course.solutions / "part2_trainable.py").read_text(encoding="utf-8")
    region = reference.partition("TODO 4: divide by the square root of d_k.\n")[2].partition("    ### END")[0]

    assert textwrap.indent(region, "    ").rstrip() in open_page
    assert "###" not in open_page


def test_the_site_of_a_class_has_no_solution_and_no_empty_reveal() -> None:
    page = exercise(STEP, edition=Edition.CLASS).page

    assert "??? solution" not in page
    assert "d_k**0.5" not in page
    assert "??? mistakes" in page


def test_who_reads_the_file_is_told_the_command_alone() -> None:
    text = exercise(STEP, edition=Edition.OPEN).text

    assert text == f"Now in your file, step 4 of 13, part 2, `scale_scores`: `attn check {STEP}`.\n"


def test_a_step_that_does_not_exist_is_an_error() -> None:
    with pytest.raises(ValueError, match=r"no step 'part2_trainable\.scale_score'; did you mean '.*\.scale_scores'"):
        exercise("part2_trainable.scale_score", edition=Edition.OPEN)
