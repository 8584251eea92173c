"""`attn grade --gradebook`: the marks of a class go into nbgrader's gradebook."""

import shutil
from collections.abc import Callable
from datetime import datetime
from pathlib import Path

import pytest
from command import Run, attn_in
from nbgrader.api import Gradebook
from nbgrader_course import NbgraderCourse, answered, lay_course, make_course
from small_class import MODULE, WRONG, exam_on

from autograder.classroom.gradebook import CONFIG
from autograder.exam.files import write_exam
from autograder.exam.model import Exam
from autograder.workspace import Workspace

pytestmark = [pytest.mark.slow, pytest.mark.system]

PART = "part1_simplified"

Grade = Callable[..., Run]


@pytest.fixture
def folder(course: Workspace, tmp_path: Path) -> Path:
    """A class of two: one right, one wrong."""
    for student in ("ada", "bob"):
        (tmp_path / "class" / student).mkdir(parents=True)
    shutil.copy(course.solutions / MODULE, tmp_path / "class" / "ada")
    (tmp_path / "class" / "bob" / MODULE).write_text(WRONG)
    return tmp_path / "class"


@pytest.fixture
def grade(course: Workspace, practice: Exam, tmp_path: Path) -> Grade:
    write_exam(exam_on(practice, PART), tmp_path / "class.exam")

    def run(submissions: Path, gradebook: str) -> Run:
        options = ("--out", tmp_path / "out", "--exam", tmp_path / "class.exam", "--gradebook", gradebook)
        return attn_in(course, "grade", *map(str, (submissions, *options)), COLUMNS="100")

    return run


@pytest.fixture
def directory(practice: Exam, course: Workspace, tmp_path: Path) -> NbgraderCourse:
    """A course directory in which ada's right notebook came an hour late and bob's was in time."""
    made = lay_course(tmp_path / "nbgrader", practice.syllabus.part(PART))
    with Gradebook(f"sqlite:///{made.folder / 'gradebook.db'}") as book:
        book.add_assignment(PART, duedate=datetime(2026, 11, 20, 12))
    return hand_in(made, course)


def hand_in(directory: NbgraderCourse, course: Workspace) -> NbgraderCourse:
    solution = (course.solutions / MODULE).read_text(encoding="utf-8")
    for student, text, at in (("ada", solution, "13:00:00"), ("bob", WRONG, "11:00:00")):
        notebook = answered(directory.release, simplified_self_attention=text)
        directory.hand_in(student, notebook, at=f"2026-11-20 {at} UTC")
    return directory


def scores(path: Path) -> dict[str, float]:
    with Gradebook(f"sqlite:///{path}") as book:
        return {one.id: one.score for one in book.students}


def test_the_marks_are_in_the_gradebook(grade: Grade, folder: Path, tmp_path: Path) -> None:
    done = grade(folder, str(tmp_path / "gradebook.db"))

    assert done.returncode == 0, done.stderr
    assert scores(tmp_path / "gradebook.db") == {"ada": 25.0, "bob": 4.0}
    assert f"gradebook: {tmp_path / 'gradebook.db'}, 2 submissions of parts" in done.stdout


def test_a_gradebook_is_copied_before_each_write(grade: Grade, folder: Path, tmp_path: Path) -> None:
    grade(folder, str(tmp_path / "gradebook.db"))
    grade(folder, str(tmp_path / "gradebook.db"))

    copies = sorted((tmp_path / "out" / "superseded").glob("gradebook.*.db"))
    assert list(map(scores, copies)) == [{}, {"ada": 25.0, "bob": 4.0}]


def test_a_gradebook_that_cannot_be_written_costs_no_marks(
    grade: Grade, directory: NbgraderCourse, tmp_path: Path
) -> None:
    (directory.folder / CONFIG).write_text("1 / 0")

    done = grade(directory.folder / "submitted", str(directory.folder / "gradebook.db"))

    assert done.returncode == 1
    assert "2 of 2 submissions marked" in done.stdout
    assert f"{CONFIG} could not be loaded" in done.stderr
    assert "To write them into the gradebook, run the same command again." in " ".join(done.stderr.split())
    assert "Traceback" not in done.stderr
    assert len(list((tmp_path / "out" / "marks").iterdir())) == 2


@pytest.mark.world
def test_a_course_directory_is_ready_for_nbgraders_feedback(
    grade: Grade, practice: Exam, course: Workspace, tmp_path: Path
) -> None:
    directory = hand_in(make_course(tmp_path / "nbgrader", practice.syllabus.part(PART)), course)

    done = grade(directory.folder / "submitted", str(directory.folder / "gradebook.db"))
    directory.run("generate_feedback", PART)

    page = (directory.folder / "feedback" / "ada" / PART / f"{PART}.html").read_text()
    assert done.returncode == 0, done.stdout + done.stderr
    assert "(Score: 25.0 / 30.0)" in page
