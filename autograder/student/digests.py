"""The digests of the student's files, by which it is known whether what was marked is what is there now."""

import hashlib
from collections.abc import Iterable
from pathlib import Path

from autograder.exam.syllabus import SyllabusPart
from autograder.student.progress import Progress
from autograder.workspace import Workspace


def file_digest(path: Path) -> str:
    """Return the digest of a file's content, empty for a file that is not there."""
    try:
        return hashlib.sha256(path.read_bytes()).hexdigest()[:16]
    except OSError:
        return ""


def file_digests(workspace: Workspace, parts: Iterable[str]) -> dict[str, str]:
    """Return the digests of the student's files of some parts."""
    return {part: file_digest(workspace.exercise(part)) for part in parts}


def was_edited(workspace: Workspace, part: SyllabusPart, progress: Progress) -> bool:
    """Return whether a part's file is another than the one that was marked last."""
    digest = file_digest(workspace.exercise(part.name))
    known = (progress.steps.get(step.path) for step in part.steps)
    return any(step and step.file != digest for step in known)
