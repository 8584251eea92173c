"""Nothing leaves the machine: no verb of a student's looks up a name, calls anybody or writes outside the checkout."""

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from environments import lay_libraries
from in_a_row import run_in_a_row
from recorded import Recorder
from terminal import Terminal

from autograder.workspace import Workspace

pytestmark = pytest.mark.world

NewCourse = Callable[..., Workspace]

DOT_PRODUCT = "\n\ndef dot_product(a, b):\n    return (a * b).sum()\n"
LEFT = "left-behind"
VERBS = (
    "",
    "list",
    "show softmax",
    "hint softmax",
    "reset softmax",
    "hint --solution dot_product",
    "check",
    "check 1.1 --debug",
    "pytest -q -p no:cacheprovider --rootdir=. exercises/part1_simplified.py",
)


@pytest.fixture(scope="module")
def checkout(new_course: NewCourse) -> Workspace:
    """A course whose first step is right, and whose second part leaves a file when it is run."""
    workspace = new_course(part1_simplified=DOT_PRODUCT)
    with workspace.exercise("part2_trainable").open("a", encoding="utf-8") as file:
        file.write(f"\n\nopen({str(workspace.root / LEFT)!r}, 'w').close()\n")
    return workspace


@pytest.fixture(scope="module")
def recorder(checkout: Workspace, tmp_path_factory: pytest.TempPathFactory) -> Recorder:
    """An hour of a student's, listened to: every verb but the watch, and pytest."""
    recorder = Recorder(tmp_path_factory.mktemp("recorded"))
    quick = lay_libraries(tmp_path_factory.mktemp("quick") / "libraries")
    doctor = [f"PYTHONPATH={recorder.environment['PYTHONPATH']}{os.pathsep}{quick}", "doctor"]
    ended = run_in_a_row(checkout.root, *(verb.split() for verb in VERBS), doctor, **recorder.environment)
    assert {code for code, _, _ in ended} == {0, 1}
    return recorder


def test_nobody_is_called(recorder: Recorder) -> None:
    assert recorder.calls == []


def test_nothing_is_written_outside_the_checkout(recorder: Recorder, checkout: Workspace) -> None:
    assert recorder.written_outside(checkout.root) == set()


def test_home_stays_empty(recorder: Recorder) -> None:
    assert list(recorder.home.iterdir()) == []


def test_the_watch_calls_nobody_and_writes_into_the_checkout_alone(checkout: Workspace, tmp_path: Path) -> None:
    recorder = Recorder(tmp_path)
    with Terminal(checkout, "watch", **recorder.environment) as terminal:
        terminal.expect("part1_simplified", 60)
        terminal.press("q")
        terminal.wait()
    assert recorder.calls == []
    assert recorder.written_outside(checkout.root) == set()
    assert list(recorder.home.iterdir()) == []


CALLING = """
import os, socket
if os.fork() == 0:
    socket.socket(socket.AF_INET, socket.SOCK_DGRAM).connect(("127.0.0.1", 9))
    open(os.path.expanduser("~/noted"), "w").close()
    os._exit(0)
os.wait()
"""


@pytest.fixture
def called(tmp_path: Path) -> Recorder:
    """What is heard of a program whose child calls somebody and writes into HOME."""
    recorder = Recorder(tmp_path)
    subprocess.run([sys.executable, "-c", CALLING], env={**os.environ, **recorder.environment}, check=True)
    return recorder


def test_a_call_would_have_been_heard(called: Recorder) -> None:
    assert ["127.0.0.1" in call for call in called.calls] == [True]


def test_a_file_in_home_would_have_been_seen(called: Recorder, tmp_path: Path) -> None:
    assert called.written_outside(tmp_path / "checkout") == {str(called.home / "noted")}
