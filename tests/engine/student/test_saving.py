"""A file takes another one's place even where somebody holds the old one for a moment, as on Windows."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from autograder.student import saving
from autograder.student.saving import TRIES, replace_file


@pytest.fixture
def held(monkeypatch: pytest.MonkeyPatch) -> Callable[[int], None]:
    """Refuse the next attempts, as Windows does while another program reads the file; nothing is waited for."""

    def hold(attempts: int) -> None:
        left = [attempts]
        replace = os.replace

        def refuse(new: Path, path: Path) -> None:
            left[0] -= 1
            if left[0] >= 0:
                raise PermissionError(13, "Access is denied", str(path))
            replace(new, path)

        monkeypatch.setattr(saving.os, "replace", refuse)
        monkeypatch.setattr(saving, "PAUSE", 0)

    return hold


@pytest.fixture
def files(tmp_path: Path) -> tuple[Path, Path]:
    new, path = tmp_path / "new", tmp_path / "path"
    new.write_bytes(b"new")
    path.write_bytes(b"old")
    return new, path


def test_a_file_that_is_held_for_a_moment_is_replaced(held: Callable[[int], None], files: tuple[Path, Path]) -> None:
    held(TRIES - 1)

    replace_file(*files)

    assert files[1].read_bytes() == b"new"


def test_a_file_that_is_held_for_long_stays_and_is_told(held: Callable[[int], None], files: tuple[Path, Path]) -> None:
    held(TRIES)

    with pytest.raises(PermissionError):
        replace_file(*files)
    assert files[1].read_bytes() == b"old"
