"""`attn start` makes a student's folder, and touches nothing that exists."""

from pathlib import Path

import pytest
from command import attn_in

from autograder.authoring.release import zipped
from autograder.student import start
from autograder.workspace import Workspace

FILES = {"course.toml": b'id = "tiny"\n', "exercises/part1.py": b"stub\n"}


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Workspace:
    """A folder outside a course, with the grader of a wheel."""
    (tmp_path / "course.zip").write_bytes(zipped(FILES))
    monkeypatch.setattr(start, "INSTALLED", tmp_path / "course.zip")
    (tmp_path / "home").mkdir()
    return Workspace(tmp_path / "home")


def test_a_folder_is_made_and_the_next_step_named(folder: Workspace) -> None:
    assert attn_in(folder, "start").stdout == "Your course is in tiny.\n    cd tiny\n    attn\n"
    assert {path: (folder.root / "tiny" / path).read_bytes() for path in FILES} == FILES


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("course.toml", "mine holds a course already; nothing was changed. To go on: cd mine"),
        ("notes.txt", "mine is not empty; nothing was changed. Name another: attn start FOLDER"),
    ],
)
def test_a_folder_with_files_is_left_alone(folder: Workspace, name: str, said: str) -> None:
    (folder.root / "mine").mkdir()
    (folder.root / "mine" / name).write_text("mine", encoding="utf-8")
    refused = attn_in(folder, "start", "mine")

    assert (refused.returncode, said in refused.stderr) == (2, True)
    assert [path.name for path in (folder.root / "mine").iterdir()] == [name]


def test_no_course_is_made_inside_another(folder: Workspace) -> None:
    (folder.root / "course.toml").write_text('id = "mine"', encoding="utf-8")
    refused = attn_in(folder, "start")

    assert "you are in a course already" in refused.stderr
    assert not (folder.root / "tiny").exists()


def test_a_checkout_is_the_course_already(course: Workspace) -> None:
    assert "this grader is part of a course: its folder is yours" in attn_in(course, "start").stderr


def test_a_notebook_outside_a_course_has_the_installed_one_beside_it(folder: Workspace) -> None:
    beside = start.course_beside(folder.root)
    assert beside == Workspace(folder.root / ".attn" / "course")
    (beside.root / "course.toml").write_text("earlier", encoding="utf-8")
    start.course_beside(folder.root)
    assert (beside.root / "course.toml").read_text(encoding="utf-8") == "earlier"

    start.INSTALLED.write_bytes(zipped(FILES | {"exercises/part2.py": b"stub"}))
    start.course_beside(folder.root)
    assert (beside.root / "course.toml").read_bytes() == FILES["course.toml"]


def test_where_nothing_can_be_written_it_is_in_the_users_folder(
    folder: Workspace, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (folder.root / ".attn").write_text("no folder", encoding="utf-8")
    monkeypatch.setenv("HOME", str(tmp_path))

    assert start.course_beside(folder.root) == Workspace(tmp_path / ".attn" / "course")
