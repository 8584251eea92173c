"""What follows a step through its cases ends with who waits for it."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from processes import alive, descendants, eventually

from autograder.workspace import Workspace

pytestmark = pytest.mark.slow

FOLLOWS = """
import sys
from pathlib import Path
from autograder.exam.files import read_exam
from autograder.exam.model import Paper
from autograder.sitting.following import follow_cases
from autograder.sitting.submission import Source, Submission

if __name__ == "__main__":
    text = "from pathlib import Path\\nPath('running').touch()\\nwhile True: pass\\n"
    submission = Submission("text", {"part1_simplified": Source.module("part1_simplified.py", text)})
    cases = read_exam(Path(sys.argv[1])).paper.of("part1_simplified", frozenset({"softmax"}))
    list(follow_cases(submission, Paper(cases), 600.0))
"""


def test_a_loop_does_not_outlive_who_was_killed(course: Workspace, tmp_path: Path) -> None:
    (tmp_path / "follows.py").write_text(FOLLOWS, encoding="utf-8")
    with subprocess.Popen([sys.executable, "follows.py", course.practice_exam], cwd=tmp_path) as waiting:
        assert eventually((tmp_path / "running").exists)
        family = descendants(waiting.pid)
        waiting.kill()

    assert family
    try:
        assert eventually(lambda: not any(map(alive, family)))
    finally:
        for pid in filter(alive, family):
            os.kill(pid, signal.SIGKILL)
