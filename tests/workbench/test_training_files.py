"""Files are written whole or not at all, and what hinders that is told."""

import contextlib
import resource
from collections.abc import Iterator
from pathlib import Path

import pytest

from workbench.training_files import CannotKeep, written_whole


@contextlib.contextmanager
def full_disk() -> Iterator[None]:
    """No file may become larger than 10,000 bytes: not the log of the tests either, which is why it is no fixture."""
    before, most = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (10_000, most))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (before, most))


def write(path: Path, text: str) -> None:
    with written_whole(path) as new:
        new.write_text(text, encoding="utf-8")


def names_in(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def test_on_a_full_disk_the_old_file_stays_and_nothing_half_written_is_left(tmp_path: Path) -> None:
    write(tmp_path / "kept", "old")

    with pytest.raises(CannotKeep, match=r"kept cannot be written .*: is the disk full"), full_disk():
        write(tmp_path / "kept", 20_000 * "new")

    assert (tmp_path / "kept").read_text() == "old"
    assert names_in(tmp_path) == ["kept"]


def test_a_link_that_leads_elsewhere_is_not_followed(tmp_path: Path) -> None:
    (tmp_path / "kept.part").symlink_to(tmp_path / "elsewhere")

    write(tmp_path / "kept", "new")

    assert names_in(tmp_path) == ["kept"]
    assert not (tmp_path / "kept").is_symlink()
