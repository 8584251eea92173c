"""Hand-ins are read in a process of their own: one that takes too much costs itself alone."""

from pathlib import Path

import pytest

from autograder.exam.syllabus import load
from autograder.submission import reader
from autograder.submission.reader import Reader
from autograder.submission.reading import read_submission
from autograder.workspace import COURSE

PARTS = load(COURSE.syllabus).parts
NAME = PARTS[0].name


def handed_in(folder: Path, **files: str) -> Path:
    folder.mkdir()
    for name, text in files.items():
        (folder / f"{name}.py").write_text(text, encoding="utf-8")
    return folder


def test_a_hand_in_is_read_as_it_would_be_here(tmp_path: Path) -> None:
    one = handed_in(tmp_path / "ada", **{NAME: "def dot_product(a, b):\n    return 'é'\n", "tools": "x = 1"})

    assert Reader().read(one, "ada", PARTS) == read_submission(one, "ada", PARTS)


@pytest.mark.parametrize("files", [20, 0], ids=["too much code", "the process ends"])
def test_a_hand_in_that_takes_too_much_cannot_be_read_and_the_next_can(tmp_path: Path, files: int) -> None:
    one = handed_in(tmp_path / "ada", **{NAME: "x = 1"}, **{f"tools{number}": "#" * 90_000 for number in range(files)})
    other, reading = handed_in(tmp_path / "bob", **{NAME: "x = 1"}), Reader()
    if not files:
        reading.read(other, "bob", PARTS)
        assert reading._process
        reading._process.kill()

    found = reading.read(one, "ada", PARTS)

    assert {failure.message for failure in found.problems.values()} == {f"ada {reader.TOO_MUCH}"}
    assert set(reading.read(other, "bob", PARTS).modules) == {NAME}
