"""What the tests of setting an exam share."""

import sys
from pathlib import Path

import pytest
from tiny_course import NAME, TinyCourse

from autograder.course import mistakes, parts


@pytest.fixture
def tiny(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> TinyCourse:
    """A course of two steps, from which exams are set in this process in place of the real one."""
    made = TinyCourse(tmp_path)
    monkeypatch.setattr(parts, "NAMES", (NAME,))
    for package, path in ((parts, made.data), (mistakes, made.mistakes)):
        monkeypatch.setattr(package, "__path__", [str(path.parent)])
        monkeypatch.delattr(package, NAME, raising=False)
        monkeypatch.delitem(sys.modules, f"{package.__name__}.{NAME}", raising=False)
    return made
