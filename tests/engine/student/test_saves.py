"""Saves are noticed however a file is written and wherever it lies, once each."""

import os
from pathlib import Path

import pytest

from autograder.student.watch.saves import Saves


class Folder:
    """A folder that is looked at, with one module in it."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.module = path / "part.py"
        self.module.write_text("one = 1\n", encoding="utf-8")
        self._saves = Saves(path, lambda: None)

    def look(self) -> set[str]:
        """Return the modules that are found saved."""
        return self._saves.look()


@pytest.fixture
def folder(tmp_path: Path) -> Folder:
    return Folder(tmp_path)


def test_a_written_module_is_found_by_name_once(folder: Folder) -> None:
    folder.module.write_text("twenty = 20\n", encoding="utf-8")
    assert [folder.look(), folder.look()] == [{"part"}, set()]


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
    folder.module.write_text("two = 2\n", encoding="utf-8")
    assert folder.look() == {"part"}
