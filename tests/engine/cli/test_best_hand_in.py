"""Which of several hand-ins counts, at the command line: as `course.toml` says, in every export."""

import csv
import shutil
from dataclasses import replace
from pathlib import Path

import pytest
from click.testing import CliRunner
from graded import marks_of

from autograder.classroom.results import Results, to_bytes
from autograder.cli.export import export
from autograder.exam.syllabus import load
from autograder.workspace import Workspace

BEST = '\n[hand_ins]\ncount = "best"\n'


@pytest.fixture
def small(course: Workspace, tmp_path: Path) -> Workspace:
    """A copy of the course of the small fixed class of the exports."""
    return Workspace(
        Path(
            shutil.copytree(course.root / "tests" / "engine" / "classroom" / "exports" / "course", tmp_path / "course")
        )
    )


@pytest.mark.parametrize(("more", "lost", "adjusted"), [("", True, False), (BEST, False, True)])
def test_the_last_hand_in_counts_or_the_best(
    small: Workspace, tmp_path: Path, more: str, lost: bool, adjusted: bool
) -> None:
    """The first one is right, the last one half wrong in a step."""
    with (small.root / "course.toml").open("a", encoding="utf-8") as listed:
        listed.write(more)
    syllabus = load(small.syllabus)
    for day, wrong in ((1, ()), (2, ("softmax",))):
        marks = replace(marks_of(syllabus, "ada", wrong), graded_at=f"2026-10-0{day}T12:00:00Z", digest=f"sha256:{day}")
        Results(tmp_path / "out").write(f"ada.{day}.json", to_bytes(marks))

    done = CliRunner().invoke(
        export,
        [str(tmp_path / "out"), "--format", "csv", "--out", str(tmp_path / "points.csv")],
        obj=small,
    )

    assert done.exit_code == 0, done.output
    with (tmp_path / "points.csv").open(newline="", encoding="utf-8") as file:
        (ada,) = csv.DictReader(file)
    assert (float(ada["score"]) < float(ada["max_score"])) == lost
    assert ("the hand-in marked 2026-10-01T12:00:00Z counts" in ada["adjusted"]) == adjusted
