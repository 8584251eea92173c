"""The student's verbs where there is no fork: as if on macOS and on Windows.

What is not shown here, because it needs those systems: their paths, consoles and C libraries. That the environment can choose their
worker on Linux, too, and what it does with code that hangs, crashes and eats memory, is in the tests of `autograder.runner`.
"""

import json
import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from command import attn_in
from environments import lay_libraries
from in_a_row import Ended, run_in_a_row
from terminal import Terminal

from autograder.workspace import Workspace

pytestmark = [pytest.mark.slow, pytest.mark.world]

NewCourse = Callable[..., Workspace]

STAND_IN = str(Path(__file__).resolve().parents[2] / "support" / "elsewhere")
FIRST = "part1_simplified"

SYSTEMS = {
    "macOS": {"ELSEWHERE": "darwin", "PYTHONPATH": STAND_IN},
    "Windows": {"ELSEWHERE": "win32", "PYTHONPATH": STAND_IN},
}
"""By name, the environment that makes a system of this one."""

STRICT = {"PYTHONWARNDEFAULTENCODING": "1", "PYTHONWARNINGS": "always::EncodingWarning"}
"""Python says where a file is opened without its encoding, which is another one on Windows."""

OF_SOLUTIONS = ("check", FIRST, "part4", "--from", "solutions", "--json")

MISBEHAVES = """
def dot_product(a, b):
    while True:
        pass


def context_vector(weights, values):
    return torch.ones(50 * 2**30, dtype=torch.uint8).sum()
"""


@dataclass(frozen=True)
class Day:
    """What came of a student's verbs on another system, by their words."""

    ended: dict[str, Ended]
    complained: str

    def marks(self, words: str) -> dict[str, Any]:
        """The marks that a check has printed."""
        found: dict[str, Any] = json.loads(self.ended[words][1])
        return found


VERBS_WITHOUT_CODE = ("", "list", "show softmax", "hint softmax", "reset softmax", "doctor")
CHECK = f"check {FIRST}"
PYTEST = f"pytest -q -p no:cacheprovider --rootdir=. exercises/{FIRST}.py"
HANGS = f"check {FIRST} --json --timeout 1 --from misbehaves"


@pytest.fixture(scope="module", params=[pytest.param("macOS", marks=pytest.mark.world), "Windows"])
def day(request: pytest.FixtureRequest, new_course: NewCourse, tmp_path_factory: pytest.TempPathFactory) -> Day:
    workspace = new_course()
    misbehaving = new_course(solved=True, part1_simplified=MISBEHAVES)
    misbehaving.exercises.rename(workspace.root / "misbehaves")
    environment = SYSTEMS[request.param]
    quick = os.pathsep.join((STAND_IN, str(lay_libraries(tmp_path_factory.mktemp("quick") / "libraries"))))
    verbs = [*VERBS_WITHOUT_CODE, CHECK, " ".join(OF_SOLUTIONS), PYTEST, HANGS]
    words = [[f"PYTHONPATH={quick}", verb] if verb == "doctor" else verb.split() for verb in verbs]
    ended = run_in_a_row(workspace.root, *words, **environment, **STRICT)
    return Day(dict(zip(verbs, ended, strict=True)), "".join(complained for _, _, complained in ended))


@pytest.mark.parametrize("verb", VERBS_WITHOUT_CODE)
def test_verbs_that_run_no_code_work(day: Day, verb: str) -> None:
    code, printed, complained = day.ended[verb]
    assert code == 0, complained
    assert printed.strip()


def without_times(marks: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in marks.items() if name not in ("graded_at", "seconds")}


def test_the_solutions_get_the_marks_that_a_forker_gives(day: Day, course: Workspace) -> None:
    there = day.marks(" ".join(OF_SOLUTIONS))
    forked = json.loads(attn_in(course, *OF_SOLUTIONS).stdout)

    assert without_times(there) == without_times(forked)
    assert there["score"] == there["max_score"]


def test_a_step_that_hangs_costs_its_own_points(day: Day) -> None:
    verdicts = {step["step"]: step["verdict"] for step in day.marks(HANGS)["parts"][0]["steps"]}

    assert verdicts["dot_product"] == "timed_out"
    assert verdicts["softmax"] == "passed"
    assert verdicts["context_vector"] == "out_of_memory"


def test_pytest_marks_the_exercises(day: Day) -> None:
    code, printed, complained = day.ended[PYTEST]
    assert code == 0, complained
    assert "5 skipped" in printed


def test_every_file_is_opened_with_its_encoding(day: Day) -> None:
    assert [line for line in day.complained.splitlines() if "EncodingWarning" in line and "autograder" in line] == []


@pytest.mark.world
@pytest.mark.parametrize("system", SYSTEMS)
def test_watch_follows_saves_and_keys(copy: Workspace, system: str) -> None:
    path = copy.exercise(FIRST)
    written = path.read_text(encoding="utf-8") + "\n\ndef dot_product(a, b):\n    return (a * b).sum()\n"
    with Terminal(copy, "watch", **SYSTEMS[system]) as terminal:
        terminal.expect("q quit", seconds=60)
        path.write_text(written, encoding="utf-8")
        terminal.expect("· attention_scores  not attempted", seconds=60)
        terminal.press("h")
        terminal.expect("hint 1: ")
        terminal.press("q")
        assert terminal.wait() == 0
