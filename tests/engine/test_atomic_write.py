"""What is written is there as a whole or not at all, whatever the disk does."""

import ast
import errno
import os
from collections.abc import Callable
from pathlib import Path

import pytest

import autograder
from autograder.atomic_write import TRIES, atomic_write, replace_file

AUTOGRADER = Path(autograder.__file__).parent
WRITERS = [
    *sorted((AUTOGRADER / "classroom").rglob("*.py")),
    *(AUTOGRADER / "cli" / name for name in ("class_exam.py", "export.py", "similar.py")),
    *(AUTOGRADER / name for name in ("authoring/sync.py", "exam/files.py", "student/editing.py")),
]
DIRECTLY = {"write_bytes", "write_text", "writelines", "NamedTemporaryFile"}


def test_everything_is_written_by_what_writes_whole_files() -> None:
    """Marks, summaries, reports, exports, adjustments, rosters, lists of hand-ins, notebooks for nbgrader; exams, stubs, what students write."""
    trees = {path.name: ast.parse(path.read_text(encoding="utf-8")) for path in WRITERS}
    named = {
        name: {node.attr for node in ast.walk(tree) if isinstance(node, ast.Attribute)} for name, tree in trees.items()
    }

    assert {name: found & DIRECTLY for name, found in named.items() if found & DIRECTLY} == {}


def full(*_: object) -> None:
    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


def read_only(*_: object) -> None:
    raise OSError(errno.EROFS, os.strerror(errno.EROFS))


@pytest.mark.parametrize("fault", [full, read_only])
@pytest.mark.parametrize("at", ["write_bytes", "replace"])
def test_a_fault_of_the_disk_leaves_what_was_there_and_names_the_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, at: str, fault: object
) -> None:
    path = tmp_path / "grades.csv"
    atomic_write(path, b"before")
    with monkeypatch.context() as broken:
        broken.setattr(Path, at, fault)
        with pytest.raises(OSError, match=r"No space|Read-only") as raised:
            atomic_write(path, b"after")

    assert raised.value.filename == str(path)
    assert path.read_bytes() == b"before"
    assert list(tmp_path.iterdir()) == [path]


@pytest.fixture
def link(tmp_path: Path) -> Path:
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "elsewhere" / "grades.csv").write_bytes(b"before")
    link = tmp_path / "grades.csv"
    link.symlink_to(tmp_path / "elsewhere" / "grades.csv")
    return link


def test_a_link_leads_nothing_elsewhere(link: Path) -> None:
    atomic_write(link, b"after")

    assert not link.is_symlink()
    assert (link.parent / "elsewhere" / "grades.csv").read_bytes() == b"before"


# A file that somebody holds for a moment, as on Windows


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

        monkeypatch.setattr(autograder.atomic_write.os, "replace", refuse)
        monkeypatch.setattr(autograder.atomic_write, "PAUSE", 0)

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
