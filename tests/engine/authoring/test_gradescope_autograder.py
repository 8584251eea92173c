"""The autograder for Gradescope, run as Gradescope runs it: set up once, then one submission after the other."""

import io
import json
import re
import shutil
import subprocess
import sys
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click
import pytest
from command import ATTN
from environments import Run, run_program

from autograder.authoring.autograders import for_gradescope
from autograder.cli.main import attn
from autograder.workspace import Workspace

PART = "part1_simplified"

Submit = Callable[[str], dict[str, Any]]


@pytest.fixture(scope="module")
def gradescope(course: Workspace, class_exam: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Gradescope's folder, in which its setup has run, from the zip that the command makes."""
    folder = tmp_path_factory.mktemp("gradescope")
    zipped = folder / "autograder.zip"
    command = [ATTN, "release", "--for", "gradescope", "--exam", class_exam, "--part", "1", "--out", zipped]
    subprocess.run(command, cwd=course.root, check=True, capture_output=True)
    subprocess.run([sys.executable, "-m", "zipfile", "-e", zipped, folder / "source"], check=True)
    done = run(folder, "setup.sh")
    assert done.returncode == 0, done.stderr
    return folder


def run(folder: Path, script: str) -> Run:
    return run_program(Path("/"), "bash", folder / "source" / script, AUTOGRADER=str(folder))


@pytest.fixture
def submit(gradescope: Path) -> Submit:
    def mark(text: str) -> dict[str, Any]:
        for name in ("submission", "results"):
            shutil.rmtree(gradescope / name, ignore_errors=True)
            (gradescope / name).mkdir()
        (gradescope / "submission" / f"{PART}.py").write_text(text, encoding="utf-8")
        done = run(gradescope, "run_autograder")
        assert done.returncode == 0, done.stderr
        found: dict[str, Any] = json.loads((gradescope / "results" / "results.json").read_bytes())
        return found

    return mark


@pytest.mark.slow
@pytest.mark.world
def test_a_right_submission_has_all_points(submit: Submit, course: Workspace) -> None:
    found = submit((course.solutions / f"{PART}.py").read_text(encoding="utf-8"))

    assert found["score"] == 25.0
    assert {test["status"] for test in found["tests"]} == {"passed"}
    assert len(found["tests"]) == 5


@pytest.mark.slow
@pytest.mark.world
def test_a_submission_cannot_write_its_own_results(submit: Submit, gradescope: Path) -> None:
    results = gradescope / "results" / "results.json"
    found = submit(f"open({str(results)!r}, 'w').write('{{\"score\": 25}}')\n")

    assert found["score"] == 0.0


FAKE = """#!/bin/sh
echo "$@" >> "$AUTOGRADER/asked"
case "$*" in *"--sandbox {refused}"*) echo "no sandbox here"; exit 1;; esac
"""
"""Stands for `attn`: notes how it was called, and refuses a level of the sandbox."""


@pytest.fixture
def called(course: Workspace, tmp_path: Path) -> Callable[[str], list[list[str]]]:
    """Run the script of the zip where the levels that begin so are refused; return how it called `attn`."""
    content = for_gradescope(course, [PART], b"an exam")
    (tmp_path / "source" / ".venv" / "bin").mkdir(parents=True)
    (tmp_path / "submission").mkdir()
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        archive.extract("run_autograder", tmp_path / "source")

    def call(refused: str) -> list[list[str]]:
        fake = tmp_path / "source" / ".venv" / "bin" / "attn"
        fake.write_text(FAKE.format(refused=refused))
        fake.chmod(0o755)
        assert run(tmp_path, "run_autograder").returncode == 0
        return [line.split() for line in (tmp_path / "asked").read_text().splitlines()]

    return call


@pytest.mark.slow
def test_the_script_marks_in_the_strongest_sandbox_that_there_is_and_exports(
    called: Callable[[str], list[list[str]]], tmp_path: Path
) -> None:
    *tried, export = called("full")

    assert [words[words.index("--sandbox") + 1] for words in tried] == ["full", "kernel"]
    assert {words[0] for words in tried} == {"grade"}
    assert export[0] == "export"
    assert export[-1] == str(tmp_path / "results" / "results.json")
    for words in (*tried, export):
        verb = attn.get_command(click.Context(attn), words[0])
        assert verb
        assert verb.make_context(words[0], words[1:]).params["parts"] == (PART,)


@pytest.mark.slow
def test_the_script_asks_for_the_instructor_where_no_sandbox_can_be_had(
    called: Callable[[str], list[list[str]]], tmp_path: Path
) -> None:
    tried = called("")

    found = json.loads((tmp_path / "results" / "results.json").read_bytes())
    assert [words[0] for words in tried] == ["grade", "grade"]
    assert found["score"] == 0
    assert "tell your instructor" in found["output"]
    assert "no sandbox here" in found["output"]


def test_the_zip_holds_no_solution_and_no_known_mistake(course: Workspace) -> None:
    content = for_gradescope(course, [PART], b"an exam")
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        names = archive.namelist()
        modes = {name: archive.getinfo(name).external_attr >> 16 for name in names}

    assert {"setup.sh", "run_autograder", "class.exam"} <= set(names)
    assert not [name for name in names if re.search("solutions|mistakes|setting|publishing", name)]
    assert modes["run_autograder"] == 0o755
