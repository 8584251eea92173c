"""A messy class is read as it was meant: each hand-in gets the points that it should."""

from collections.abc import Callable
from pathlib import Path

import pytest
from messy_class import CLASS, NAME, NOTHING, PART, SYLLABUS, Files, canvas, moodle, write

from autograder.check import check
from autograder.classroom.attempts import read_entry
from autograder.classroom.class_folder import read_class_folder
from autograder.classroom.collecting.collect import collect
from autograder.exam.model import Exam
from autograder.runner.processes import Runner

pytestmark = pytest.mark.slow

PATIENCE = 60.0

Points = Callable[[Path], float]


@pytest.fixture(scope="module")
def marked() -> dict[object, float]:
    """The points of each text that has been marked: most hand-ins hold the same."""
    return {}


@pytest.fixture
def points(practice: Exam, runner: Runner, marked: dict[object, float]) -> Points:
    """Read what somebody handed in, mark part 1, and return the points."""

    def run(entry: Path) -> float:
        submission = read_entry(entry, "ada", SYLLABUS.parts)
        if NAME not in submission.modules:
            return NOTHING
        text = tuple((name, source.is_notebook, source.text) for name, source in sorted(submission.modules.items()))
        if text not in marked:
            marked[text] = check(practice, submission, PART.steps, runner, PATIENCE).score
        return marked[text]

    return run


def test_the_class_is_large_enough_to_be_messy() -> None:
    assert len(CLASS) >= 100


@pytest.mark.parametrize("kind", CLASS)
def test_a_hand_in_gets_the_points_that_it_should(kind: str, tmp_path: Path, points: Points) -> None:
    files, expected = CLASS[kind]
    assert points(write(tmp_path / "ada", files)) == expected


FEW = [
    kind
    for place, (kind, (files, _)) in enumerate(CLASS.items())
    if sum(map(len, files.values())) < 1_000_000 and len(files) < 100 and place % 4 == 0
]
"""Of each kind some, which are collected as well."""


@pytest.mark.parametrize("platform", [canvas, moodle])
def test_a_collected_class_gets_the_same_points(
    platform: Callable[[int, Files], Files], tmp_path: Path, points: Points
) -> None:
    for number, kind in enumerate(FEW):
        write(tmp_path / "download", platform(number, CLASS[kind][0]))
    collect(tmp_path / "download", tmp_path / "class")
    entries = read_class_folder(tmp_path / "class").entries

    found = {entry.student.lower().replace(" ", ""): points(entry.path) for entry in entries}
    assert found == {f"student{number}": CLASS[kind][1] for number, kind in enumerate(FEW)}
