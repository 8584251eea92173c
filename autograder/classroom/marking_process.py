"""Functions that another process or machine calls to mark submissions."""

import threading

from autograder.classroom.grader import Conditions, Grader, Unmarked
from autograder.classroom.results import to_bytes
from autograder.course.errors import ExplainedError
from autograder.submission.model import Submission, shown

LONGEST_REASON = 200
"""Characters of an error of ours that are told."""


_known: dict[str, Conditions] = {}
"""The conditions that this process was given, by their digest."""

_graders: dict[tuple[str, int], Grader] = {}
"""The graders of this process, by the digest of their conditions and by thread."""


def set_conditions(conditions: Conditions) -> None:
    """Remember the conditions of a class."""
    _known[conditions.digest] = conditions


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
    for key in [key for key in _graders if key[0] == conditions.digest]:
        _graders.pop(key).close()


def _grader(digest: str) -> Grader:
    """Return the grader of this thread for some conditions; open it for the first submission."""
    key = digest, threading.get_ident()
    if key not in _graders:
        _graders[key] = Grader(_known[digest])
    return _graders[key]
