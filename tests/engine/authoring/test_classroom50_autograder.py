"""The autograder for Classroom 50, run as its runner runs it; its workflow and its runtime."""

import json
import os
import runpy
import shutil
import subprocess
import sys
from collections.abc import Callable
from contextlib import chdir
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from classroom50 import ENVIRONMENT
from command import ATTN, Run, attn_in
from small_class import exam_on

from autograder.authoring.autograders import for_classroom50
from autograder.exam.files import write_exam
from autograder.exam.model import Exam
from autograder.workspace import Workspace

PART = "part1_simplified"

Script = Callable[[Path], list[list[str]]]


@pytest.fixture
def schema(course: Workspace) -> Any:
    path = course.root / "tests" / "engine" / "classroom" / "exports" / "schemas" / "classroom50.schema.json"
    return json.loads(path.read_text(encoding="utf-8"))


@pytest.fixture
def script(course: Workspace, practice: Exam, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Script:
    """Run the script in a checkout with the verbs in this process; return what it asked Python for."""
    write_exam(exam_on(practice, PART), tmp_path / "class.exam")
    files = for_classroom50(course, [PART], (tmp_path / "class.exam").read_bytes())
    for name in ("autograder.py", "class.exam"):
        (tmp_path / name).write_bytes(files[name])
    asked: list[list[str]] = []

    def run_here(command: list[str | Path], cwd: Path, check: bool) -> Run:
        words = list(map(str, command[1:]))
        assert cwd == tmp_path / "course"
        asked.append(words)
        return attn_in(course, *words[2:]) if words[0] == "-c" else subprocess.CompletedProcess(words, 0)

    def run(checkout: Path) -> list[list[str]]:
        with monkeypatch.context() as patch, chdir(checkout):
            patch.setattr(subprocess, "run", run_here)
            for name, value in ENVIRONMENT.items():
                patch.setenv(name, value)
            runpy.run_path(str(tmp_path / "autograder.py"))
        return asked

    return run


@pytest.mark.slow
def test_the_script_installs_the_grader_marks_in_the_kernels_sandbox_and_writes_the_result(
    script: Script, checkout: Path, course: Workspace, schema: Any
) -> None:
    shutil.copy(course.solutions / f"{PART}.py", checkout / "exercises")

    install, grade, export = script(checkout)

    made = json.loads((checkout / "result.json").read_text(encoding="utf-8"))
    jsonschema.validate(made, schema)
    assert (made["owner"], made["score"], made["max-score"]) == ("ada", 2500, 2500)
    assert install[:3] == ["-m", "pip", "install"]
    assert (grade[2], export[2]) == ("grade", "export")
    assert " ".join(grade).endswith(f"--sandbox kernel --jobs 1 --part {PART}")


@pytest.mark.slow
def test_of_a_checkout_the_script_marks_the_exercises_alone(script: Script, checkout: Path, course: Workspace) -> None:
    shutil.copy(course.solutions / f"{PART}.py", checkout)
    (checkout / "exercises" / f"{PART}.py").write_text("def dot_product(a, b):\n    return 1\n")

    script(checkout)

    assert json.loads((checkout / "result.json").read_text(encoding="utf-8"))["score"] == 0


# The bundle as it is published


@pytest.fixture(scope="module")
def bundle(course: Workspace, class_exam: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What an instructor publishes, as the command makes it."""
    folder = tmp_path_factory.mktemp("classroom50") / "bundle"
    command = [ATTN, "release", "--for", "classroom50", "--exam", class_exam, "--part", "1", "--out", folder]
    subprocess.run(command, cwd=course.root, check=True, capture_output=True)
    return folder


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    folder = tmp_path / "checkout"
    (folder / "exercises").mkdir(parents=True)
    return folder


def run_autograder(bundle: Path, checkout: Path) -> "subprocess.CompletedProcess[str]":
    """Run the script as Classroom 50's runner does, but for pip: what it would install is installed."""
    no_pip = bundle / "no_pip"
    no_pip.mkdir(exist_ok=True)
    (no_pip / "pip.py").write_text("")
    environment = {**os.environ, **ENVIRONMENT, "PYTHONPATH": str(no_pip)}
    return subprocess.run(
        [sys.executable, str(bundle / "autograder.py")],
        cwd=checkout,
        env=environment,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=200,
    )


@pytest.mark.slow
@pytest.mark.world
def test_the_autograder_writes_the_result_of_the_checkout_that_it_is_called_in(
    bundle: Path, checkout: Path, course: Workspace, schema: Any
) -> None:
    shutil.copy(course.solutions / "part1_simplified.py", checkout / "exercises")

    done = run_autograder(bundle, checkout)

    assert done.returncode == 0, done.stderr
    made = json.loads((checkout / "result.json").read_text(encoding="utf-8"))
    jsonschema.validate(made, schema)
    assert (made["owner"], made["score"], made["max-score"]) == ("ada", 2500, 2500)


@pytest.mark.slow
@pytest.mark.world
def test_a_grader_of_the_students_own_is_not_run(bundle: Path, checkout: Path) -> None:
    shutil.copytree(bundle / "course", checkout, dirs_exist_ok=True)
    (checkout / "autograder" / "cli" / "main.py").write_text("raise SystemExit('hijacked')")
    (checkout / "exercises" / "part1_simplified.py").write_text("def dot_product(a, b):\n    return 1\n")

    done = run_autograder(bundle, checkout)

    assert "hijacked" not in done.stdout + done.stderr
    assert json.loads((checkout / "result.json").read_text(encoding="utf-8"))["score"] < 2500


@pytest.mark.slow
@pytest.mark.world
def test_a_broken_machine_is_an_error_and_no_result(bundle: Path, checkout: Path, tmp_path: Path) -> None:
    without_exam = tmp_path / "bundle"
    shutil.copytree(bundle, without_exam, ignore=shutil.ignore_patterns("class.exam"))

    done = run_autograder(without_exam, checkout)

    assert done.returncode == 2
    assert "class.exam" in done.stderr
    assert not (checkout / "result.json").exists()
