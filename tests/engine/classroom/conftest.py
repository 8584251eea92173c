"""A small class of right, wrong and unfinished submissions, and a small exam for it."""

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from small_class import MODULE, MakeClass, exam_on

from autograder.exam.files import write_exam
from autograder.exam.model import Exam
from autograder.workspace import Workspace


@pytest.fixture
def make_class(course: Workspace, tmp_path: Path) -> Iterator[MakeClass]:
    """Make a class folder: by student, the text of part 1, or nothing for the solution."""

    def make(**texts: str | None) -> Path:
        folder = tmp_path / "class"
        for student, text in texts.items():
            (folder / student).mkdir(parents=True, exist_ok=True)
            if text is None:
                shutil.copy(course.solutions / MODULE, folder / student)
            else:
                (folder / student / MODULE).write_text(text, encoding="utf-8")
        return folder

    return make


@pytest.fixture(scope="session")
def class_exam(practice: Exam, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An exam on the part that the class hands in."""
    path = tmp_path_factory.mktemp("exam") / "class.exam"
    write_exam(exam_on(practice, Path(MODULE).stem), path)
    return path
