"""A small class of right, wrong and unfinished submissions, and an exam that students do not have."""

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from small_class import MODULE, MakeClass

from autograder.exam.files import write_exam
from autograder.exam.setting import set_exam
from autograder.workspace import Workspace


@pytest.fixture(scope="session")
def class_exam(course: Workspace, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("exam") / "class.exam"
    write_exam(set_exam(course.solutions, seed=4), path)
    return path


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
