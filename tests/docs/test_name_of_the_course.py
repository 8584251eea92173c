"""The course has one name: four files hold it, and no other."""

import subprocess

from autograder.workspace import COURSE, Workspace

SHOWN = ("README.md", "docs/index.md", "mkdocs.yml")


def test_nothing_else_holds_the_name(course: Workspace) -> None:
    words = ["git", "grep", "-lF", COURSE.course.title, "--", ".", ":!CHANGELOG.md"]
    found = subprocess.run(words, cwd=course.root, capture_output=True, text=True, check=True).stdout

    assert set(found.splitlines()) == {"course.toml", *SHOWN}
