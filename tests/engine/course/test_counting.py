"""What counts, as a course.toml says it: steps, due dates, late work; and what is refused there."""

from datetime import UTC, datetime
from math import inf
from pathlib import Path

import pytest

from autograder.course.course import Counting, Late, Weight, read_course
from autograder.course.errors import BrokenCourse

LEAST = 'id = "photos"\ntitle = "Photos"\nparts = ["part1", "part2"]\n'


def reading(folder: Path, more: str) -> Counting:
    (folder / "course.toml").write_text(LEAST + more, encoding="utf-8")
    return read_course(folder).counting


def test_a_step_counts_as_its_course_says_and_any_other_once(tmp_path: Path) -> None:
    counting = reading(tmp_path, '[steps]\n"part1.a" = { factor = 2 }\n"part1.b" = { bonus = true }\n')

    assert [counting.weight(f"part1.{step}") for step in "abc"] == [Weight(2), Weight(1, bonus=True), Weight(1)]


@pytest.mark.parametrize(
    ("weight", "words"),
    [
        (Weight(), ""),
        (Weight(2), "counts 2 times"),
        (Weight(0), "not counted"),
        (Weight(0.5, bonus=True), "a bonus, counts 0.5 times"),
    ],
)
def test_students_read_how_a_step_counts_in_words(weight: Weight, words: str) -> None:
    assert weight.words == words


def test_a_part_is_due_at_a_time_with_its_zone(tmp_path: Path) -> None:
    due = reading(tmp_path, "[due]\npart1 = 2026-10-01T23:59:00+02:00\n").due

    assert due == {"part1": datetime(2026, 10, 1, 21, 59, tzinfo=UTC)}


def test_late_work_loses_nothing_unless_the_course_says_so(tmp_path: Path) -> None:
    assert reading(tmp_path, "").late == Late(0, inf, 0)
    assert reading(tmp_path, "[late]\npercent_per_day = 10\nat_most_days = 5\n").late == Late(10, 5, 0)


WRONG = {
    "a part that there is not": ("[due]\npart3 = 2026-10-01T23:59:00Z\n", "names part3; expected names"),
    "a step of no part": ('[steps]\n"parts1.a" = { factor = 2 }\n', "names parts1; expected names"),
    "an unknown key of a step": ('[steps]\n"part1.a" = { factr = 2 }\n', "unknown field `factr` - at `\\$.steps"),
    "a factor below 0": ('[steps]\n"part1.a" = { factor = -1 }\n', "Expected `float` >= 0.0 - at `\\$.steps"),
    "a day without a time": ("[due]\npart1 = 2026-10-01\n", "Expected `datetime`, got `date` - at `\\$.due"),
    "a time without its zone": ("[due]\npart1 = 2026-10-01T23:59:00\n", "with a timezone component - at `\\$.due"),
    "a percentage in words": ("[late]\npercent_per_day = 'ten'\n", "at `\\$.late.percent_per_day`"),
}


@pytest.mark.parametrize(("more", "says"), WRONG.values(), ids=WRONG)
def test_what_cannot_be_used_is_refused(tmp_path: Path, more: str, says: str) -> None:
    with pytest.raises(BrokenCourse, match=says):
        reading(tmp_path, more)
