"""When parts were handed in, as a class folder's list says, is in the marks, so that late work is known."""

import os
from pathlib import Path

import pytest

from autograder.classroom.batch import Batch
from autograder.classroom.class_folder import ClassFolder, Entry
from autograder.classroom.collecting.handed_in import LATE, BadHandedIn, HandedIn, read_handed_in, write_handed_in
from autograder.classroom.collecting.listed import as_listed
from autograder.classroom.grades import read_time
from autograder.classroom.results import Results
from autograder.exam.model import Exam
from autograder.submission.model import Submission

PART = "part1_simplified"
TIME = "2026-10-01T22:10:00+02:00"


def row(student: str, time: str, late: str = "") -> HandedIn:
    return HandedIn(student, PART, time, late, "download.zip", student)


@pytest.mark.parametrize(
    ("listed", "times"),
    [
        (row("ada", TIME, "yes"), {PART: TIME}),
        (row("ada", "", "yes"), {PART: LATE}),
        (row("ada", "", "no"), {}),
        (row("ada", ""), {}),
    ],
)
def test_a_part_has_the_time_that_is_listed_or_is_late_without_one(
    tmp_path: Path, practice: Exam, listed: HandedIn, times: dict[str, str]
) -> None:
    write_handed_in(tmp_path, [listed])

    submission = as_listed(Submission("ada"), read_handed_in(tmp_path), tmp_path, practice.syllabus.parts)
    assert submission.submitted_at == times


def test_late_without_a_time_is_no_time() -> None:
    assert read_time(LATE) is None


def test_what_is_marked_has_the_listed_time(tmp_path: Path, practice: Exam) -> None:
    ada = tmp_path / "ada"
    ada.mkdir()
    (ada / f"{PART}.py").write_text("def softmax(x):\n    return x\n")
    folder = ClassFolder((Entry("ada", ada),), 0)

    batch = Batch(folder, Results(tmp_path / "out"), practice, (PART,), handed_in=[row("ada", TIME)])

    (task,) = batch._tasks()
    assert task.submission.submitted_at == {PART: TIME}


def test_a_list_that_is_a_pipe_keeps_nobody_waiting(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "handed_in.csv")
    with pytest.raises(BadHandedIn, match=r"handed_in\.csv is no regular file"):
        read_handed_in(tmp_path)
