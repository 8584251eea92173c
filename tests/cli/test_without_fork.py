"""The student's verbs where there is no fork: with the worker forced, and as if on macOS and on Windows.

What is not shown here, because it needs those systems: their paths, consoles and C libraries.
"""

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from command import attn_process as attn_in
from terminal import Terminal

from autograder.sitting.forking import CHOICE, WORKER
from autograder.workspace import Workspace

pytestmark = pytest.mark.slow

STAND_IN = str(Path(__file__).resolve().parent.parent / "support" / "elsewhere")
FIRST = "part1_simplified"

SYSTEMS = {
    "forced": {CHOICE: WORKER},
    "macOS": {"ELSEWHERE": "darwin", "PYTHONPATH": STAND_IN},
    "Windows": {"ELSEWHERE": "win32", "PYTHONPATH": STAND_IN},
}
"""By name, the environment that makes a system of this one."""

STRICT = {"PYTHONWARNDEFAULTENCODING": "1", "PYTHONWARNINGS": "always::EncodingWarning"}
"""Python says where a file is opened without its encoding, which is another one on Windows."""

MISBEHAVES = """
def dot_product(a, b):
    while True:
        pass


def attention_scores(query, inputs):
    import os
    os._exit(3)


def context_vector(weights, values):
    return torch.ones(50 * 2**30, dtype=torch.uint8).sum()
"""


@pytest.fixture(params=SYSTEMS)
def elsewhere(request: pytest.FixtureRequest) -> dict[str, str]:
    return SYSTEMS[request.param]


def unclear_encodings(stderr: str) -> list[str]:
    """Return where the grader has opened a file without saying its encoding."""
    return [line for line in stderr.splitlines() if "EncodingWarning" in line and "autograder" in line]


def without_times(marks: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in marks.items() if name not in ("graded_at", "seconds")}


def test_the_solutions_get_the_marks_that_a_forker_gives(
    course: Workspace, tmp_path: Path, elsewhere: dict[str, str]
) -> None:
    arguments = ("check", FIRST, "part4", "--from", str(course.solutions), "--json")

    forked, there = (json.loads(attn_in(course, *arguments, **how).stdout) for how in ({}, elsewhere))

    assert without_times(there) == without_times(forked)
    assert there["score"] == there["max_score"]


def test_steps_that_hang_crash_and_eat_memory_cost_their_own_points(
    new_course: Callable[..., Workspace], elsewhere: dict[str, str]
) -> None:
    workspace = new_course(solved=True, part1_simplified=MISBEHAVES)

    told = attn_in(workspace, "check", FIRST, "--json", "--timeout", "5", **elsewhere)

    verdicts = {step["step"]: step["verdict"] for step in json.loads(told.stdout)["parts"][0]["steps"]}
    assert verdicts["dot_product"] == "timed_out"
    assert verdicts["attention_scores"] == "crashed"
    assert verdicts["softmax"] == "passed"


@pytest.mark.parametrize("system", ["macOS", "Windows"])
@pytest.mark.parametrize("verb", ["", "list", "show softmax", "hint softmax", "reset softmax --yes", "doctor"])
def test_verbs_that_run_no_code_work(copy: Workspace, system: str, verb: str) -> None:
    told = attn_in(copy, *verb.split(), **SYSTEMS[system], **STRICT)

    assert told.returncode == 0, told.stderr
    assert told.stdout.strip()
    assert unclear_encodings(told.stderr) == []


def test_the_first_check_opens_every_file_with_its_encoding(copy: Workspace, elsewhere: dict[str, str]) -> None:
    told = attn_in(copy, "check", FIRST, **elsewhere, **STRICT)

    assert told.returncode == 1, told.stderr
    assert "not attempted" in told.stdout
    assert unclear_encodings(told.stderr) == []


def test_watch_follows_saves_and_keys(copy: Workspace, elsewhere: dict[str, str]) -> None:
    path = copy.exercise(FIRST)
    written = path.read_text(encoding="utf-8") + "\n\ndef dot_product(a, b):\n    return (a * b).sum()\n"
    with Terminal(copy, "watch", **elsewhere) as terminal:
        terminal.expect("q quit", seconds=60)
        path.write_text(written, encoding="utf-8")
        terminal.expect("· attention_scores  not attempted", seconds=60)
        terminal.press("h")
        terminal.expect("hint 1: ")
        terminal.press("q")
        assert terminal.wait() == 0


def test_pytest_marks_the_exercises(new_course: Callable[..., Workspace], elsewhere: dict[str, str]) -> None:
    workspace = new_course(solved=True)

    told = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", f"exercises/{FIRST}.py"],
        cwd=workspace.root,
        env={**os.environ, **elsewhere},
        capture_output=True,
        encoding="utf-8",
        timeout=120,
    )

    assert told.returncode == 0, told.stdout + told.stderr
    assert "passed" in told.stdout
