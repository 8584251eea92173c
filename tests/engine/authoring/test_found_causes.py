"""How often causes are found is measured on texts of which it is known what was changed."""

from tiny_course import NAME, TinyCourse
from warm import lend_worker

from autograder.authoring.found_causes import changed, find

TWO_LINES = "def scores(query, keys):\n    products = keys * query\n    return products.sum(dim=-1)\n"


def test_the_line_that_a_mutant_changes_is_known() -> None:
    found = {one.text.splitlines()[1]: one.lines for one in changed(TWO_LINES, {2})}

    assert found["    products = keys @ query"] == {2}
    assert all(2 in lines for lines in found.values())


def test_of_two_lines_that_change_places_both_count() -> None:
    exchanged = [
        one.lines & {1, 2, 3} for one in changed(TWO_LINES, {2}) if one.text.splitlines()[-1].startswith("    products")
    ]

    assert exchanged == [{2, 3}]


def test_the_causes_of_a_course_s_mutants_are_counted(tiny: TinyCourse) -> None:
    tiny.make()

    (found,) = find(tiny.workspace, lend_worker(), lambda _: None)

    assert found.part == NAME
    (searched,) = found.solutions
    assert searched.named + searched.placed + searched.elsewhere <= 1
    assert searched.seconds > 0
