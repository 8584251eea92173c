"""`pytest exercises`: an item a step, with the report of `attn check`; other folders are left to pytest."""

import json
import re
import signal
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from command import attn_in
from processes import descendants, eventually
from pytest_runs import PYTEST, Run, environment, pytest_in

from autograder.exam.model import Exam
from autograder.student.progress import load_progress
from autograder.workspace import Workspace

pytestmark = pytest.mark.slow

FIRST = "part1_simplified"
SECOND = "part2_trainable"

WRITTEN = """

def dot_product(a, b):
    return (a * b).sum()


def attention_scores(query, inputs):
    return query @ inputs.mT.contiguous() * 2


def softmax(scores):
    return {"scores": scores}["no such key"]
"""


@pytest.fixture(scope="module")
def written_course(new_course: Callable[..., Workspace]) -> Workspace:
    """A right, a wrong and a raising step and two open ones; and a part that cannot be loaded."""
    workspace = new_course()
    with workspace.exercise(FIRST).open("a", encoding="utf-8") as file:
        file.write(WRITTEN)
    workspace.exercise(SECOND).write_text("import torch\n\ndef broken(:\n", encoding="utf-8")
    return workspace


@pytest.fixture(scope="module")
def written(written_course: Workspace) -> Run:
    return pytest_in(written_course, "exercises", "-v")


@pytest.fixture(scope="module")
def marks(written_course: Workspace) -> dict[str, dict[str, object]]:
    """The marks of `attn check`, by step of the first part."""
    found = attn_in(written_course, "check", "1", "--json")
    return {step["step"]: step for step in json.loads(found.stdout)["parts"][0]["steps"]}


def results(run: Run) -> dict[str, str]:
    """Return what became of each item: each step of the first part by its name, in the words of pytest."""
    prefix = f"exercises/{FIRST}.py::"
    lines = [line.removeprefix(prefix) for line in run.stdout.splitlines() if line.startswith(prefix)]
    return {
        name: said.partition("[")[0].partition("(")[0].strip()
        for name, _, said in (line.partition(" ") for line in lines)
    }


def failure(run: Run, step: str) -> str:
    """Return what pytest shows of a failed step of the first part."""
    return re.split(r"\n(?:___|===)", run.stdout.partition(f" {step} ___")[2])[0]


def test_each_step_has_one_item(written: Run) -> None:
    assert results(written) == {
        "dot_product": "PASSED",
        "attention_scores": "FAILED",
        "softmax": "FAILED",
        "context_vector": "SKIPPED",
        "simplified_self_attention": "SKIPPED",
    }


@pytest.mark.parametrize("step", ["attention_scores", "softmax"])
def test_a_failed_item_shows_the_message_of_attn_check(
    written: Run, marks: dict[str, dict[str, list[dict[str, object]]]], step: str
) -> None:
    first = next(check for check in marks[step]["checks"] if not check["passed"])
    assert f"{first['case']}: {first['message']}" in failure(written, step)


OTHER = "\n\ndef dot_product(a, b):\n    products = a * b - a\n    return products.sum()\n"


@pytest.fixture(scope="module")
def searched(new_course: Callable[..., Workspace]) -> Run:
    """A right step, and a wrong one whose cause is searched for."""
    workspace = new_course()
    with workspace.exercise(FIRST).open("a", encoding="utf-8") as file:
        file.write(OTHER + "\n\ndef context_vector(weights, inputs):\n    return weights @ inputs\n")
    return pytest_in(workspace, f"exercises/{FIRST}.py", "-v", ATTN_CAUSES="full")


def test_a_failed_item_says_where_it_is_wrong_and_what_says_more(searched: Run) -> None:
    lines = [line.strip() for line in failure(searched, "dot_product").splitlines()]
    (place,) = (number for number, line in enumerate(lines) if line == "products = a * b - a")

    assert lines[place - 2].startswith("→ Look at line ")
    assert re.fullmatch(rf"exercises/{FIRST}.py:\d+", lines[place - 1])
    assert lines[place + 1] == "^^^^^^^^^"
    assert f"attn hint --why {FIRST}.dot_product says more" in lines


