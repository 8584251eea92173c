"""`attn restore`: marks that others have replaced count again."""

from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from autograder.classroom.results import Results, to_bytes
from autograder.cli.restore import restore
from autograder.course.verdicts import Verdict
from autograder.grading.results import Marks, PartMarks, StepMarks
from autograder.workspace import Workspace

Restore = Callable[..., Result]


def write(results: Path, student: str, day: int, score: float) -> None:
    step = StepMarks("softmax", Verdict.WRONG_VALUES, score, 8.0)
    moment = f"2026-10-{day:02}T12:00:00Z"
    marks = Marks(student, "", "", moment, 0.1, "none", (PartMarks("part1_simplified", None, (step,)),))
    Results(results).write(f"{student}.{day}.json", to_bytes(marks))


@pytest.fixture
def results(tmp_path: Path) -> Path:
    """Marks of two students, of whom ada has handed in again."""
    write(tmp_path / "results", "ada", 1, 6.0)
    write(tmp_path / "results", "ada", 2, 4.0)
    write(tmp_path / "results", "bob", 2, 5.0)
    return tmp_path / "results"


@pytest.fixture
def run(course: Workspace) -> Restore:
    def invoke(*words: object) -> Result:
        return CliRunner().invoke(restore, list(map(str, words)), obj=course)

    return invoke


def points(results: Path) -> dict[str, str]:
    lines = (results / "summary.csv").read_text(encoding="utf-8").splitlines()[1:]
    return {line.split(",")[0]: line.split(",")[1] for line in lines}


def test_of_two_names_that_differ_in_case_the_one_that_was_written_is_meant(run: Restore, results: Path) -> None:
    write(results, "Ada", 3, 1.0)
    write(results, "Ada", 4, 2.0)

    assert "Ada: 1 of 8 points" in run(results, "Ada").output
    assert "ada: 6 of 8 points" in run(results, "ada").output


def test_the_marks_of_before_count_again_in_the_list_of_all(run: Restore, results: Path) -> None:
    done = run(results, "Ada")

    assert done.exit_code == 0, done.output
    assert "ada: 6 of 8 points, marked 2026-10-01T12:00:00Z, count again" in done.output
    assert points(results) == {"ada": "6.0", "bob": "5.0"}


def test_marks_that_cannot_be_read_any_more_give_way_to_those_of_before(run: Restore, results: Path) -> None:
    (results / "marks" / "ada.2.json").write_bytes(b"half wr")
    done = run(results, "ada")

    assert done.exit_code == 0, done.output
    assert points(results) == {"ada": "6.0", "bob": "5.0"}


def test_the_same_command_brings_back_what_was_replaced(run: Restore, results: Path) -> None:
    run(results, "ada")
    run(results, "ada")

    assert points(results) == {"ada": "4.0", "bob": "5.0"}


def test_marks_of_a_day_are_those_made_last_until_its_end(run: Restore, results: Path) -> None:
    write(results, "ada", 9, 0.0)

    run(results, "ada", "--at", "2026-10-02")

    assert points(results) == {"ada": "4.0", "bob": "5.0"}


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("bob",), "No marks of bob have been replaced"),
        (("eve",), "holds no marks of eve"),
        (("ada", "--at", "yesterday"), "'yesterday' is no time"),
    ],
)
def test_what_cannot_be_restored_is_told(run: Restore, results: Path, words: tuple[str, ...], says: str) -> None:
    done = run(results, *words)

    assert done.exit_code == 2
    assert says in done.output


def test_a_folder_without_marks_is_told_and_not_made(run: Restore, tmp_path: Path) -> None:
    done = run(tmp_path / "nowhere", "ada")

    assert done.exit_code == 2
    assert "holds no marks" in done.output
    assert not (tmp_path / "nowhere").exists()
