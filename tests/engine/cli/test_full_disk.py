"""Where a disk fills up while a verb writes, what was there before stays whole, and the verb says so."""

import builtins
import contextlib
import errno
import io
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from command import attn_in
from small_class import set_exams_here
from tiny_course import NAME, TinyCourse

from autograder.exam.files import write_exam

pytestmark = [pytest.mark.slow, pytest.mark.world]


class _Full(io.FileIO):
    """A file on a disk without room: it is there, and empty, and takes nothing."""

    def write(self, content: object) -> int:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


@contextlib.contextmanager
def full_disk(folder: Path) -> Iterator[None]:
    """Let nothing be written below a folder."""
    honest = io.open

    def opened(file: Any, mode: str = "r", *given: Any, **named: Any) -> Any:
        is_here = not isinstance(file, int) and Path(os.path.abspath(file)).is_relative_to(folder)
        if not is_here or not {*"wax+"} & {*mode}:
            return honest(file, mode, *given, **named)
        raw = _Full(file, mode.replace("b", "").replace("t", ""))
        return io.BufferedWriter(raw) if "b" in mode else io.TextIOWrapper(io.BufferedWriter(raw))

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(io, "open", opened)
        patched.setattr(builtins, "open", opened)
        yield


def files_in(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


SOLVED = "def scores(query, keys):\n    return keys @ query\n"

GRADE = ("grade", "class", "--out", "results", "--exam", "own.exam", "--sandbox", "none")
COLLECT = ("collect", "download", "--out", "class")
AGAIN = {
    "grade": GRADE,
    "collect": COLLECT,
    "report": ("report", "results", "--out", "report.html"),
    "export": ("export", "results", "--format", "csv", "--out", "grades.csv"),
    "build": ("build",),
    "release --for nbgrader": ("release", "--for", "nbgrader", "--out", "nbgrader", "--exam", "own.exam"),
    "release --for gradescope": ("release", "--for", "gradescope", "--exam", "own.exam", "--out", "autograder.zip"),
}
"""What replaces files of before."""

ANEW = {
    "build --exam": ("build", "--exam", "new.exam"),
    "the exam of a class": ("grade", "class", "--out", "first", "--sandbox", "none"),
    "show --notebook": ("show", "--notebook"),
    "release": ("release", "--out", "release"),
}
"""What writes where nothing is."""


@pytest.fixture
def tiny(tiny: TinyCourse, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> TinyCourse:
    """A course of two steps, a class, a download, and the results that `attn grade` has made of it."""
    set_exams_here(monkeypatch)
    write_exam(tiny.build_exam(seed=4), tmp_path / "own.exam")
    (tmp_path / "download").mkdir()
    hand_in(tmp_path, "ada", 101)
    for verb in (COLLECT, GRADE):
        assert attn_in(tiny.workspace, *verb).returncode in (0, 3)
    return tiny


def hand_in(folder: Path, student: str, number: int) -> None:
    (folder / "download" / f"{student}_{number}_9001_{NAME}.py").write_text(SOLVED)


def run_on_a_full_disk(tiny: TinyCourse, arguments: tuple[str, ...]) -> None:
    before = files_in(tiny.workspace.root)
    with full_disk(tiny.workspace.root):
        done = attn_in(tiny.workspace, *arguments)

    assert done.returncode in (1, 2), done.stdout
    assert "No space left on device" in done.stderr
    assert "Traceback" not in done.stderr
    assert files_in(tiny.workspace.root) == before


@pytest.mark.parametrize("arguments", AGAIN.values(), ids=AGAIN)
def test_what_was_there_stays_whole_and_it_is_said(tiny: TinyCourse, arguments: tuple[str, ...]) -> None:
    assert attn_in(tiny.workspace, *arguments).returncode in (0, 3)
    hand_in(tiny.workspace.root, "bob", 102)
    attempt = tiny.workspace.root / "class" / "carl" / "2026-10-01T120000Z"
    attempt.mkdir(parents=True)
    (attempt / f"{NAME}.py").write_text(SOLVED)

    run_on_a_full_disk(tiny, arguments)


@pytest.mark.parametrize("arguments", ANEW.values(), ids=ANEW)
def test_nothing_half_done_is_left_and_it_is_said(tiny: TinyCourse, arguments: tuple[str, ...]) -> None:
    run_on_a_full_disk(tiny, arguments)
