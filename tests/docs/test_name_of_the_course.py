"""The course has one name, `title` in course.toml: `attn sync` writes it wherever else it is shown."""

import shutil
import subprocess
from pathlib import Path

from autograder.authoring.sync import titled
from autograder.workspace import COURSE, Workspace

SHOWN = ("README.md", "docs/index.md", "mkdocs.yml")


def test_nothing_else_holds_the_name(course: Workspace) -> None:
    words = ["git", "grep", "-lF", COURSE.course.title, "--", ".", ":!CHANGELOG.md"]
    found = subprocess.run(words, cwd=course.root, capture_output=True, text=True, check=True).stdout

    assert set(found.splitlines()) == {"course.toml", *SHOWN}


def test_another_name_comes_in_its_place_and_changes_nothing_else(course: Workspace, tmp_path: Path) -> None:
    (tmp_path / "docs").mkdir()
    for name in SHOWN:
        shutil.copy(course.root / name, tmp_path / name)

    made = titled(tmp_path, "Shops & more")

    for name, written in zip(SHOWN, ("Shops & more", "Shops & more", "Shops &amp; more"), strict=True):
        before = (tmp_path / name).read_text(encoding="utf-8")
        assert made[tmp_path / name] == before.replace(COURSE.course.title, written, 1)