@pytest.mark.parametrize(
    ("item", "text"),
    [
        ("attention_scores", "def attention_scores(query, inputs):"),
        ("softmax", 'return {"scores": scores}["no such key"]'),
    ],
    ids=["a wrong answer: the definition that counts", "an exception: the line that raised"],
)
def test_a_failed_item_begins_with_a_link(written: Run, written_course: Workspace, item: str, text: str) -> None:
    lines = written_course.exercise(FIRST).read_text(encoding="utf-8").splitlines()
    line = next(number for number, line in enumerate(lines, start=1) if text in line)
    assert failure(written, item).splitlines()[1].startswith(f"exercises/{FIRST}.py:{line}: ")


def test_a_part_that_cannot_be_loaded_fails_its_items_with_the_reason(written: Run) -> None:
    assert f"SyntaxError in exercises/{SECOND}.py, line" in written.stdout
    assert f"exercises/{SECOND}.py::project_qkv FAILED" in written.stdout


def test_one_step_by_name_is_run_alone(written_course: Workspace) -> None:
    found = pytest_in(written_course, f"exercises/{FIRST}.py::dot_product")
    assert found.returncode == 0
    assert "1 passed" in found.stdout


def test_another_folder_is_left_to_pytest(new_course: Callable[..., Workspace]) -> None:
    own = new_course().root / "own"
    own.mkdir()
    (own / "test_own.py").write_text("def test_own():\n    pass\n")
    (own / f"{FIRST}.py").write_text("raise ValueError('nobody should look at this')\n")
    found = pytest_in(Workspace(own.parent), "own")
    assert (found.returncode, "1 passed" in found.stdout) == (0, True)


def test_collecting_runs_no_code_of_the_student(new_course: Callable[..., Workspace], practice: Exam) -> None:
    workspace = new_course()
    workspace.exercise(FIRST).write_text("import pathlib\n\npathlib.Path('loaded').touch()\n")
    found = pytest_in(workspace, "exercises", "--collect-only", "-q")
    assert found.returncode == 0
    assert f"{len(practice.syllabus.steps)} tests collected" in found.stdout
    assert not (workspace.root / "loaded").exists()


def test_without_the_practice_exam_the_message_stands_alone(new_course: Callable[..., Workspace]) -> None:
    workspace = new_course()
    workspace.practice_exam.unlink()
    found = pytest_in(workspace, f"exercises/{FIRST}.py")
    assert found.returncode == pytest.ExitCode.INTERRUPTED
    assert found.stdout.count("Copy the folder exams/ again from where you got the course.") == 1
    assert "pytest_plugin.py" not in found.stdout


@pytest.mark.usefixtures("written")
def test_a_run_counts_for_the_progress(written_course: Workspace) -> None:
    assert load_progress(written_course).passed(f"{FIRST}.dot_product")


@pytest.mark.world
def test_a_run_that_is_stopped_leaves_no_process(new_course: Callable[..., Workspace]) -> None:
    workspace = new_course()
    entered = workspace.root / "entered"
    with workspace.exercise(FIRST).open("a", encoding="utf-8") as file:
        file.write(
            f"\n\ndef dot_product(a, b):\n    open({str(entered)!r}, 'w').close()\n    while True:\n        pass\n"
        )
    run = subprocess.Popen(
        [*PYTEST, f"exercises/{FIRST}.py"],
        cwd=workspace.root,
        env=environment(),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        assert eventually(entered.exists)
        started = descendants(run.pid)
        run.send_signal(signal.SIGINT)
        run.wait(120)
    finally:
        run.kill()
    assert started
    assert eventually(lambda: not any(Path(f"/proc/{pid}").exists() for pid in started), 60)
