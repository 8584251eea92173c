"""`attn show --notebook`: which notebook it opens, that it makes a missing one and leaves a present one alone, and a real Jupyter."""

import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import nbformat
import pytest
from command import attn_in

from autograder.cli.student import JUPYTERS
from autograder.exam.model import Exam
from autograder.workspace import Workspace

Run = Callable[..., "subprocess.CompletedProcess[str]"]


class Became(SystemExit):
    """This process would be another one now."""


@pytest.fixture
def run(attn: Run, monkeypatch: pytest.MonkeyPatch) -> Run:
    """Run the command where the program that takes this process's place is printed."""

    def become(program: str, command: list[str]) -> None:
        print("became", *command)
        raise Became(0)

    monkeypatch.setattr(os, "execv", become)
    return lambda *arguments: attn("show", "--notebook", *arguments)


def test_without_a_part_it_opens_that_of_the_next_step(run: Run, copy: Workspace) -> None:
    done = run()

    assert done.returncode == 0, done.stderr
    path = copy.notebook("part1_simplified")
    assert done.stdout.splitlines() == [
        "Attention with nothing to learn: notebooks/part1_simplified.ipynb",
        f"became {sys.executable} -P -m notebook --ServerApp.root_dir={copy.root} {path}",
    ]


def test_a_notebook_that_is_there_is_left_as_it_is(run: Run, copy: Workspace) -> None:
    run("1")
    path = copy.notebook("part1_simplified")
    path.write_text("mine", encoding="utf-8")

    assert "became" in run("1").stdout
    assert path.read_text(encoding="utf-8") == "mine"


def test_the_made_notebook_holds_every_step_as_a_stub_and_loads_the_grader(
    run: Run, copy: Workspace, practice: Exam
) -> None:
    part = practice.syllabus.part("part4_multihead")
    run(part.name)
    notebook = nbformat.read(copy.notebook(part.name), as_version=4)
    cells = {cell.id: cell.source for cell in notebook.cells}

    nbformat.validate(notebook)
    assert cells["setup"].startswith("try:\n    %load_ext autograder\nexcept ModuleNotFoundError:")
    for step in part.steps:
        assert f"## Step {step.number}: `{step.name}`" in cells[f"about_{step.name}"]
        assert f"# TODO {step.number}:" in cells[step.name]
        assert "raise NotImplementedError" in cells[step.name]


@pytest.mark.world
@pytest.mark.slow
def test_a_module_in_the_folder_of_the_course_does_not_run_in_place_of_jupyter(run: Run, copy: Workspace) -> None:
    (copy.root / "notebook.py").write_text("print('not Jupyter')\n")
    program = run("1").stdout.partition("became ")[2].split(" --")[0].split()

    done = subprocess.run([*program, "--version"], cwd=copy.root, capture_output=True, text=True, check=False)

    assert re.fullmatch(r"[\d.]+\n", done.stdout), done.stderr


@pytest.fixture
def without_jupyter(copy: Workspace, monkeypatch: pytest.MonkeyPatch) -> "subprocess.CompletedProcess[str]":
    """What the command says in a folder of the course where there is no Jupyter."""
    for name in JUPYTERS:
        monkeypatch.setitem(sys.modules, name, None)
    return attn_in(Workspace(copy.exercises), "show", "--notebook")


def test_without_jupyter_it_says_so_and_makes_nothing(
    without_jupyter: "subprocess.CompletedProcess[str]", copy: Workspace
) -> None:
    assert without_jupyter.returncode == 2
    assert "Jupyter is not installed here." in without_jupyter.stderr
    assert not (copy.root / "notebooks").exists()


@pytest.mark.world
def test_the_real_jupyter_says_where_the_notebook_is_served(copy: Workspace, tmp_path: Path) -> None:
    (tmp_path / "jupyter_server_config.py").write_text(
        "c = get_config()\nc.ServerApp.allow_root = True\nc.ServerApp.port = 0\nc.ExtensionApp.open_browser = False\n"
    )
    environment = {**os.environ, "JUPYTER_CONFIG_DIR": str(tmp_path), "JUPYTER_RUNTIME_DIR": str(tmp_path)}
    command = [str(Path(sys.executable).with_name("attn")), "show", "--notebook"]
    with subprocess.Popen(command, cwd=copy.root, env=environment, stderr=subprocess.PIPE, text=True) as jupyter:
        assert jupyter.stderr
        served = next(line for line in jupyter.stderr if "Serving notebooks from" in line)
        address = next(line for line in jupyter.stderr if "http://" in line)
        jupyter.kill()  # while it starts, it may lose a polite request

    assert str(copy.root) in served
    assert re.search(r"http://\S+/tree\?token=\w+", address)
