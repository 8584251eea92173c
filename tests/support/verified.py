"""What `attn verify` prints of the checkout's own course: half a minute, which all test processes share."""

from pathlib import Path

import pytest
from command import attn_in
from once import made_once

from autograder.workspace import Workspace


def verification_of(course: Workspace, factory: pytest.TempPathFactory) -> str:
    """Return what a verification prints. It sits the exams in a worker, which costs no fork for each of more than a thousand texts."""

    def make(folder: Path) -> None:
        done = attn_in(course, "verify", COLUMNS="80", ATTN_SITTING="worker")
        (folder / "printed").write_text(done.stdout + done.stderr, encoding="utf-8")

    return (made_once(factory, "verified", make) / "printed").read_text(encoding="utf-8")
