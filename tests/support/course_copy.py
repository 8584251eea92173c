"""A copy of the course to write in."""

import shutil
from pathlib import Path

from autograder.exam.syllabus import load
from autograder.workspace import Workspace


def copy_course(root: Path, folder: Path) -> Workspace:
    """Copy what the commands need into a folder, with fresh stubs."""
    workspace = Workspace(folder)
    for name in ("exams", "solutions", "docs"):
        shutil.copytree(root / name, folder / name)
    workspace.exercises.mkdir()
    for part in load(workspace.syllabus).parts:
        workspace.exercise(part.name).write_text(part.stub, encoding="utf-8")
    return workspace
