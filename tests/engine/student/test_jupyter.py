"""The grader in a notebook: what `check` shows and what stands below a step's cell, of what was run. At the end, in real kernels."""

import os
import re
import select
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from course_copy import copy_course
from environments import lay_package
from kernel import PATIENCE, Kernel, open_kernel
from processes import alive, descendants, eventually
from screen_text import one_line
from shell import Shell

from autograder.student.progress import load_progress
from autograder.workspace import Workspace

SETUP = "%load_ext autograder\n\nimport torch\nfrom torch import Tensor, nn"
WRONG = "def softmax(scores):\n    return scores.exp() / scores.exp().sum(dim=0, keepdim=True)"
RIGHT = "def softmax(scores):\n    return torch.softmax(scores.double(), dim=-1).to(scores.dtype)"
ALLOWED = RIGHT.replace(
    "torch.softmax(scores.double(), dim=-1).to(scores.dtype)", "exponentials / exponentials.sum(-1, True)"
)
SOFTMAX = ALLOWED.replace(
    "    return", "    exponentials = (scores - scores.amax(dim=-1, keepdim=True)).exp()\n    return"
)


DOT_PRODUCT = "def dot_product(a, b):\n    return (a * b).sum()"
OTHER = "def dot_product(a, b):\n    products = a * b - a\n    return products.sum()"


@pytest.fixture
def shell(copy: Workspace) -> Iterator[Shell]:
    with Shell(copy.root) as started:
        assert not started.run(SETUP, "setup").errors
        yield started


def test_a_wrong_step_shows_what_the_command_line_shows(
    shell: Shell, copy: Workspace, attn: Callable[..., "subprocess.CompletedProcess[str]"]
) -> None:
    copy.exercise("part1_simplified").write_text("import torch\n" + WRONG + "\n")

    shell.run(WRONG, "softmax")
    shown = shell.run('check("part1_simplified.softmax")', "test")

    command = attn("check", "part1_simplified.softmax").stdout
    expected = command.partition("\n\n3 of 8 points")[0]
    assert "Your columns add up to 1 instead of your rows" in expected
    assert "yours" in expected
    assert re.split(r"\s+", shown.text.strip()) == re.split(r"\s+", expected.strip())
    assert "Your columns add up to 1" in shown.html
    assert shown.result == "3.0"


def test_the_page_on_notebooks_shows_what_check_shows(shell: Shell, copy: Workspace) -> None:
    page = (copy.root / "docs" / "work_in_a_notebook.md").read_text(encoding="utf-8")
    [(call, marks, points)] = re.findall(
        r"```python\n(check.*?)\n```\n\n```text\n(.*?)\nOut\[3\]: (.*?)\n```", page, re.DOTALL
    )
    shell.run(DOT_PRODUCT, "dot_product")
    shell.run(SOFTMAX, "softmax")

    shown = shell.run(call, "test")

    assert shown.text.split() == marks.split()
    assert shown.result == points


@pytest.mark.world
@pytest.mark.slow
def test_an_endless_loop_is_ended_and_the_next_check_works(shell: Shell) -> None:
    shell.run("def softmax(scores):\n    while True: pass", "softmax")
    looping = shell.run('check("part1_simplified.softmax", timeout=0.5)', "test")
    shell.run(SOFTMAX, "softmax")

    assert "timed out" in looping.text
    assert shell.run('check("part1_simplified.softmax")', "test").result == "8.0"


@pytest.mark.parametrize(
    "known_by", ["__vsc_ipynb_file__ = '/home/ada/part1_simplified.ipynb'", "def dot_product(): pass"]
)
def test_without_a_name_the_part_of_the_notebook_is_marked(shell: Shell, known_by: str) -> None:
    shell.run(known_by, "known")
    shell.run(SOFTMAX, "softmax")
    shown = shell.run("check()", "test")

    assert "part1_simplified" in shown.text
    assert "part2_trainable" not in shown.text
    assert shown.result == "8.0"


def test_a_step_of_several_parts_is_that_of_the_next_step(shell: Shell) -> None:
    shown = shell.run("def attention_scores(query, inputs):\n    return inputs @ query", "scores")

    assert "part1_simplified" in shown.text


@pytest.mark.parametrize(
    ("call", "told"),
    [
        ('check("softmacks")', "softmacks"),
        ("check()", "It is unclear which part this notebook belongs to. Name a step or a part: "),
        ('check("softmax", exam="class")', "There is no class.exam in this folder or above it."),
    ],
)
def test_what_cannot_be_checked_is_told_without_a_traceback(shell: Shell, call: str, told: str) -> None:
    shown = shell.run(call, "test")

    assert len(shown.errors) == 1
    assert told in shown.errors[0]
    assert "\n  File" not in shown.errors[0]
    assert shown.result is None


