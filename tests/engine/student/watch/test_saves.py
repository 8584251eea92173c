"""Saves are noticed however a file is written and wherever it lies, once each."""

import os
from pathlib import Path

import pytest

from autograder.student.watch.saves import Saves


class Folder:
    """A folder that is looked at, with one module in it. meanwhile: what happens while a look lasts."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.module = path / "part.py"
        self.module.write_text("one = 1\n", encoding="utf-8")
        self.meanwhile = lambda: None
        self._saves = Saves(path, lambda: self.meanwhile())

    def look(self) -> set[str]:
        """Return the modules that are found saved."""
        return self._saves.look()

    def write(self) -> None:
        """Save the module; nothing happens after that."""
        self.meanwhile = lambda: None
        self.module.write_text("two = 2\n", encoding="utf-8")


@pytest.fixture
def folder(tmp_path: Path) -> Folder:
    return Folder(tmp_path)


def test_nothing_was_saved_at_first(folder: Folder) -> None:
    assert folder.look() == set()


def test_a_written_module_is_found_by_name_once(folder: Folder) -> None:
    folder.module.write_text("twenty = 20\n", encoding="utf-8")
    assert [folder.look(), folder.look()] == [{"part"}, set()]


def test_modules_that_are_saved_together_are_found_together(folder: Folder) -> None:
    for name in ("other.py", "notebook.ipynb", "part.py"):
        (folder.path / name).write_text("twenty = 20\n", encoding="utf-8")
    assert folder.look() == {"notebook", "other", "part"}


def test_a_module_that_takes_the_others_name_is_found(folder: Folder) -> None:
    fresh = folder.path / "part.tmp"
    fresh.write_text("one = 1\n", encoding="utf-8")
    written = folder.module.stat().st_mtime_ns
    os.utime(fresh, ns=(written, written))
    os.replace(fresh, folder.module)
    assert folder.look() == {"part"}


def test_a_module_that_is_gone_is_found_once_and_again_when_it_is_back(folder: Folder) -> None:
    folder.module.unlink()
    assert [folder.look(), folder.look()] == [{"part"}, set()]
    folder.write()
    assert folder.look() == {"part"}


def test_files_that_are_no_modules_are_not_found(folder: Folder) -> None:
    (folder.path / ".part.py.swp").write_text("", encoding="utf-8")
    (folder.path / "part.py~").write_text("", encoding="utf-8")
    assert folder.look() == set()


def test_a_module_behind_a_link_is_found(tmp_path: Path, folder: Folder) -> None:
    elsewhere = tmp_path.parent / f"{tmp_path.name}-elsewhere.py"
    elsewhere.write_text("one = 1\n", encoding="utf-8")
    (folder.path / "linked.py").symlink_to(elsewhere)
    assert folder.look() == {"linked"}
    elsewhere.write_text("three = 3\n", encoding="utf-8")
    assert folder.look() == {"linked"}
