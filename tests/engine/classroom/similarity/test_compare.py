"""Who is alike: those who have the same from somewhere, and not those who work by themselves."""

import random
from collections.abc import Sequence

import pytest

from autograder.classroom.similarity.compare import Similarity, compare
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
    """Of few operations there are few ways, and many write each."""
    class_ = [Compared(one.name, dict(list(one.steps.items())[:5])) for one in people(30, SMALL, ways=2)]
    similarity = compared([*class_, Compared("copy", class_[7].steps)])

    assert found(similarity) == []
    assert not any(step.can_tell for step in similarity.steps)


def test_who_copied_from_an_earlier_class_is_found() -> None:
    class_ = people(30, LARGE)
    earlier = Compared("2025/ada", class_[7].steps)

    assert found(compared(class_, earlier)) == [("s7", "2025/ada")]


def test_a_way_that_the_course_knows_is_named() -> None:
    class_ = people(30, LARGE)
    known = {"part1.step0": [KnownWay("the alternative", class_[7].steps["part1.step0"])]}
    similarity = compare([*class_, Compared("copy", class_[7].steps)], [], syllabus(*STEPS), known)

    alike = {one.step: one.known for one in similarity.pairs[0].steps}
    assert (alike["part1.step0"], alike["part1.step1"]) == ("the alternative", "")


def worded(number: int, ways: int = 3) -> list[Compared]:
    """Return people who compute what many do, and choose most of their words by themselves."""
    chance = random.Random(2)
    return [
        Compared(
            one.name,
            one.steps,
            {"part1": frozenset([*chance.sample(range(40), 12), *(100 * index + word for word in range(40, 48))])},
        )
        for index, one in enumerate(people(number, LARGE, ways))
    ]


def test_a_copy_is_found_by_its_wording_where_what_it_computes_tells_nothing() -> None:
    class_ = worded(30, ways=1)
    similarity = compared([*class_, Compared("copy", class_[7].steps, class_[7].wording)])

    assert found(similarity) == [("s7", "copy")]
    assert similarity.pairs[0].computed < similarity.threshold < similarity.pairs[0].worded


def test_two_who_name_things_in_a_way_of_their_own_are_not_found_where_many_do() -> None:
    """Habits make many pairs alike: then so much likeness is usual."""
    chance = random.Random(3)
    class_ = [
        Compared(
            one.name,
            one.steps,
            {"part1": frozenset(100 * (index % 8) + word for word in chance.sample(range(40), 20))},
        )
        for index, one in enumerate(people(40, LARGE, ways=3))
    ]

    assert found(compared(class_)) == []
