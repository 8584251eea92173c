"""When a part was handed in, as `timestamp.txt` beside it tells."""

import os
import zipfile
from pathlib import Path

import pytest

from autograder.classroom.results import name_of
from autograder.course.answer import Failure
from autograder.exam.model import Exam
from autograder.exam.syllabus import load
from autograder.grading.compare import GENERAL
from autograder.grading.grade import mark
from autograder.grading.results import marks_to_json
from autograder.runner.answers import Answers, PartAnswers
from autograder.submission.model import Submission
from autograder.submission.reading import read_hand_in
from autograder.workspace import COURSE

COURSE_PARTS = load(COURSE.syllabus).parts
PARTS = tuple(part.name for part in COURSE_PARTS[:2])
NOON = "2026-11-20 12:00:00.000000 UTC"


@pytest.fixture
def ada(tmp_path: Path) -> Path:
    """A submission as nbgrader collects it, of one part."""
    folder = tmp_path / "ada" / "part1_simplified"
    folder.mkdir(parents=True)
    (folder / "part1_simplified.py").write_text("def softmax(scores): ...\n")
    return folder


def read(ada: Path) -> Submission:
    return read_hand_in(ada.parent, "ada", COURSE_PARTS)


def test_a_part_has_the_time_of_the_file_beside_it(ada: Path) -> None:
    (ada / "timestamp.txt").write_text(f"{NOON}\n")

    assert read(ada).submitted_at == {"part1_simplified": NOON}


def test_each_part_has_its_own_time(ada: Path) -> None:
    (ada.parent / "part2_trainable.py").write_text("x = 2\n")
    (ada / "timestamp.txt").write_text(NOON)

    assert read(ada).submitted_at == {"part1_simplified": NOON}


def test_without_the_file_there_is_no_time_and_no_note(ada: Path) -> None:
    assert (read(ada).submitted_at, read(ada).notes) == ({}, ())


def packed(path: Path) -> Path:
    """Return a zip of a part with a time of its own."""
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("part1_simplified.py", "x = 1\n")
        archive.writestr("timestamp.txt", "2020-01-01 12:00:00 UTC")
    return path


def test_what_was_packed_tells_no_time_of_its_own(tmp_path: Path) -> None:
    assert read_hand_in(packed(tmp_path / "ada.zip"), "ada", COURSE_PARTS).submitted_at == {}


def test_an_archive_has_the_time_of_the_file_beside_it(ada: Path) -> None:
    (ada / "part1_simplified.py").unlink()
    packed(ada / "work.zip")
    (ada / "timestamp.txt").write_text(NOON)

    assert read(ada).submitted_at == {"part1_simplified": NOON}


def test_a_notebook_that_cannot_be_read_has_its_time_all_the_same(ada: Path) -> None:
    (ada / "part1_simplified.py").unlink()
    (ada / "part1_simplified.ipynb").write_text("{")
    (ada / "timestamp.txt").write_text(NOON)

    assert read(ada).submitted_at == {"part1_simplified": NOON}


@pytest.mark.parametrize("content", [b"", b"\n", b"two\nlines", b"\xff\xfe", b"\x1b[31m", b"x" * 1_000])
def test_a_file_of_something_else_is_no_time(ada: Path, content: bytes) -> None:
    (ada / "timestamp.txt").write_bytes(content)

    assert read(ada).submitted_at == {}


def test_a_link_out_of_the_submission_is_not_followed(ada: Path, tmp_path: Path) -> None:
    (tmp_path / "outside").write_text(NOON)
    (ada / "timestamp.txt").symlink_to(tmp_path / "outside")

    assert read(ada).submitted_at == {}


def test_a_fifo_does_not_hold_it_up(ada: Path) -> None:
    os.mkfifo(ada / "timestamp.txt")

    assert read(ada).submitted_at == {}


def test_the_marks_of_a_part_have_its_time(practice: Exam) -> None:
    submission = Submission("ada", submitted_at={"part1_simplified": NOON})
    parts = {part: PartAnswers(part, frozenset(), Failure("missing", "no file")) for part in PARTS}

    marks = mark(practice, Answers("ada", parts), submission, GENERAL)

    assert [part["submitted_at"] for part in marks_to_json(marks)["parts"]] == [NOON, None]


def test_another_time_gives_the_marks_another_name(practice: Exam) -> None:
    names = {
        name_of(Submission("ada", submitted_at=times), practice, PARTS)
        for times in ({}, {"part1_simplified": NOON}, {"part1_simplified": "later"}, {"part2_trainable": NOON})
    }

    assert len(names) == 4


def test_the_topmost_file_counts_which_is_the_one_that_nbgrader_writes(ada: Path) -> None:
    (ada / "own").mkdir()
    (ada / "part1_simplified.py").rename(ada / "own" / "part1_simplified.py")
    (ada / "own" / "timestamp.txt").write_text("2026-11-01 12:00:00 UTC")
    (ada / "timestamp.txt").write_text(NOON)

    assert read(ada).submitted_at == {"part1_simplified": NOON}
