"""When a clone's last commit was made, read without running anything that the clone names."""

import os
import subprocess
from datetime import UTC, datetime
from pathlib import Path

import pytest

from autograder.classroom.collecting.platforms import commit_time

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
def test_no_program_that_a_clone_names_is_run(clone: Path, tmp_path: Path) -> None:
    trap = tmp_path / "trap"
    trap.write_text(f"#!/bin/sh\ntouch {tmp_path / 'ran'}\n")
    trap.chmod(0o755)
    for name in ("core.fsmonitor", "core.pager", "gpg.program", "core.sshCommand", "core.alternateRefsCommand"):
        git(clone, "config", name, str(trap))
    git(clone, "config", "log.showSignature", "true")

    assert commit_time(clone) == AT
    assert not (tmp_path / "ran").exists()


@pytest.mark.parametrize(
    "head", ["", "ref: refs/heads/main", "ref: refs/heads/../../../secret", "--help", "a" * 40, "\0"]
)
def test_what_is_no_clone_has_no_time(tmp_path: Path, head: str) -> None:
    (tmp_path / ".git" / "objects").mkdir(parents=True)
    (tmp_path / ".git" / "HEAD").write_text(head)
    assert commit_time(tmp_path) is None
