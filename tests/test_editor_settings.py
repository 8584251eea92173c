"""The settings for editors: every command that they name runs, every path is there, and what fails becomes a link."""

import json
import re
import shlex
import shutil
import sys
from pathlib import Path
from typing import Any

import pytest
from command import Run, attn_forked, attn_in
from course_copy import copy_course
from pytest_runs import pytest_in
from session import scripts_of

from autograder.workspace import COURSE, Workspace

PART = "part1_simplified"
WRITTEN = """

def dot_product(a, b):
    return 2 * (a * b).sum()


def softmax(scores):
    return {"scores": scores}["no such key"]
"""


def settings(name: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((COURSE.root / name).read_text(encoding="utf-8"))
    return found


TASKS = {task["label"]: task for task in settings(".vscode/tasks.json")["tasks"]}
VALUES = {
    "${command:python.interpreterPath}": sys.executable,
    "${fileBasenameNoExtension}": PART,
    "${input:step}": settings(".vscode/launch.json")["inputs"][0]["default"],
}
"""What an editor puts in place of its variables, with the first part open."""


@pytest.fixture(scope="module")
def written(course: Workspace, tmp_path_factory: pytest.TempPathFactory) -> Workspace:
    """A copy of the course with a wrong step and one that raises, and a second part that cannot be loaded."""
    workspace = copy_course(course.root, tmp_path_factory.mktemp("editor") / "course")
    with workspace.exercise(PART).open("a", encoding="utf-8") as file:
        file.write(WRITTEN)
    workspace.exercise("part2_trainable").write_text("def broken(:\n", encoding="utf-8")
    return workspace


def run(workspace: Workspace, *command: str) -> Run:
    """Run a command of the settings in a course, here or, where it runs a student's code itself, in a fork."""
    python, switch, module, *arguments = (VALUES.get(word, word) for word in command)
    assert not any("${" in word for word in arguments)
    assert (python, switch) == (sys.executable, "-m")
    if module == "pytest":
        return pytest_in(workspace, *arguments)
    assert module == "autograder"
    return (attn_forked if "--debug" in arguments else attn_in)(workspace, *arguments)


def problems(task: dict[str, Any], output: str) -> dict[tuple[str, int], str]:
    """Return what a task's problem matcher finds: the first message by file and line."""
    pattern = task["problemMatcher"]["pattern"]
    found: dict[tuple[str, int], str] = {}
    for match in re.finditer(pattern["regexp"], output, re.MULTILINE):
        found.setdefault((match[pattern["file"]], int(match[pattern["line"]])), match[pattern["message"]])
    return found


def line_of(workspace: Workspace, part: str, text: str) -> int:
    lines = workspace.exercise(part).read_text(encoding="utf-8").splitlines()
    return next(number for number, line in enumerate(lines, start=1) if text in line)


@pytest.mark.slow
def test_the_task_for_checking_links_to_the_line_that_raised(written: Workspace) -> None:
    task = TASKS["attn check"]
    shown = run(written, task["command"], *task["args"])

    assert shown.returncode == 1, shown.stderr
    assert list(problems(task, shown.stdout)) == [(f"exercises/{PART}.py", line_of(written, PART, "no such key"))]


@pytest.mark.slow
def test_the_list_of_problems_has_each_step_that_fails(written: Workspace) -> None:
    task = TASKS["list problems"]
    found = problems(task, run(written, task["command"], *task["args"]).stdout)

    assert set(found) == {
        (f"exercises/{PART}.py", line_of(written, PART, "def dot_product(a, b):")),
        (f"exercises/{PART}.py", line_of(written, PART, "no such key")),
        ("exercises/part2_trainable.py", line_of(written, "part2_trainable", "def broken(:")),
    }
    assert "expected" in found[f"exercises/{PART}.py", line_of(written, PART, "def dot_product(a, b):")]


def test_the_container_is_set_up_as_the_readme_says(course: Workspace) -> None:
    readme = (course.root / "README.md").read_text(encoding="utf-8").splitlines()
    environment, install = settings(".devcontainer/devcontainer.json")["postCreateCommand"].split(" && ")

    assert environment in readme
    assert install.removeprefix(".venv/bin/") in readme


@pytest.mark.world
def test_each_command_of_the_page_runs(course: Workspace, tmp_path: Path) -> None:
    solved = copy_course(course.root, tmp_path / "course")
    for part in solved.exercises.glob("*.py"):
        shutil.copy(course.solutions / part.name, part)
    page = (course.root / "docs" / "work_in_an_editor.md").read_text(encoding="utf-8")
    commands = [shlex.split(line) for script in scripts_of(page) for line in script.splitlines()]

    assert [command[0] for command in commands] == ["pytest"] * 3
    for _, *arguments in commands:
        shown = pytest_in(solved, *arguments)
        assert shown.returncode == 0, shown.stdout
        assert " passed" in shown.stdout
