"""`course.toml` in a release says what it said, but of no part that is not there."""

import tomllib

import pytest

from autograder.authoring.release import course_file

COURSE = """
# For authors.
id = "shop"
title = "Löss & \\"more\\""
parts = ["part1_apples", "part2_pears"]

[steps]
"part1_apples.peel" = { factor = 2 }
"part2_pears.cut" = { bonus = true }

[due]
part1_apples = 2026-10-01T23:59:00+02:00
part2_pears = 2026-10-08T23:59:00+02:00

[late]
percent_per_day = 12.5

[release]
files = ["a/*.txt"]
notes = '''
Two
lines with a \\ in them.
'''

[pages.widgets]
scale = { needs = ["x"], takes = [] }
"""


def test_what_is_written_reads_as_what_was_read() -> None:
    assert tomllib.loads(course_file(COURSE, ["part1_apples", "part2_pears"], "")) == tomllib.loads(COURSE)


@pytest.mark.parametrize(("kept", "lacking"), [("part1_apples", "part2_pears"), ("part2_pears", "part1_apples")])
def test_nothing_is_said_of_a_part_that_is_not_released(kept: str, lacking: str) -> None:
    text = course_file(COURSE, [kept], "")
    assert tomllib.loads(text)["parts"] == [kept]
    assert list(tomllib.loads(text)["due"]) == [kept]
    assert lacking not in text
