"""`make test` installs the system packages that tests need, or stops; where they stay away, the last line counts what was left out."""

import os
import re
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from command import Run

from autograder.workspace import Workspace

PACKAGES = r"bubblewrap chromium(-browser)? libatomic1 libseccomp2 postgresql"

pytestmark = pytest.mark.slow

Make = Callable[[int, str], Run]


@pytest.fixture
def make(course: Workspace, tmp_path: Path) -> Make:
    """Run `make test` on a machine without packages: as which user, and the program by which that user becomes root."""
    shutil.copy(course.root / "Makefile", tmp_path)

    def run(user: int, sudo: str) -> Run:
        programs = {
            "dpkg": "exit 1",
            "id": f"echo {user}",
            "sudo": sudo,
            "apt-get": 'echo "apt-get $*"; [ $1 = update ]',
        }
        for name, line in programs.items():
            (tmp_path / name).write_text(f"#!/bin/sh\n{line}\n")
            (tmp_path / name).chmod(0o755)
        path = f"{tmp_path}:{os.environ['PATH']}"
        command = ["make", "SYSTEM=yes", "test"]
        return subprocess.run(command, cwd=tmp_path, env={"PATH": path}, capture_output=True, text=True)

    return run


@pytest.mark.parametrize(("user", "sudo"), [(0, "exit 1"), (1000, 'shift; exec "$@"')], ids=["root", "sudo"])
def test_packages_are_installed(make: Make, user: int, sudo: str) -> None:
    done = make(user, sudo)

    assert re.search(rf"^apt-get install -y -qq {PACKAGES}$", done.stdout, re.MULTILINE), done.stderr


def test_where_they_may_not_be_installed_the_line_to_run_is_printed_first(make: Make, tmp_path: Path) -> None:
    done = make(1000, "exit 1")

    (line,) = done.stdout.splitlines()
    assert re.search(rf"apt-get install {PACKAGES}\. Without them: make test SYSTEM=no$", line)
    assert done.returncode != 0
    assert not (tmp_path / ".venv").exists()
