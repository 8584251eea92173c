"""`check` in a real kernel: the same verdict, picture and diagnosis as on the command line, of what the kernel has run."""

import re
import shutil
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from kernel import Kernel, open_kernel

from autograder.workspace import Workspace

pytestmark = pytest.mark.slow

SETUP = "%load_ext autograder.jupyter\n\nimport torch\nfrom torch import Tensor, nn"
STUB = "def softmax(scores):\n    # TODO 3\n    raise NotImplementedError"
WRONG = "def softmax(scores):\n    return scores.exp() / scores.exp().sum(dim=0, keepdim=True)"
RIGHT = "def softmax(scores):\n    return torch.softmax(scores.double(), dim=-1).to(scores.dtype)"
ALLOWED = RIGHT.replace(
    "torch.softmax(scores.double(), dim=-1).to(scores.dtype)", "exponentials / exponentials.sum(-1, True)"
)
SOFTMAX = ALLOWED.replace(
    "    return", "    exponentials = (scores - scores.amax(dim=-1, keepdim=True)).exp()\n    return"
)


@pytest.fixture
def kernel(copy: Workspace) -> Iterator[Kernel]:
    with open_kernel(copy.root) as started:
        assert not started.run(SETUP, "setup").errors
        yield started


def test_a_wrong_step_shows_what_the_command_line_shows(
    kernel: Kernel, copy: Workspace, attn: Callable[..., "subprocess.CompletedProcess[str]"]
) -> None:
    copy.exercise("part1_simplified").write_text("import torch\n" + WRONG + "\n")

    kernel.run(WRONG, "softmax")
    shown = kernel.run('check("part1_simplified.softmax")', "test")

    command = attn("check", "part1_simplified.softmax").stdout
    expected = command.partition("\n\n1.5 of 8 points")[0]
    assert "Your columns add up to 1 instead of your rows" in expected
    assert "difference" in expected
    assert re.split(r"\s+", shown.text.strip()) == re.split(r"\s+", expected.strip())
    assert "Your columns add up to 1" in shown.html
    assert shown.result == "1.5"


def test_a_right_step_returns_its_points(kernel: Kernel) -> None:
    kernel.run(SOFTMAX, "softmax")

    assert kernel.run('check("softmax")', "test").result == "8.0"


def test_a_stub_is_not_attempted_and_has_no_points(kernel: Kernel) -> None:
    kernel.run(STUB, "softmax")
    shown = kernel.run('check("part1_simplified.softmax")', "test")

    assert "not attempted" in shown.text
    assert shown.result == "0.0"


def test_what_a_step_forbids_is_found_in_a_notebook_too(kernel: Kernel) -> None:
    kernel.run(RIGHT, "softmax")

    assert "forbidden" in kernel.run('check("part1_simplified.softmax")', "test").text


def test_a_cell_that_was_changed_and_run_again_counts_as_it_is_now(kernel: Kernel) -> None:
    kernel.run(WRONG, "softmax")
    kernel.run(SOFTMAX, "softmax")

    assert kernel.run('check("part1_simplified.softmax")', "test").result == "8.0"


def test_running_the_imports_again_does_not_put_them_behind_what_needs_them(kernel: Kernel) -> None:
    module = "class CausalAttention(nn.Module):\n    pass"
    kernel.run(module, "class")
    kernel.run(SETUP, "setup")

    assert "no module" not in kernel.run('check("part3_causal.CausalAttention")', "test").text
    assert "NameError" not in kernel.run('check("part3_causal.CausalAttention")', "test").text


def test_a_cell_that_was_run_before_what_it_needs_counts_as_run_last(kernel: Kernel) -> None:
    step = "exponentials = helper()\n" + SOFTMAX
    kernel.run(step, "softmax")
    kernel.run("def helper():\n    return 1", "helper")
    kernel.run(step, "softmax")

    assert kernel.run('check("part1_simplified.softmax")', "test").result == "8.0"


def test_an_endless_loop_is_ended_and_the_next_check_works(kernel: Kernel) -> None:
    kernel.run("def softmax(scores):\n    while True: pass", "softmax")
    looping = kernel.run('check("part1_simplified.softmax", timeout=0.5)', "test")
    kernel.run(SOFTMAX, "softmax")

    assert "timed out" in looping.text
    assert kernel.run('check("part1_simplified.softmax")', "test").result == "8.0"


def test_a_whole_part_is_marked_by_its_name(kernel: Kernel) -> None:
    kernel.run(SOFTMAX, "softmax")
    shown = kernel.run('check("part1_simplified")', "test")

    assert "dot_product" in shown.text
    assert shown.result == "8.0"


@pytest.mark.parametrize(
    ("call", "told"),
    [
        ('check("softmacks")', "softmacks"),
        ("check(1)", "takes the name of a step or a part"),
        ("check()", "There is no part or step"),
        ('check("softmax", exam="class")', "There is no class.exam in this folder or above it."),
    ],
)
def test_what_cannot_be_checked_is_told_without_a_traceback(kernel: Kernel, call: str, told: str) -> None:
    shown = kernel.run(call, "test")

    assert len(shown.errors) == 1
    assert told in shown.errors[0]
    assert "\n  File" not in shown.errors[0]
    assert shown.result is None


def test_an_exam_by_name_is_found_above_the_notebook(copy: Workspace, class_exam: Path) -> None:
    folder = copy.root / "autograded" / "ada" / "part1_simplified"
    folder.mkdir(parents=True)
    shutil.copy(class_exam, copy.root / "class.exam")

    with open_kernel(folder) as kernel:
        kernel.run(SETUP, "setup")
        kernel.run(SOFTMAX, "softmax")

        assert kernel.run('check("part1_simplified.softmax", exam="class")', "test").result == "8.0"


def test_a_check_in_the_cell_of_its_step_sees_that_cell_as_it_is_now(kernel: Kernel) -> None:
    check = '\ncheck("part1_simplified.softmax")'

    assert kernel.run(WRONG + check, "softmax").result == "1.5"
    assert kernel.run(SOFTMAX + check, "softmax").result == "8.0"
    assert kernel.run(WRONG + check, "softmax").result == "1.5"


def test_slow_work_in_a_cell_that_is_run_again_is_done_once(kernel: Kernel) -> None:
    slow = "import time\nlength = 3\ntime.sleep(length)\n" + SOFTMAX
    kernel.run(slow, "softmax")
    kernel.run(slow, "softmax")

    assert kernel.run('check("part1_simplified.softmax")', "test").result == "8.0"


def test_a_definition_that_was_run_again_replaces_what_had_replaced_it(kernel: Kernel) -> None:
    kernel.run(SOFTMAX, "right")
    kernel.run(WRONG, "wrong")
    kernel.run(SOFTMAX, "right")

    assert kernel.run('check("part1_simplified.softmax")', "test").result == "8.0"


def test_a_step_whose_cell_was_not_run_is_told_to_run_it(kernel: Kernel) -> None:
    assert "Run the cell of a step before you check it" in kernel.run('check("part1_simplified.softmax")', "test").text
