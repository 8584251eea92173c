"""When the last commit of a clone was made.

A clone that somebody else made is not to be trusted: its settings name programs that git would run. So git looks for nothing
there but objects, from an empty repository of ours, and is asked for one commit as it stands.
"""

import os
import re
import subprocess
import tempfile
from datetime import UTC, datetime
from pathlib import Path

from autograder.atomic_write import atomic_write
from autograder.submission.archive import read_file
from autograder.submission.model import Unreadable

COMMIT = re.compile(r"[0-9a-f]{40}")
BRANCH = re.compile(r"ref: (refs/[\w./-]+)")
COMMITTED = re.compile(r"^committer .* (\d{1,11}) [+-]\d{4}$", re.MULTILINE)

NO_BRANCH = "refs/heads/main"
LARGEST_REF = 4_000_000
LARGEST_COMMIT = 1_000_000
LARGEST_ALLOCATION = 64_000_000
"""Bytes that git may ask for at once: a small commit can be written as a change of a huge one, which unpacks from nothing."""

SECONDS = 10


def commit_time(clone: Path) -> datetime | None:
    """Return when the commit that a clone stands at was made, as it says itself; None where that cannot be read."""
    try:
        commit = _commit(clone / ".git")
        found = COMMITTED.search(_object(clone / ".git" / "objects", commit).partition("\n\n")[0]) if commit else None
        return datetime.fromtimestamp(int(found[1]), UTC) if found else None
    except (OSError, Unreadable, ValueError, OverflowError, subprocess.SubprocessError):
        return None


def _commit(git: Path) -> str:
    """Return the name of the commit of HEAD."""
    head = _text(git, "HEAD")
    branch = BRANCH.fullmatch(head)
    if not branch:
        return head if COMMIT.fullmatch(head) else ""
    if ".." in branch[1]:
        return ""
    try:
        commit = _text(git, branch[1])
    except Unreadable:  # which of the many refs of a clone are in one file
        packed = re.search(rf"^({COMMIT.pattern}) {re.escape(branch[1])}$", _text(git, "packed-refs"), re.MULTILINE)
        commit = packed[1] if packed else ""
    return commit if COMMIT.fullmatch(commit) else ""


def _text(git: Path, name: str) -> str:
    return read_file(git / name, git, name, LARGEST_REF).decode("utf-8", "replace").strip()


def _object(objects: Path, commit: str) -> str:
    with tempfile.TemporaryDirectory() as folder:
        ours = Path(folder)
        for needed in ("refs", "objects"):
            (ours / needed).mkdir()
        atomic_write(ours / "HEAD", f"ref: {NO_BRANCH}\n".encode())
        environment = {
            "PATH": os.environ.get("PATH", os.defpath),
            "GIT_DIR": str(ours),
            "GIT_OBJECT_DIRECTORY": str(objects.resolve()),
            "GIT_CONFIG_NOSYSTEM": "1",
            "GIT_CONFIG_GLOBAL": os.devnull,
            "GIT_NO_LAZY_FETCH": "1",
            "GIT_NO_REPLACE_OBJECTS": "1",
            "GIT_ALLOC_LIMIT": str(LARGEST_ALLOCATION),
        }

        def ask(question: str) -> bytes:
            run = subprocess.run(
                ["git", "cat-file", question, commit],
                cwd=ours,
                env=environment,
                stdin=subprocess.DEVNULL,
                capture_output=True,
                timeout=SECONDS,
                check=True,
            )
            return run.stdout

        if int(ask("-s")) > LARGEST_COMMIT:  # which a few kilobytes may unpack to
            return ""
        return ask("commit").decode("utf-8", "replace")
