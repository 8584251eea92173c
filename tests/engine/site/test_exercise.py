"""What leads from a lecture to a step is made from the syllabus, the known mistakes and the reference."""

import textwrap

import pytest

from autograder.site.exercise import exercise
from autograder.site.figure import Edition
from autograder.workspace import Workspace

STEP = "part2_trainable.scale_scores"


@pytest.fixture(scope="module")
def open_page() -> str:
    return exercise(STEP, edition=Edition.OPEN).page


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


def test_a_step_that_does_not_exist_is_an_error() -> None:
    with pytest.raises(ValueError, match=r"no step 'part2_trainable\.scale_score'; did you mean '.*\.scale_scores'"):
        exercise("part2_trainable.scale_score", edition=Edition.OPEN)
