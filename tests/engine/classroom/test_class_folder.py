"""The class folder: one entry a student, what is ignored, and what is no class folder."""

import os
from pathlib import Path

import pytest

from autograder.classroom.class_folder import BadClassFolder, read_class_folder


def fill(folder: Path, *names: str) -> Path:
    """Make an entry of each name: a folder where it ends in a slash, else a file."""
    for name in names:
        path = folder / name
        if name.endswith("/"):
            path.mkdir(parents=True)
        else:
            path.write_text("")
    return folder


def students(folder: Path) -> list[str]:
    return [entry.student for entry in read_class_folder(folder).entries]


def test_a_student_is_named_like_the_entry_without_its_extension(tmp_path: Path) -> None:
    assert students(fill(tmp_path, "eve.ipynb", "bob.zip", "ada/", "dan.py")) == ["ada", "bob", "dan", "eve"]


@pytest.mark.parametrize(
    "name", ["ada.tar.gz", "ada.tgz", "ada.rar", "ada.7z", "ada.pdf", "ada.py.txt", "ada.ipynb.json"]
)
def test_a_student_s_name_has_no_extension_of_what_may_not_be_read_either(tmp_path: Path, name: str) -> None:
    assert students(fill(tmp_path, name)) == ["ada"]


def test_junk_is_ignored(tmp_path: Path) -> None:
    assert students(fill(tmp_path, "ada/", ".DS_Store", "__MACOSX/", "README.md")) == ["ada"]


def test_what_cannot_be_read_is_an_entry_too(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "ada")
    (tmp_path / "bob").symlink_to("bob")
    assert students(tmp_path) == ["ada", "bob"]


@pytest.mark.parametrize(("one", "other"), [("ada/", "ada.zip"), ("ada.ipynb", "ada.py"), ("ada", "ada.zip")])
def test_a_student_who_is_there_twice_is_told_with_both_entries(tmp_path: Path, one: str, other: str) -> None:
    with pytest.raises(BadClassFolder) as caught:
        read_class_folder(fill(tmp_path, one, other))
    assert str(caught.value) == (
        f"{tmp_path / one} and {tmp_path / other} are both ada's: leave only the one to be marked."
    )


@pytest.mark.parametrize("names", [(), (".DS_Store", "README.md")], ids=["nothing", "only junk"])
def test_a_class_without_submissions_is_told(tmp_path: Path, names: tuple[str, ...]) -> None:
    with pytest.raises(BadClassFolder, match="holds no submissions"):
        read_class_folder(fill(tmp_path, *names))


@pytest.mark.parametrize("other", ["gradebook.db", "nbgrader_config.py"])
def test_a_course_directory_of_nbgrader_s_is_told_to_give_its_submissions(tmp_path: Path, other: str) -> None:
    with pytest.raises(BadClassFolder, match=r"give .*submitted\."):
        read_class_folder(fill(tmp_path, "submitted/", other))


@pytest.mark.parametrize("name", ["submission_metadata.yml", "roster.csv", "grades.xlsx", "notes.txt"])
def test_a_file_that_lies_beside_the_submissions_is_no_student(tmp_path: Path, name: str) -> None:
    folder = read_class_folder(fill(tmp_path, "ada/", name))

    assert ([entry.student for entry in folder.entries], folder.beside) == (["ada"], (name,))


@pytest.mark.parametrize("names", [("part1_simplified/",), ("part1_simplified.py", "part2_trainable.py")])
def test_what_one_student_has_handed_in_is_no_class(tmp_path: Path, names: tuple[str, ...]) -> None:
    with pytest.raises(BadClassFolder, match="holds parts, not students"):
        read_class_folder(fill(tmp_path, *names), {"part1_simplified", "part2_trainable"})
