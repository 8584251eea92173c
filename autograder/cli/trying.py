"""Trying out what marking needs, in a process of its own: what is broken may hang, crash or print what it likes.

Run as `python -P trying.py [EXAM SYLLABUS]`. Prints two lines of JSON for each trial: [name, null] when it begins, [name, reason]
when it ends, where an empty reason means that all is well.
"""

import importlib
import json
import sys
from collections.abc import Callable
from pathlib import Path

NUMPY = "numpy"
LIBRARIES = ("click", "rich", NUMPY, "safetensors", "jaxtyping", "watchfiles", "pytest")
TORCH = "torch"
EXAM = "practice exam"
NOT_OF_THIS_COURSE = "it is of another version of the course than exams/syllabus.json"


def main() -> None:
    """Make every trial, whatever comes of the others."""
    for name in LIBRARIES:
        _try(name, lambda name=name: importlib.import_module(name))  # type: ignore[misc]
    _try(TORCH, _use_torch)
    if files := [Path(name) for name in sys.argv[1:]]:
        _try(EXAM, lambda: _read_exam(*files))


def _try(name: str, trial: Callable[[], object]) -> None:
    print(json.dumps([name, None]), flush=True)
    try:
        trial()
        reason = ""
    except BaseException as error:  # a library in pieces may raise anything, SystemExit as well
        reason = f"{type(error).__name__}: {error}"
    print(json.dumps([name, reason]), flush=True)


def _use_torch() -> None:
    """Import torch and hand numbers to NumPy and back, which fails where the two do not fit together."""
    torch = importlib.import_module(TORCH)
    torch.from_numpy(torch.zeros(1).numpy())


def _read_exam(exam: Path, syllabus: Path) -> None:
    sys.path.append(str(Path(__file__).resolve().parents[2]))  # an installed grader comes first
    try:
        from autograder.exam.files import read_exam
        from autograder.exam.syllabus import load
    except Exception:  # of a library, which has had its own trial
        return
    if read_exam(exam).syllabus != load(syllabus):
        raise ValueError(NOT_OF_THIS_COURSE)


if __name__ == "__main__":
    main()
