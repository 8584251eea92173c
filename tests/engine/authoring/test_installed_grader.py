"""A grader that is installed and no checkout: an author makes a course with it, and students get what they can install."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from environments import INSTALLED, make_environment, packages_of, python_of

from autograder.workspace import Workspace

pytestmark = pytest.mark.world

NEEDED = ("LICENSE", "README.md", "pyproject.toml", "requirements.lock")
ENVIRONMENT = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}


def run(*words: object, cwd: Path, **environment: str) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        [*map(str, words)],
        cwd=cwd,
        env={**ENVIRONMENT, **environment},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=600,
    )


@pytest.fixture(scope="module")
def environment(course: Workspace, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An environment with a wheel of the grader, and with the libraries that are installed here."""
    folder = tmp_path_factory.mktemp("installed")
    source, made = folder / "source", folder / "environment"
    shutil.copytree(course.root / "autograder", source / "autograder", ignore=shutil.ignore_patterns("__pycache__"))
    for name in NEEDED:
        shutil.copy(course.root / name, source)
    make_environment(made)
    (packages_of(made) / "libraries.pth").write_text(f"{INSTALLED}\n", encoding="utf-8")
    pip = (sys.executable, "-m", "pip", "--disable-pip-version-check")
    wheel = run(*pip, "wheel", "--no-deps", "--no-build-isolation", "-w", folder, source, cwd=folder)
    assert wheel.returncode == 0, wheel.stderr
    (file,) = folder.glob("*.whl")
    installed = run(*pip, "--python", python_of(made), "install", "--no-deps", "--no-index", file, cwd=folder)
    assert installed.returncode == 0, installed.stderr
    return made


@pytest.fixture(scope="module")
def shop(environment: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A course that it has made."""
    folder = tmp_path_factory.mktemp("author")
    made = run(environment / "bin" / "attn", "new", "shop", cwd=folder)
    assert made.returncode == 0, made.stderr
    return folder / "shop"


def test_a_course_that_it_makes_is_sound(environment: Path, shop: Path) -> None:
    found = run(environment / "bin" / "attn", "verify", cwd=shop)
    assert found.stdout.endswith("The course is sound.\n"), found.stdout + found.stderr
    assert "steps that a release marks as it should" in found.stdout


def test_a_release_that_it_makes_installs_and_marks(
    environment: Path, shop: Path, course: Workspace, tmp_path: Path
) -> None:
    made = run(environment / "bin" / "attn", "release", "--out", tmp_path / "students", cwd=shop)
    assert made.returncode == 0, made.stderr
    for name in ("LICENSE", "requirements.lock"):
        assert (tmp_path / "students" / name).read_bytes() == (course.root / name).read_bytes()
    make_environment(tmp_path / "student")
    (packages_of(tmp_path / "student") / "libraries.pth").write_text(f"{INSTALLED}\n", encoding="utf-8")
    options = ("--no-deps", "--no-build-isolation", "--no-index", "-e", tmp_path / "students")
    python = python_of(tmp_path / "student")
    installed = run(sys.executable, "-m", "pip", "--python", python, "install", *options, cwd=tmp_path)
    assert installed.returncode == 0, installed.stderr
    found = run(tmp_path / "student" / "bin" / "attn", "check", "--from", shop / "solutions", cwd=tmp_path / "students")
    assert found.returncode == 0, found.stdout + found.stderr
