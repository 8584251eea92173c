"""The workflow on three systems installs as the README says, has no rights that it does not need, and is one that GitHub takes.

What its tests need on macOS and Windows is there, as far as Linux can tell.
"""

import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

from autograder.workspace import Workspace

STAND_IN = Path(__file__).resolve().parent.parent / "support" / "elsewhere"

Run = subprocess.CompletedProcess[str]


@pytest.fixture(scope="module")
def workflow(course: Workspace) -> Any:
    text = (course.root / ".github" / "workflows" / "three-systems.yml").read_text(encoding="utf-8")
    return yaml.load(text, yaml.BaseLoader)  # in which `on` is a word and no truth value


@pytest.fixture(scope="module")
def job(workflow: Any) -> Any:
    (job,) = workflow["jobs"].values()
    return job


@pytest.fixture(scope="module", params=["darwin", "win32"])
def elsewhere(request: pytest.FixtureRequest) -> str:
    """Another system than Linux, as `sys.platform` calls it."""
    system: str = request.param
    return system


@pytest.fixture(scope="module")
def collected(course: Workspace, elsewhere: str) -> Run:
    """What pytest collects there of the tests that the workflow runs."""
    own = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST_")}
    return subprocess.run(
        [
            sys.executable,
            "-m",
            "pytest",
            "-p",
            "no:cacheprovider",
            "--collect-only",
            "-q",
            "-m",
            "not slow and not world",
        ],
        cwd=course.root,
        env={**own, "ELSEWHERE": elsewhere, "PYTHONPATH": str(STAND_IN)},
        capture_output=True,
        encoding="utf-8",
        timeout=300,
    )


@pytest.mark.world
def test_its_tests_can_be_collected_on(collected: Run) -> None:
    assert collected.returncode == 0, collected.stdout[-4000:]


def test_it_runs_the_tests_of_make_quick(course: Workspace, job: Any) -> None:
    makefile = (course.root / "Makefile").read_text(encoding="utf-8")
    quick = re.search(r"^quick:.*\n\t\$\(PYTEST\) (.*)$", makefile, re.MULTILINE)

    assert quick
    assert f"pytest {quick[1]}" in [step.get("run") for step in job["steps"]]
