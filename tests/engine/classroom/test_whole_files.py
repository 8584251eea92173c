"""What is written of a class is there as a whole or not at all, whatever the disk does."""

import ast
import errno
import os
from pathlib import Path

import pytest

from autograder.classroom import whole_files
from autograder.classroom.whole_files import write_where_told, write_whole

AUTOGRADER = Path(whole_files.__file__).parents[1]
WRITERS = [
    *sorted((AUTOGRADER / "classroom").rglob("*.py")),
    *(AUTOGRADER / "cli" / name for name in ("export.py", "similar.py")),
]
DIRECTLY = {"write_bytes", "write_text", "writelines", "NamedTemporaryFile"}


@pytest.mark.parametrize("path", WRITERS, ids=lambda path: path.stem)
def test_everything_of_a_class_is_written_by_what_writes_whole_files(path: Path) -> None:
    """Marks, summaries, reports, exports, adjustments, rosters, lists of hand-ins, notebooks for nbgrader."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    named = {node.attr for node in ast.walk(tree) if isinstance(node, ast.Attribute)}

    assert path.name == "whole_files.py" or not named & DIRECTLY


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
    write_whole(path, b"before")
    with monkeypatch.context() as broken:
        broken.setattr(Path, at, fault)
        with pytest.raises(OSError, match=r"No space|Read-only") as raised:
            write_whole(path, b"after")

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
    write_whole(link, b"after")

    assert not link.is_symlink()
    assert (link.parent / "elsewhere" / "grades.csv").read_bytes() == b"before"


def test_a_link_that_somebody_has_named_is_followed(link: Path) -> None:
    write_where_told(link, b"after")

    assert link.is_symlink()
    assert (link.parent / "elsewhere" / "grades.csv").read_bytes() == b"after"


def test_a_pipe_that_somebody_has_named_is_written_into(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    write_where_told(pipe, b"all")

    assert os.read(reader, 9) == b"all"
    assert pipe.is_fifo()
    os.close(reader)
