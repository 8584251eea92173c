"""`attn grade --gradebook`, run for real: the marks of a class go into nbgrader's gradebook."""

import csv
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from nbformat import NotebookNode
from nbgrader.api import Gradebook
from nbgrader_course import NbgraderCourse, answered, cell_of, make_course
from small_class import MODULE, WRONG

from autograder.exam.model import Exam
from autograder.workspace import Workspace

pytestmark = pytest.mark.slow

ATTN = str(Path(sys.executable).with_name("attn"))
PART = "part1_simplified"

Grade = Callable[..., "subprocess.CompletedProcess[str]"]


@pytest.fixture
def folder(course: Workspace, tmp_path: Path) -> Path:
    """A class of two: one right, one wrong."""
    for student in ("ada", "bob"):
        (tmp_path / "class" / student).mkdir(parents=True)
    shutil.copy(course.solutions / MODULE, tmp_path / "class" / "ada")
    (tmp_path / "class" / "bob" / MODULE).write_text(WRONG)
    return tmp_path / "class"


@pytest.fixture
def grade(course: Workspace, tmp_path: Path, class_exam: Path) -> Grade:
    def run(submissions: Path, gradebook: str) -> "subprocess.CompletedProcess[str]":
        options = ["--out", tmp_path / "out", "--exam", class_exam, "--gradebook", gradebook]
        command = [ATTN, "grade", submissions, *options]
        environment = {**os.environ, "COLUMNS": "100"}
        return subprocess.run(
            list(map(str, command)), cwd=course.root, env=environment, capture_output=True, text=True, timeout=300
        )

    return run


@pytest.fixture(scope="module")
def handed_in(practice: Exam, course: Workspace, tmp_path_factory: pytest.TempPathFactory) -> NbgraderCourse:
    """A course directory in which ada's right notebook came an hour late and bob's was in time."""
    made = make_course(tmp_path_factory.mktemp("nbgrader"), practice.syllabus.part(PART))
    made.run("db", "assignment", "add", PART, "--duedate=2026-11-20 12:00:00 UTC")
    solution = (course.solutions / MODULE).read_text(encoding="utf-8")
    made.hand_in("ada", answered(made.release, simplified_self_attention=solution), at="2026-11-20 13:00:00 UTC")
    made.hand_in("bob", answered(made.release, simplified_self_attention=WRONG), at="2026-11-20 11:00:00 UTC")
    return made


@pytest.fixture
def directory(handed_in: NbgraderCourse, tmp_path: Path) -> NbgraderCourse:
    """A copy of it, to write in."""
    shutil.copytree(handed_in.folder, tmp_path / "nbgrader")
    return NbgraderCourse(tmp_path / "nbgrader", handed_in.part)


def scores(path: Path) -> dict[str, float]:
    with Gradebook(f"sqlite:///{path}") as book:
        return {one.id: one.score for one in book.students}


def test_the_marks_are_in_the_gradebook(grade: Grade, folder: Path, tmp_path: Path) -> None:
    done = grade(folder, str(tmp_path / "gradebook.db"))

    assert done.returncode == 0, done.stderr
    assert scores(tmp_path / "gradebook.db") == {"ada": 25.0, "bob": 0.0}
    assert f"gradebook: {tmp_path / 'gradebook.db'}, 2 submissions of parts" in done.stdout


def test_marks_that_were_kept_go_in_too(grade: Grade, folder: Path, tmp_path: Path) -> None:
    grade(folder, str(tmp_path / "first.db"))

    done = grade(folder, str(tmp_path / "second.db"))

    assert "0 of 2 submissions marked" in done.stdout
    assert scores(tmp_path / "second.db") == {"ada": 25.0, "bob": 0.0}


def test_a_gradebook_that_cannot_be_written_costs_no_marks(grade: Grade, folder: Path, tmp_path: Path) -> None:
    done = grade(folder, "postgresql+psycopg://me:s3cret@127.0.0.1:1/book")

    assert done.returncode == 1
    assert "2 of 2 submissions marked" in done.stdout
    assert "postgresql+psycopg://me:***@127.0.0.1:1/book could not be written" in done.stderr
    assert "the same command writes them into the gradebook later" in " ".join(done.stderr.split())
    assert "Traceback" not in done.stderr
    assert "s3cret" not in done.stdout + done.stderr
    assert len(list((tmp_path / "out" / "marks").iterdir())) == 2


def test_an_address_that_cannot_be_read_is_a_usage_error(grade: Grade, folder: Path, tmp_path: Path) -> None:
    done = grade(folder, "nonsense://me:s3cret@host/book")

    assert done.returncode == 2
    assert "knows no database nonsense" in done.stderr
    assert not (tmp_path / "out").exists()


def test_a_course_directory_is_ready_for_nbgraders_feedback(grade: Grade, directory: NbgraderCourse) -> None:
    done = grade(directory.folder / "submitted", str(directory.folder / "gradebook.db"))
    directory.run("generate_feedback", PART)

    page = (directory.folder / "feedback" / "ada" / PART / f"{PART}.html").read_text()
    assert done.returncode == 0, done.stdout + done.stderr
    assert points_below(directory.autograded("ada"), "test_softmax") == "8.0"
    assert "(Score: 25.0 / 30.0)" in page


def points_below(notebook: NotebookNode, name: str) -> Any:
    return cell_of(notebook, name).outputs[-1].data["text/plain"]


def test_who_was_late_is_told_and_listed(grade: Grade, directory: NbgraderCourse, tmp_path: Path) -> None:
    done = grade(directory.folder / "submitted", str(directory.folder / "gradebook.db"))

    with (tmp_path / "out" / "summary.csv").open() as file:
        late = {row["student"]: row["late"] for row in csv.DictReader(file)}
    assert "Late: 1\nada  1:00:00\n" in done.stdout
    assert late == {"ada": "3600", "bob": ""}


def test_a_module_in_a_course_directory_is_in_the_gradebook_alone(
    grade: Grade, directory: NbgraderCourse, course: Workspace
) -> None:
    (directory.folder / "submitted" / "eve" / PART).mkdir(parents=True)
    shutil.copy(course.solutions / MODULE, directory.folder / "submitted" / "eve" / PART)

    done = grade(directory.folder / "submitted", str(directory.folder / "gradebook.db"))

    assert scores(directory.folder / "gradebook.db")["eve"] == 25.0
    assert f"not in autograded/: eve, because {PART} was not handed in as a notebook" in done.stdout
    assert not (directory.folder / "autograded" / "eve").exists()