@pytest.fixture
def searching(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ATTN_CAUSES", "full")


@pytest.mark.usefixtures("searching")
def test_the_cause_of_a_wrong_step_is_underlined_in_its_line_and_told_one_rung_after_the_other(shell: Shell) -> None:
    shown = shell.run(OTHER, "dot_product")

    assert re.search(r"products = a \* b - a\n +\^{9}\n", shown.text)
    assert re.search(r"What is wrong\?.+How to mend it.+Tested: all", one_line(shown.text))
    assert re.search(r"this notebook, cell \d+, line 2:.*products = <mark>.*a \* b - a", shown.html)
    assert re.search(r"<summary>What is wrong\?</summary>.*<summary>How to mend it</summary>.*Tested: all", shown.html)


def test_a_step_that_passes_is_remembered_and_one_that_does_not_takes_nothing_back(
    shell: Shell, copy: Workspace
) -> None:
    shell.run(DOT_PRODUCT, "dot_product")
    shell.run(DOT_PRODUCT.replace("sum", "mean"), "dot_product")

    assert load_progress(copy).passed("part1_simplified.dot_product")


def test_after_a_restart_what_was_not_run_again_is_missing(shell: Shell) -> None:
    shell.run(DOT_PRODUCT, "dot_product")
    shell.restart()
    shell.run(SETUP, "setup")
    shell.run(SOFTMAX, "softmax")
    shown = shell.run('check("part1_simplified")', "test")

    assert re.search(r"✗ dot_product +missing", shown.text)
    assert "after a restart, run all cells" in shown.text
    assert shown.result == "8.0"


def in_terminal(folder: Path, *lines: str) -> str:
    """Let IPython run lines that are typed; return what it prints."""
    command = [sys.executable, "-m", "IPython", "--simple-prompt", "--no-banner", "--colors=nocolor"]
    typed = "".join(f"{line}\n" for line in lines)
    done = subprocess.run(
        command, cwd=folder, input=typed, capture_output=True, text=True, encoding="utf-8", timeout=60
    )
    return done.stdout + done.stderr


@pytest.mark.slow
def test_an_extension_that_cannot_be_loaded_says_so_in_a_sentence(
    copy: Workspace, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    lay_package(tmp_path / "broken", "numpy", "1.0", __init__='raise ValueError("numpy.dtype size changed")')
    monkeypatch.setenv("PYTHONPATH", str(tmp_path / "broken"))
    shown = in_terminal(copy.root, "%load_ext autograder")

    told = "a part of the installation is missing or broken (numpy.dtype size changed). `attn doctor` says which"
    assert told in shown
    assert "Traceback" not in shown


@pytest.fixture(scope="module")
def place(course: Workspace, tmp_path_factory: pytest.TempPathFactory) -> Workspace:
    """A copy of the course in which the tests of real kernels work one after the other."""
    return copy_course(course.root, tmp_path_factory.mktemp("notebook") / "course")


@pytest.fixture(scope="module")
def kernel(place: Workspace) -> Iterator[Kernel]:
    """A kernel at work in that copy."""
    with open_kernel(place.root) as started:
        assert not started.run(SETUP, "setup").errors
        yield started


@pytest.mark.slow
def test_a_kernel_sends_what_was_marked_as_html_and_as_text(kernel: Kernel) -> None:
    below = kernel.run(WRONG, "softmax")
    checked = kernel.run('check("softmax")', "test")

    for shown in (below, checked):
        assert "Your columns add up to 1" in shown.html
        assert "Your columns add up to 1" in shown.text
        assert shown.errors == []
    assert (below.result, checked.result) == (None, "3.0")


@pytest.mark.slow
def test_an_interrupt_ends_the_marking_and_the_next_cell_is_marked(kernel: Kernel, tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "begun")
    pipe = os.open(tmp_path / "begun", os.O_RDONLY | os.O_NONBLOCK)
    loop = f"def softmax(scores):\n    open({str(tmp_path / 'begun')!r}, 'w').write('!')\n    while True: pass"

    def interrupt() -> None:
        assert select.select([pipe], [], [], PATIENCE)[0]
        kernel.interrupt()

    looping = kernel.run(loop, "softmax", meanwhile=interrupt)
    os.close(pipe)

    assert "Interrupted: run the cell again to mark it." in looping.text
    assert looping.errors == []
    assert "8 / 8" in kernel.run(SOFTMAX, "softmax").text


@pytest.mark.world
def test_a_restart_in_mid_marking_leaves_no_process_and_the_next_cell_is_marked(kernel: Kernel, tmp_path: Path) -> None:
    begun = tmp_path / "begun"
    kernel.send(f"def softmax(scores):\n    open({str(begun)!r}, 'w').close()\n    while True: pass", "softmax")
    assert eventually(begun.exists)
    family = descendants(kernel.pid)

    kernel.restart()

    assert family
    assert eventually(lambda: not any(map(alive, family)))
    kernel.run(SETUP, "setup")
    assert "8 / 8" in kernel.run(SOFTMAX, "softmax").text
