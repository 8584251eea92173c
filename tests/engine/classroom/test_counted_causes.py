"""What a class is told most: the same cause is counted once, whatever the lines and names in a student's code."""

from typing import get_args

import pytest

from autograder.classroom.counted_causes import IN_GENERAL, CountedCauses, in_general
from autograder.diagnosis.align import How
from autograder.diagnosis.dependency_map import ORDER
from autograder.grading.results import Diagnosis, Spot


def cure(line: int, of: str, slip: str = "dimension") -> Diagnosis:
    where = f"Look at line {line}: `{of}(x, dim=0)`."
    what = f"`{of}` works along the wrong dimension."
    return Diagnosis("cure", slip, where, where, what, "With `dim=-1`.", Spot("ada/part1.py", line, 0, 4, "text"))


def place(line: int) -> Diagnosis:
    where = f"Line {line} makes something else: `scores.T`."
    return Diagnosis("place", "place_departs", where, where)


def counted(*causes: Diagnosis, step: str = "part1.softmax") -> list[tuple[str, str, int]]:
    counts = CountedCauses()
    for cause in causes:
        counts.add(step, cause)
    return counts.commonest(9)


def test_the_same_slip_at_other_lines_is_one_cause_in_the_words_that_all_got() -> None:
    assert counted(cure(3, "softmax"), cure(8, "softmax")) == [
        ("part1.softmax", "`softmax` works along the wrong dimension.", 2)
    ]


def test_the_same_slip_of_other_names_is_one_cause_without_a_name() -> None:
    ((_, says, count),) = counted(cure(3, "softmax"), cure(3, "sum"), cure(3, "sum"))

    assert (says, count) == ("`…` works along the wrong dimension.", 3)


def test_other_slips_are_other_causes_and_the_commonest_comes_first() -> None:
    found = counted(cure(3, "scores", "missing_scaling"), cure(3, "softmax"), cure(9, "softmax"))

    assert [count for _, _, count in found] == [2, 1]


def test_a_slip_of_another_step_is_another_cause() -> None:
    counts = CountedCauses()
    counts.add("part1.softmax", cure(3, "softmax"))
    counts.add("part2.weights", cure(3, "softmax"))

    assert len(counts.commonest(9)) == len(counts) == 2


@pytest.mark.parametrize("lines", [(3,), (3, 12)])
def test_of_places_no_line_is_told(lines: tuple[int, ...]) -> None:
    ((_, says, count),) = counted(*map(place, lines))

    assert count == len(lines)
    assert "line 3" not in says.lower()
    assert "`" not in says


def test_a_known_mistake_is_said_as_its_author_says_it() -> None:
    assert counted(*[Diagnosis("mistake", "halved", "You halve.")] * 2) == [("part1.softmax", "You halve.", 2)]


def test_relations_that_say_something_else_are_other_causes() -> None:
    by_root, by_tokens = (Diagnosis("relation", "constant_factor", f"Times {of}.") for of in ("√d", "t"))

    assert len(counted(by_root, by_tokens)) == 2


@pytest.mark.parametrize("name", [*ORDER, *(f"place_{how}" for how in get_args(How))])
def test_every_place_and_influence_is_said_in_general(name: str) -> None:
    kind = "influence" if name in ORDER else "place"
    assert in_general(Diagnosis(kind, name, "Row 3 of yours.")) == IN_GENERAL[name]


def test_a_slip_that_this_grader_does_not_know_is_said_as_it_was() -> None:
    assert in_general(Diagnosis("cure", "of_another_version", "Look at line 3.")) == "Look at line 3."


def test_what_an_exception_means_is_told_and_not_where_it_was_raised() -> None:
    causes = CountedCauses()
    causes.add(
        "softmax", Diagnosis("exception", "not_installed", "`lib` is not installed here.", what="Line 9 was given x.")
    )

    assert causes.commonest(1) == [("softmax", "`lib` is not installed here.", 1)]
