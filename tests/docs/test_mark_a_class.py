"""Whoever follows the guides on marking, line by line, has marks in the end."""

import json
import os
import re
import signal
import socket
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
import yaml

from autograder.workspace import Workspace

pytestmark = pytest.mark.slow

BLOCK = re.compile(r"^```sh\n(.*?)^```$", re.MULTILINE | re.DOTALL)
BIN = Path(sys.executable).parent

Follow = Callable[[str], str]


@pytest.fixture
def follow(course: Workspace, copy: Workspace) -> Follow:
    """Run the lines of a page's blocks in a copy of the course, as one session; return what they printed.

    Installing is left out: `make test` has installed the same extra.
    """

    def run(page: str) -> str:
        text = (course.root / "docs" / page).read_text(encoding="utf-8")
        lines = [line for block in BLOCK.findall(text) for line in block.splitlines() if "pip install" not in line]
        script = "\n".join(lines).replace("8786", str(free_port()))
        told = copy.root / "told"
        with told.open("w") as output:
            session = subprocess.Popen(
                ["bash", "-xc", script],
                cwd=copy.root,
                env={**os.environ, "PATH": f"{BIN}{os.pathsep}{os.environ['PATH']}"},
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=output,
                start_new_session=True,
            )
            try:
                session.wait(timeout=240)
            finally:
                os.killpg(session.pid, signal.SIGTERM)  # what was started in the background
                session.wait()
        return told.read_text()

    return run


def free_port() -> int:
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return int(found.getsockname()[1])


def scores(results: Path) -> dict[str, float]:
    found = [json.loads(path.read_bytes()) for path in (results / "marks").glob("*.json")]
    return {marks["submission"]: marks["score"] for marks in found}


def test_following_the_guide_on_a_class_marks_it(follow: Follow, copy: Workspace) -> None:
    told = follow("mark_a_class.md")

    assert scores(copy.root / "results") == {"ada": 50.0, "bob": 0.0}, told
    assert scores(copy.root / "autumn") == {"ada": 50.0, "bob": 0.0}, told
    assert "sandbox full     there" in told


def test_following_the_guide_on_a_cluster_marks_a_class(follow: Follow, copy: Workspace) -> None:
    for student in ("ada", "bob"):
        (copy.root / "class" / student).mkdir(parents=True)
        (copy.root / "class" / student / "part1_simplified.py").write_bytes(
            (copy.solutions / "part1_simplified.py").read_bytes()
        )

    told = follow("mark_on_a_cluster.md")

    assert scores(copy.root / "results") == {"ada": 25.0, "bob": 25.0}, told


def test_the_cluster_that_kubernetes_is_given_runs_dask_with_options_that_it_has(course: Workspace) -> None:
    page = (course.root / "docs" / "mark_on_a_cluster.md").read_text(encoding="utf-8")
    (text,) = re.findall(r"^```yaml\n(.*?)^```$", page, re.MULTILINE | re.DOTALL)
    spec = yaml.safe_load(text)["spec"]

    for role in ("scheduler", "worker"):
        (container,) = spec[role]["spec"]["containers"]
        command, *words = container["args"][:2]
        shown = subprocess.run([BIN / command, *words, "--help"], capture_output=True, text=True, check=True).stdout
        assert words == [role]
        assert all(word in shown for word in container["args"] if word.startswith("--"))
