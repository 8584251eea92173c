"""The workflow of every night runs all tests."""

import re
from typing import Any

import pytest
import yaml

from autograder.workspace import Workspace


@pytest.fixture(scope="module")
def workflow(course: Workspace) -> Any:
    text = (course.root / ".github" / "workflows" / "nightly.yml").read_text(encoding="utf-8")
    return yaml.load(text, yaml.BaseLoader)  # in which `on` is a word and no truth value


@pytest.fixture(scope="module")
def commands(workflow: Any) -> list[str]:
    (job,) = workflow["jobs"].values()
    return [step["run"] for step in job["steps"] if "run" in step]


def test_it_runs_once_a_night(workflow: Any) -> None:
    (when,) = workflow["on"]["schedule"]

    assert re.fullmatch(r"\d+ \d+ \* \* \*", when["cron"])


def test_it_runs_all_tests(commands: list[str], course: Workspace) -> None:
    makefile = (course.root / "Makefile").read_text(encoding="utf-8")

    assert commands[-1] == "make test-all"
    assert "\ntest-all: system .venv/dev.stamp\n\t$(PYTEST)\n" in makefile


def test_it_may_only_read(workflow: Any) -> None:
    assert workflow["permissions"] == {"contents": "read"}
