"""What the tests of the command share: copies of the course that a whole module uses."""

import shutil
from collections.abc import Callable

import pytest

from autograder.exam.model import Exam
from autograder.workspace import Workspace


@pytest.fixture(scope="session")
def new_course(course: Workspace, practice: Exam, tmp_path_factory: pytest.TempPathFactory) -> Callable[..., Workspace]:
    """Make a copy of the course with fresh stubs, or solved; `part1_simplified="..."` is written below that part."""

    def make(*, solved: bool = False, **added: str) -> Workspace:
        workspace = Workspace(tmp_path_factory.mktemp("course"))
        for folder in ("exams", "solutions", "docs"):
            shutil.copytree(course.root / folder, workspace.root / folder)
        workspace.exercises.mkdir()
        for part in practice.syllabus.parts:
            text = (course.solutions / f"{part.name}.py").read_text(encoding="utf-8") if solved else part.stub
            below = f"\n\n{added[part.name]}" if part.name in added else ""
            workspace.exercise(part.name).write_text(text + below, encoding="utf-8")
        return workspace

    return make
