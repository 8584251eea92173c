"""Who is alike: those who have the same from somewhere, and not those who work by themselves."""

import random
from collections.abc import Sequence

import numpy as np
import pytest

from autograder.classroom.similarity.compare import Similarity, compare
from autograder.classroom.similarity.pairs import ways_of
from autograder.classroom.similarity.work import Compared, KnownWay
from autograder.exam.syllabus import Syllabus, SyllabusPart, SyllabusStep

STEPS = tuple(f"step{number}" for number in range(12))
LARGE = 40
SMALL = 4


def syllabus(*steps: str) -> Syllabus:
    own = tuple(
        SyllabusStep("part1", name, 1, "function", "", "", "", 1, "", (), "", {}, {}, False, (), ()) for name in steps
    )
    return Syllabus((SyllabusPart("part1", "Part", "", own),))


def way(chance: random.Random, size: int) -> frozenset[int]:
    """Return fingerprints that nobody else has."""
    return frozenset(chance.randrange(10**12) for _ in range(size))


def people(number: int, size: int, ways: int = 10**6, seed: int = 0) -> list[Compared]:
    """Return people who each write every step in one of so many ways, whatever the others do."""
    chance = random.Random(seed)
    pool = {name: [way(chance, size) for _ in range(min(ways, number))] for name in STEPS}
    return [
        Compared(f"s{index}", {f"part1.{name}": chance.choice(pool[name]) for name in STEPS}) for index in range(number)
    ]


def compared(class_: Sequence[Compared], *others: Compared) -> Similarity:
    return compare(class_, others, syllabus(*STEPS), {})


def found(similarity: Similarity) -> list[tuple[str, str]]:
    return [(pair.one, pair.other) for pair in similarity.pairs if pair.beyond_chance]


@pytest.mark.parametrize("ways", [12, 10**6])
def test_a_copy_is_found(ways: int) -> None:
    class_ = people(30, LARGE, ways)
    copy = Compared("copy", class_[7].steps)

    assert found(compared([*class_, copy])) == [("s7", "copy")]


def test_a_copy_in_which_a_tenth_was_changed_is_found() -> None:
    class_, chance = people(30, LARGE), random.Random(1)
    steps = {
        path: frozenset(list(way)[4:]) | {chance.randrange(10**12) for _ in range(4)}
        for path, way in class_[7].steps.items()
    }

    assert found(compared([*class_, Compared("copy", steps)])) == [("s7", "copy")]


@pytest.mark.parametrize("ways", [2, 4, 10**6])
@pytest.mark.parametrize("number", [3, 30])
def test_nobody_is_who_works_alone(number: int, ways: int) -> None:
    assert found(compared(people(number, LARGE, ways))) == []


def test_likeness_in_tiny_steps_means_nothing() -> None:
    class_ = people(30, SMALL)
    similarity = compared([*class_, Compared("copy", class_[7].steps)])

    assert found(similarity) == []
    assert not any(step.can_tell for step in similarity.steps)


def test_a_step_that_all_write_alike_means_nothing() -> None:
    similarity = compared(people(30, LARGE, ways=1))

    assert not any(step.can_tell for step in similarity.steps)


def test_who_copied_from_an_earlier_class_is_found() -> None:
    class_ = people(30, LARGE)
    earlier = Compared("2025/ada", class_[7].steps)

    assert found(compared(class_, earlier)) == [("s7", "2025/ada")]


def test_two_of_an_earlier_class_are_not_told() -> None:
    earlier = people(5, LARGE, seed=1)
    twins = [Compared("2025/ada", earlier[0].steps), Compared("2025/bob", earlier[0].steps)]

    assert found(compared(people(30, LARGE), *twins)) == []


def test_a_way_that_the_course_knows_is_named() -> None:
    class_ = people(30, LARGE)
    known = {"part1.step0": [KnownWay("the alternative", class_[7].steps["part1.step0"])]}
    similarity = compare([*class_, Compared("copy", class_[7].steps)], [], syllabus(*STEPS), known)

    alike = {one.step: one.known for one in similarity.pairs[0].steps}
    assert (alike["part1.step0"], alike["part1.step1"]) == ("the alternative", "")


def test_the_factors_of_a_step_have_a_mean_of_one() -> None:
    chance = random.Random(0)
    pool = [way(chance, LARGE) for _ in range(9)]
    told = ways_of([chance.choice(pool) for _ in range(60)]).told()

    of_pairs = told[np.triu_indices(60, 1)]
    assert np.mean(2.0**of_pairs) == pytest.approx(1, abs=1e-4)


def test_who_has_not_written_a_step_is_compared_in_the_others() -> None:
    class_ = people(30, LARGE)
    half = dict(list(class_[7].steps.items())[:6])

    assert found(compared([*class_, Compared("copy", half)])) == [("s7", "copy")]
