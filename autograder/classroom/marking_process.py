"""What a process that marks for a class runs: functions that another process or machine calls by name."""

import threading

from autograder.classroom.grader import Conditions, Grader, Unmarked
from autograder.classroom.results import to_bytes
from autograder.course.errors import ExplainedError
from autograder.submission.model import Submission, shown

LONGEST_REASON = 200
"""Characters of an error of ours that are told."""


class _Here(threading.local):
    """What this thread marks with; graders are not shared between threads."""

    conditions: Conditions | None = None
    grader: Grader | None = None


_here = _Here()
_known: dict[str, tuple[Conditions, int]] = {}
"""The conditions that this process was given, by their digest, and the slot of its graders."""

_opened: dict[str, list[Grader]] = {}
"""The graders that all threads of this process have opened, by the digest of their conditions."""


def set_conditions(conditions: Conditions, slot: int) -> None:
    """Remember the conditions of a class. slot: which of several graders on this machine this process is."""
    _known[conditions.digest] = conditions, slot


def get_ready(conditions: str) -> None:
    """Open this thread's grader before the first submission comes."""
    _grader(conditions)


def grade(conditions: str, submission: Submission) -> bytes:
    """Mark a submission; return the content of its file of marks. conditions: the digest of those known here.

    Raises CannotRun if no submission can be marked here, and Unmarked if this one cannot.
    """
    try:
        return to_bytes(_grader(conditions).grade(submission))
    except ExplainedError:
        raise
    except Exception as error:  # our own error, which must cost nobody marks
        said = shown(f"{type(error).__name__}: {error}")[:LONGEST_REASON]
        raise Unmarked(f"the grader failed on this submission ({said}). Please report it.") from error


def close_graders(conditions: Conditions) -> None:
    """End the graders of a class that has been marked."""
    _known.pop(conditions.digest, None)
    for grader in _opened.pop(conditions.digest, ()):
        grader.close()


def _grader(digest: str) -> Grader:
    """Return this thread's grader for some conditions, opened at its first submission."""
    conditions, slot = _known[digest]
    if _here.grader is None or _here.conditions is not conditions:
        _here.grader, _here.conditions = Grader(conditions, slot), conditions
        _opened.setdefault(digest, []).append(_here.grader)
    return _here.grader
