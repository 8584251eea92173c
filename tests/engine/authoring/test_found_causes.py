"""How often causes are found is measured on texts of which it is known what was changed."""

import pytest
from tiny_course import NAME, TinyCourse
from warm import lend_worker

from autograder.authoring.found_causes import find


@pytest.mark.world
def test_the_causes_of_a_course_s_mutants_are_counted(tiny: TinyCourse) -> None:
    tiny.make()

    (found,) = find(tiny.workspace, lend_worker(), lambda _: None)

    assert found.part == NAME
    (searched,) = found.solutions
    assert searched.named + searched.placed + searched.elsewhere <= 1
    assert searched.seconds > 0
