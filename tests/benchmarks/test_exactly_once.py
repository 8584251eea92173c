"""What the benchmark of clusters says of the marks that it finds."""

import importlib.util
from collections.abc import Sequence
from pathlib import Path
from types import ModuleType

import pytest

from autograder.course.verdicts import Verdict
from autograder.workspace import Workspace

CLASS = ("ada", "bob", "eve")
RIGHT = {"part1.softmax": (Verdict.PASSED, 3.0)}
WRONG = {"part1.softmax": (Verdict.WRONG_VALUES, 1.5)}


@pytest.fixture(scope="module")
def exactly_once(course: Workspace) -> ModuleType:
    return module_at(course.root / "benchmarks" / "exactly_once.py")


def module_at(path: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def told(
    exactly_once: ModuleType, marked: Sequence[str], replaced: Sequence[str] = (), steps: dict[str, int] | None = None
) -> list[str]:
    return list(exactly_once.faults(CLASS, marked, replaced, steps or dict.fromkeys(marked, 53), 53))


def test_nothing_is_said_where_each_has_one_mark(exactly_once: ModuleType) -> None:
    assert told(exactly_once, CLASS) == []


@pytest.mark.parametrize(
    ("marked", "said"),
    [
        (("ada", "eve"), "1 have no mark: bob"),
        ((), "3 have no mark: ada, bob, eve"),
        ((*CLASS, "bob"), "1 have more than one mark: bob"),
        ((*CLASS, "mallory"), "1 were never handed in, and have a mark: mallory"),
    ],
)
def test_a_mark_that_is_lost_or_there_twice_is_named(
    exactly_once: ModuleType, marked: tuple[str, ...], said: str
) -> None:
    assert told(exactly_once, marked) == [said]


def test_marks_that_others_took_the_place_of_were_made_twice(exactly_once: ModuleType) -> None:
    assert told(exactly_once, CLASS, replaced=["eve"]) == ["1 were marked again: eve"]


def test_marks_of_half_the_steps_are_not_all(exactly_once: ModuleType) -> None:
    assert told(exactly_once, CLASS, steps={"ada": 53, "bob": 20, "eve": 53}) == ["1 have not 53 steps: bob"]


def test_few_of_many_are_named(exactly_once: ModuleType) -> None:
    names = [f"s{number}" for number in range(9)]

    assert list(exactly_once.faults(names, [], [], {}, 53)) == ["9 have no mark: s0, s1, s2 …"]


def test_the_same_marks_do_not_differ_and_those_of_others_are_not_looked_at(exactly_once: ModuleType) -> None:
    assert list(exactly_once.differences({"ada": RIGHT, "bob": WRONG}, {"ada": RIGHT})) == []


@pytest.mark.parametrize(
    ("here", "said"),
    [
        (WRONG, "ada: part1.softmax is wrong_values (1.5) on the cluster, passed (3) on one machine"),
        ({}, "ada: part1.softmax is not marked on the cluster, passed (3) on one machine"),
    ],
)
def test_who_is_marked_otherwise_on_the_cluster_is_told(
    exactly_once: ModuleType, here: dict[str, tuple[Verdict, float]], said: str
) -> None:
    assert list(exactly_once.differences({"ada": here}, {"ada": RIGHT})) == [said]
