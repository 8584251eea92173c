"""A copy of the course to write in."""

import shutil
from pathlib import Path

from autograder.exam.syllabus import load
from autograder.workspace import Workspace

NEEDED = ("README.md", "mkdocs.yml", "course.toml", "course", "workbench", "exams", "solutions", "docs")


def copy_course(root: Path, folder: Path) -> Workspace:
    """Copy what the commands need into a folder, with fresh stubs."""
    workspace = Workspace(folder)
    copy_folders(root, folder)
    workspace.exercises.mkdir()
    for part in load(workspace.syllabus).parts:
        workspace.exercise(part.name).write_text(part.stub, encoding="utf-8")
    return workspace


def copy_folders(root: Path, folder: Path) -> None:
    """Copy all of it but exercises."""
    folder.mkdir(exist_ok=True)
    for name in NEEDED:
        if (root / name).is_dir():
            shutil.copytree(root / name, folder / name, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            shutil.copy(root / name, folder)
