"""`attn notebook`: which notebook it opens, that it makes a missing one and leaves a present one alone, and a real Jupyter."""

import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import nbformat
import pytest
from secrets_of import lines_of_solutions, squeezed

from autograder.exam.model import Exam
from autograder.workspace import Workspace

pytestmark = pytest.mark.slow

Run = Callable[..., "subprocess.CompletedProcess[str]"]

JUPYTER = "import sys\nprint('opened', *sys.argv[1:])\n"


@pytest.fixture
def run(attn: Run, tmp_path: Path) -> Run:
    """Run the command where Jupyter is a module that says what it was asked for."""
    (tmp_path / "stand_in").mkdir()
    (tmp_path / "stand_in" / "notebook.py").write_text(JUPYTER)
    return lambda *arguments: attn("notebook", *arguments, PYTHONPATH=str(tmp_path / "stand_in"))


def test_without_a_part_it_opens_that_of_the_next_step(run: Run, copy: Workspace) -> None:
    done = run()

    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines() == [
        "Attention without weights: notebooks/part1_simplified.ipynb",
        f"opened --ServerApp.root_dir={copy.root} {copy.notebook('part1_simplified')}",
    ]


def test_a_part_by_its_number_is_opened(run: Run) -> None:
    assert "notebooks/part3_causal.ipynb" in run("3").stdout


def test_a_notebook_that_is_there_is_left_as_it_is(run: Run, copy: Workspace) -> None:
    run("1")
    path = copy.notebook("part1_simplified")
    path.write_text("mine", encoding="utf-8")

    assert "opened" in run("1").stdout
    assert path.read_text(encoding="utf-8") == "mine"


def test_the_made_notebook_holds_every_step_as_a_stub_and_loads_the_grader(
    run: Run, copy: Workspace, practice: Exam
) -> None:
    part = practice.syllabus.part("part4_multihead")
    run(part.name)
    notebook = nbformat.read(copy.notebook(part.name), as_version=4)
    cells = {cell.id: cell.source for cell in notebook.cells}

    nbformat.validate(notebook)
    assert cells["setup"].endswith("%load_ext autograder")
    for step in part.steps:
        assert f"## Step {step.number}: `{step.name}`" in cells[f"about_{step.name}"]
        assert f"# TODO {step.number}:" in cells[step.name]
        assert "raise NotImplementedError" in cells[step.name]


def test_no_line_of_a_solution_is_in_a_made_notebook(
    run: Run, copy: Workspace, course: Workspace, practice: Exam
) -> None:
    run("4")
    text = squeezed(copy.notebook("part4_multihead").read_text(encoding="utf-8"))

    assert [line for line in lines_of_solutions(course, practice.syllabus) if line in text] == []


def test_a_part_that_is_not_there_is_told(run: Run) -> None:
    done = run("9")

    assert done.returncode == 2
    assert "There is no part or step `9`." in done.stderr


def test_without_jupyter_it_says_what_to_install_and_makes_nothing(attn: Run, copy: Workspace, tmp_path: Path) -> None:
    (tmp_path / "sitecustomize.py").write_text(
        "import sys\nsys.modules |= dict.fromkeys(('notebook', 'jupyterlab'))\n", encoding="utf-8"
    )
    done = attn("notebook", PYTHONPATH=str(tmp_path))

    assert done.returncode == 2
    assert "python -m pip install notebook" in re.sub(r"\s+", " ", done.stderr)
    assert not (copy.root / "notebooks").exists()


def test_the_real_jupyter_says_where_the_notebook_is_served(copy: Workspace, tmp_path: Path) -> None:
    (tmp_path / "jupyter_server_config.py").write_text(
        "c = get_config()\nc.ServerApp.allow_root = True\nc.ServerApp.port = 0\nc.ExtensionApp.open_browser = False\n"
    )
    environment = {**os.environ, "JUPYTER_CONFIG_DIR": str(tmp_path), "JUPYTER_RUNTIME_DIR": str(tmp_path)}
    command = [str(Path(sys.executable).with_name("attn")), "notebook"]
    with subprocess.Popen(command, cwd=copy.root, env=environment, stderr=subprocess.PIPE, text=True) as jupyter:
        assert jupyter.stderr
        served = next(line for line in jupyter.stderr if "Serving notebooks from" in line)
        address = next(line for line in jupyter.stderr if "http://" in line)
        jupyter.kill()  # while it starts, it may lose a polite request

    assert str(copy.root) in served
    assert re.search(r"http://\S+/tree\?token=\w+", address)
