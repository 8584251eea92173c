"""On a fresh clone with nothing but Python and make, the commands of the README set everything up."""

import re
import shutil
import subprocess
from pathlib import Path

import pytest
from environments import run_program

from autograder.workspace import Workspace


@pytest.fixture
def clone(tmp_path: Path, course: Workspace) -> Path:
    if not (course.root / ".git").exists():
        pytest.skip("this copy of the course is no git checkout, so it cannot be cloned")
    subprocess.run(["git", "clone", "--quiet", str(course.root), str(tmp_path / "clone")], check=True)
    return tmp_path / "clone"


@pytest.mark.world
def test_make_grade_marks_the_stubs_with_a_students_install(clone: Path) -> None:
    done = run_program(clone, "make", "grade")

    assert done.returncode == 0, done.stdout + done.stderr
    assert "0 of 150 points" in done.stdout
    assert "Next: part1_simplified.dot_product in exercises/part1_simplified.py:" in done.stdout
    assert not (clone / ".venv" / "bin" / "mypy").exists()


@pytest.mark.world
def test_the_lines_without_make_do_the_same(clone: Path, course: Workspace) -> None:
    readme = (course.root / "README.md").read_text(encoding="utf-8")
    (lines,) = (
        block for block in re.findall(r"^```sh\n(.*?)^```", readme, re.MULTILINE | re.DOTALL) if "pip install" in block
    )

    done = run_program(clone, shutil.which("bash") or "bash", "-c", lines)

    assert done.returncode == 1, done.stdout + done.stderr
    assert "0 of 150 points" in done.stdout


def test_an_old_python_is_told(course: Workspace, tmp_path: Path) -> None:
    old = tmp_path / "old-python"
    old.write_text("#!/bin/sh\nexit 1\n")
    old.chmod(0o755)
    shutil.copy(course.root / "Makefile", tmp_path)

    done = run_program(tmp_path, "make", f"PYTHON={old}", "grade")

    assert done.returncode != 0
    assert "The course needs Python 3.11 or newer" in done.stdout
