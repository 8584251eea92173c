"""A grader that is installed and no checkout: an author makes a course with it, and students get what they can install."""

import shutil
import sys
from pathlib import Path

import pytest
from environments import install_into, run_program

from autograder.workspace import Workspace

pytestmark = pytest.mark.world

NEEDED = ("LICENSE", "README.md", "pyproject.toml", "requirements.lock")


@pytest.fixture(scope="module")
def environment(course: Workspace, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An environment with a wheel of the grader, and with the libraries that are installed here."""
    folder = tmp_path_factory.mktemp("installed")
    source, made = folder / "source", folder / "environment"
    shutil.copytree(course.root / "autograder", source / "autograder", ignore=shutil.ignore_patterns("__pycache__"))
    for name in NEEDED:
        shutil.copy(course.root / name, source)
    pip = (sys.executable, "-m", "pip", "--disable-pip-version-check")
    wheel = run_program(folder, *pip, "wheel", "--no-deps", "--no-build-isolation", "-w", folder, source)
    assert wheel.returncode == 0, wheel.stderr
    install_into(made, *folder.glob("*.whl"))
    return made


@pytest.fixture(scope="module")
def shop(environment: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A course that it has made."""
    folder = tmp_path_factory.mktemp("author")
    made = run_program(folder, environment / "bin" / "attn", "build", "--new", "shop")
    assert made.returncode == 0, made.stderr
    return folder / "shop"


def test_a_course_that_it_makes_is_sound(environment: Path, shop: Path) -> None:
    found = run_program(shop, environment / "bin" / "attn", "verify")
    assert found.stdout.endswith("The course is sound.\n"), found.stdout + found.stderr
    assert "steps that a release marks as it should" in found.stdout


def test_a_release_that_it_makes_installs_and_marks(
    environment: Path, shop: Path, course: Workspace, tmp_path: Path
) -> None:
    made = run_program(shop, environment / "bin" / "attn", "release", "--out", tmp_path / "students")
    assert made.returncode == 0, made.stderr
    for name in ("LICENSE", "requirements.lock"):
        assert (tmp_path / "students" / name).read_bytes() == (course.root / name).read_bytes()
    install_into(tmp_path / "student", "--no-build-isolation", "-e", tmp_path / "students")
    attn = tmp_path / "student" / "bin" / "attn"
    found = run_program(tmp_path / "students", attn, "check", "--from", shop / "solutions")
    assert found.returncode == 0, found.stdout + found.stderr
