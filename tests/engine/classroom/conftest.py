"""A small class of right, wrong and unfinished submissions."""

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from small_class import MODULE, MakeClass

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
