"""When a clone's last commit was made, read without running anything that the clone names."""

import hashlib
import os
import struct
import subprocess
import zlib
from datetime import UTC, datetime
from pathlib import Path

import pytest

from autograder.classroom.collecting import commit_time as commit_times
from autograder.classroom.collecting.commit_time import commit_time

AT = datetime(2026, 10, 1, 21, 59, tzinfo=UTC)


def git(folder: Path, *arguments: str) -> None:
    who = {f"GIT_{role}_{what}": "ada@uni" for role in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")}
    when = {"GIT_AUTHOR_DATE": "2020-01-01T00:00:00Z", "GIT_COMMITTER_DATE": AT.isoformat()}
    settings = {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1"}
    subprocess.run(
        ["git", "-C", folder, *arguments], env=os.environ | who | when | settings, check=True, capture_output=True
    )


@pytest.fixture
def clone(tmp_path: Path) -> Path:
    git(tmp_path, "init", "-b", "main", "clone")
    git(tmp_path / "clone", "commit", "--allow-empty", "-m", "done")
    return tmp_path / "clone"


@pytest.mark.slow
def test_it_is_the_time_of_the_commit_itself(clone: Path) -> None:
    assert commit_time(clone) == AT


@pytest.mark.slow
def test_it_is_found_where_git_has_packed_everything(clone: Path) -> None:
    git(clone, "gc")
    assert commit_time(clone) == AT


@pytest.mark.slow
def test_it_is_found_where_no_branch_is_checked_out(clone: Path) -> None:
    git(clone, "checkout", "--detach")
    assert commit_time(clone) == AT


@pytest.mark.slow
def test_no_program_that_a_clone_names_is_run(clone: Path, tmp_path: Path) -> None:
    trap = tmp_path / "trap"
    trap.write_text(f"#!/bin/sh\ntouch {tmp_path / 'ran'}\n")
    trap.chmod(0o755)
    for name in ("core.fsmonitor", "core.pager", "gpg.program", "core.sshCommand", "core.alternateRefsCommand"):
        git(clone, "config", name, str(trap))
    git(clone, "config", "log.showSignature", "true")

    assert commit_time(clone) == AT
    assert not (tmp_path / "ran").exists()


def as_a_change(commit: bytes, base_size: int) -> bytes:
    """Return a pack in which a commit is written as a change of another one: of zeros, so many bytes."""

    def number(value: int) -> bytes:
        digits = [value >> shift & 127 for shift in range(0, max(value.bit_length(), 1), 7)]
        return bytes([digit | 128 for digit in digits[:-1]] + digits[-1:])

    def head(kind: int, size: int) -> bytes:
        return bytes([128 | kind << 4 | size & 15]) + number(size >> 4)

    base = head(1, base_size) + zlib.compress(bytes(base_size))
    change = number(base_size) + number(len(commit)) + bytes([len(commit)]) + commit
    high, low = divmod(len(base) - 128, 128)
    pack = (
        b"PACK"
        + struct.pack(">II", 2, 2)
        + base
        + head(6, len(change))
        + bytes([128 | high, low])
        + zlib.compress(change)
    )
    return pack + hashlib.sha1(pack).digest()


@pytest.mark.slow
@pytest.mark.parametrize(("room", "time"), [(1_000_000, None), (4_000_000, AT)], ids=["too large", "small enough"])
def test_a_commit_that_is_a_change_of_a_huge_one_is_not_unpacked(
    clone: Path, monkeypatch: pytest.MonkeyPatch, room: int, time: datetime | None
) -> None:
    text = f"tree {'0' * 40}\ncommitter a <a@b> {AT.timestamp():.0f} +0000\n\n".encode()
    pack = clone / ".git/objects/pack/pack-1.pack"
    pack.write_bytes(as_a_change(text, 2_000_000))
    git(clone, "index-pack", str(pack))
    (clone / ".git/refs/heads/main").write_text(hashlib.sha1(b"commit %d\0" % len(text) + text).hexdigest())
    monkeypatch.setattr(commit_times, "LARGEST_ALLOCATION", room)

    assert commit_time(clone) == time


@pytest.mark.parametrize(
    "head", ["", "ref: refs/heads/main", "ref: refs/heads/../../../secret", "--help", "a" * 40, "\0"]
)
def test_what_is_no_clone_has_no_time(tmp_path: Path, head: str) -> None:
    (tmp_path / ".git" / "objects").mkdir(parents=True)
    (tmp_path / ".git" / "HEAD").write_text(head)
    assert commit_time(tmp_path) is None


def test_a_head_that_is_a_link_out_is_not_followed(tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()
    (tmp_path / ".git" / "HEAD").symlink_to("/etc/passwd")
    assert commit_time(tmp_path) is None
