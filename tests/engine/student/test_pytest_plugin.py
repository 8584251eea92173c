"""`pytest exercises`: an item a step and check, with the messages of `attn check`; other folders are left to pytest."""

import json
import re
import shutil
import signal
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import pytest_runs
from command import attn_in
from course_copy import copy_folders
from processes import descendants, eventually
from pytest_runs import PYTEST, Run, environment, pytest_in, pytest_process
from warm import lend

from autograder.exam.model import Exam
from autograder.workspace import Workspace

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
def make_course(
    course: Workspace, practice: Exam, tmp_path_factory: pytest.TempPathFactory
) -> Callable[..., Workspace]:
    """Make a copy of the course with fresh stubs of some parts, by default of all."""

    def make(*parts: str) -> Workspace:
        workspace = Workspace(tmp_path_factory.mktemp("course"))
        copy_folders(course.root, workspace.root)
        workspace.exercises.mkdir()
        for part in practice.syllabus.parts:
            if part.name in parts or not parts:
                workspace.exercise(part.name).write_text(part.stub, encoding="utf-8")
        return workspace

    return make


@pytest.fixture(scope="module")
def written_course(make_course: Callable[..., Workspace]) -> Workspace:
    """A right, a wrong and a raising step and two open ones; and a part that cannot be loaded."""
    workspace = make_course()
    with workspace.exercise(FIRST).open("a", encoding="utf-8") as file:
        file.write(WRITTEN)
    workspace.exercise(SECOND).write_text("import torch\n\ndef broken(:\n", encoding="utf-8")
    return workspace


@pytest.fixture(scope="module")
def written(written_course: Workspace) -> Run:
    return pytest_in(written_course, "exercises", "-v", "--junitxml", "junit.xml", "-o", "junit_family=xunit1")


@pytest.fixture(scope="module")
def of_a_process(written_course: Workspace) -> Run:
    """What a user sees of the same run."""
    return pytest_process(written_course, "exercises", "-v")


@pytest.fixture(scope="module")
def marks(written_course: Workspace) -> dict[str, dict[str, object]]:
    """The marks of `attn check`, by step of the first part."""
    found = attn_in(written_course, "check", "1", "--json")
    return {step["step"]: step for step in json.loads(found.stdout)["parts"][0]["steps"]}


@pytest.fixture(scope="module")
def solved(make_course: Callable[..., Workspace], course: Workspace) -> Run:
    """A course of which two parts are there, solved."""
    workspace = make_course(FIRST, SECOND)
    for part in (FIRST, SECOND):
        shutil.copy(course.solutions / f"{part}.py", workspace.exercise(part))
    return pytest_in(workspace, "exercises")


def results(run: Run) -> dict[str, str]:
    """Return what became of each item: `softmax::values` of the first part by its name, in the words of pytest."""
    prefix = f"exercises/{FIRST}.py::"
    lines = [line.removeprefix(prefix) for line in run.stdout.splitlines() if line.startswith(prefix)]
    return {
        name: said.partition("[")[0].partition("(")[0].strip()
        for name, _, said in (line.partition(" ") for line in lines)
    }


def failure(run: Run, item: str) -> str:
    """Return what pytest shows of a failed item of the first part."""
    step, check = item.split("::")
    begin = run.stdout.index(f" {step}: {check} ___")
    return run.stdout[begin : run.stdout.index("\n___", begin)]


def count(practice: Exam) -> int:
    """Return how many items all parts have."""
    return sum(len(names(practice, part.name)) for part in practice.syllabus.parts)


def names(practice: Exam, part: str) -> list[str]:
    checks = ("runs", "shape", "dtype", "values", "inputs_untouched", "gradients")
    return [
        f"{step.name}::{check}"
        for step in practice.syllabus.part(part).steps
        for check in checks
        if step.gradients or check != "gradients"
    ]


def test_each_step_has_one_item_a_check(written: Run, practice: Exam) -> None:
    assert list(results(written)) == names(practice, FIRST)


def test_a_wrong_step_fails_the_check_that_it_fails(written: Run) -> None:
    found = results(written)
    assert found["attention_scores::shape"] == "PASSED"
    assert found["attention_scores::values"] == "FAILED"


def test_an_open_step_is_not_attempted(written: Run) -> None:
    assert {said for name, said in results(written).items() if name.startswith("context_vector::")} == {"NOT ATTEMPTED"}


@pytest.mark.parametrize("item", ["attention_scores::values", "softmax::runs"])
def test_a_failed_item_shows_the_message_of_attn_check(
    written: Run, marks: dict[str, dict[str, list[dict[str, object]]]], item: str
) -> None:
    first = next(check for check in marks[item.partition("::")[0]]["checks"] if not check["passed"])
    assert f"{first['case']}: {first['message']}" in failure(written, item)


def test_a_failed_item_shows_the_diagnosis_of_attn_check(
    written: Run, marks: dict[str, dict[str, dict[str, str]]]
) -> None:
    assert f"→ {marks['attention_scores']['diagnosis']['says']}" in failure(written, "attention_scores::values")


OTHER = "\n\ndef dot_product(a, b):\n    products = a * b - a\n    return products.sum()\n"


@pytest.fixture(scope="module")
def searched(make_course: Callable[..., Workspace]) -> Run:
    """A right step, and a wrong one whose cause is searched for."""
    workspace = make_course(FIRST)
    with workspace.exercise(FIRST).open("a", encoding="utf-8") as file:
        file.write(OTHER + "\n\ndef context_vector(weights, inputs):\n    return weights @ inputs\n")
    return pytest_in(workspace, "exercises", "-v", ATTN_CAUSES="full")


def test_a_failed_item_says_where_it_is_wrong_and_what_says_more(searched: Run) -> None:
    lines = [line.strip() for line in failure(searched, "dot_product::values").splitlines()]
    (place,) = (number for number, line in enumerate(lines) if line == "products = a * b - a")

    assert lines[place - 2].startswith("→ Look at line ")
    assert re.fullmatch(rf"exercises/{FIRST}.py:\d+", lines[place - 1])
    assert lines[place + 1] == "^^^^^^^^^"
    assert f"attn why {FIRST}.dot_product says more" in lines


def test_what_a_student_prints_is_shown(make_course: Callable[..., Workspace]) -> None:
    workspace = make_course()
    with workspace.exercise(FIRST).open("a", encoding="utf-8") as file:
        file.write("\n\ndef dot_product(a, b):\n    print('printed by hand')\n    return a.sum()\n")
    found = pytest_in(workspace, f"exercises/{FIRST}.py::dot_product::values")
    assert "Captured stdout call" in found.stdout
    assert "printed by hand" in found.stdout


@pytest.mark.parametrize("check", ["shape", "dtype", "values", "inputs_untouched"])
def test_a_check_that_an_exception_prevents_points_to_the_item_that_shows_it(
    written: Run, written_course: Workspace, check: str
) -> None:
    lines = written_course.exercise(FIRST).read_text(encoding="utf-8").splitlines()
    line = next(number for number, line in enumerate(lines, start=1) if '["no such key"]' in line)
    assert failure(written, f"softmax::{check}").splitlines()[1:] == [
        f"exercises/{FIRST}.py:{line}: not checked, softmax::runs says why"
    ]


@pytest.mark.parametrize(
    ("item", "text"),
    [
        ("attention_scores::values", "def attention_scores(query, inputs):"),
        ("softmax::runs", 'return {"scores": scores}["no such key"]'),
    ],
    ids=["a wrong answer: the definition that counts", "an exception: the line that raised"],
)
def test_a_failed_item_begins_with_a_link(written: Run, written_course: Workspace, item: str, text: str) -> None:
    lines = written_course.exercise(FIRST).read_text(encoding="utf-8").splitlines()
    line = next(number for number, line in enumerate(lines, start=1) if text in line)
    assert failure(written, item).splitlines()[1].startswith(f"exercises/{FIRST}.py:{line}: ")


def test_a_part_that_cannot_be_loaded_fails_its_items_with_the_reason(written: Run) -> None:
    assert f"SyntaxError in exercises/{SECOND}.py, line" in written.stdout
    assert f"exercises/{SECOND}.py::project_qkv::runs FAILED" in written.stdout


@pytest.mark.slow
@pytest.mark.parametrize("foreign", ["Traceback", "pytest_plugin.py", "INTERNALERROR"])
def test_nothing_of_the_grader_is_shown(of_a_process: Run, foreign: str) -> None:
    assert foreign not in of_a_process.stdout + of_a_process.stderr


@pytest.mark.slow
def test_each_item_fares_in_a_process_as_in_this_one(of_a_process: Run, written: Run) -> None:
    assert results(of_a_process) == results(written)


def test_solved_parts_pass_with_0(solved: Run, practice: Exam) -> None:
    assert solved.returncode == 0
    assert f"{len(names(practice, FIRST)) + len(names(practice, SECOND))} passed" in solved.stdout


@pytest.fixture(scope="module")
def elsewhere(make_course: Callable[..., Workspace]) -> Workspace:
    """A course with tests of a student's own, beside the exercises and among them."""
    workspace = make_course()
    own = workspace.root / "own"
    own.mkdir()
    for path in (own / "test_own.py", workspace.exercises / "test_mine.py"):
        path.write_text("def test_own():\n    pass\n")
    (own / f"{FIRST}.py").write_text("raise ValueError('nobody should look at this')\n")
    return workspace


def test_another_folder_is_left_to_pytest(elsewhere: Workspace) -> None:
    found = pytest_in(elsewhere, "own")
    assert found.returncode == 0
    assert "1 passed" in found.stdout


def test_collecting_runs_no_code_of_the_student(make_course: Callable[..., Workspace], practice: Exam) -> None:
    workspace = make_course()
    workspace.exercise(FIRST).write_text("import pathlib\n\npathlib.Path('loaded').touch()\n")
    found = pytest_in(workspace, "exercises", "--collect-only", "-q")
    assert found.returncode == 0
    assert f"{count(practice)} tests collected" in found.stdout
    assert not (workspace.root / "loaded").exists()


def test_one_check_by_name_is_run_alone(written_course: Workspace) -> None:
    found = pytest_in(written_course, f"exercises/{FIRST}.py::dot_product::values")
    assert found.returncode == 0
    assert "1 passed" in found.stdout


def test_without_the_practice_exam_the_message_stands_alone(make_course: Callable[..., Workspace]) -> None:
    workspace = make_course()
    workspace.practice_exam.unlink()
    found = pytest_in(workspace, f"exercises/{FIRST}.py")
    assert found.returncode == pytest.ExitCode.INTERRUPTED
    assert found.stdout.count("Copy the folder exams/ again from where you got the course.") == 1
    assert "pytest_plugin.py" not in found.stdout


def progress_of(workspace: Workspace) -> dict[str, dict[str, object]]:
    steps: dict[str, dict[str, object]] = json.loads((workspace.memory / "progress.json").read_text("utf-8"))["steps"]
    return steps


def test_a_run_counts_for_the_progress(written: Run, written_course: Workspace) -> None:
    assert progress_of(written_course)[f"{FIRST}.dot_product"]["verdict"] == "passed"


class Starts:
    """Counts the warm processes that a run of pytest has asked for. before_collecting: so many were there when it began to.

    standing_by: so many of them may stand by for later runs.
    """

    def __init__(self) -> None:
        self.count = self.before_collecting = self.standing_by = 0

    def open_runner(self, course: Path, as_daemon: bool) -> object:
        self.count += 1
        self.standing_by += as_daemon
        return lend(course)

    def pytest_collection(self) -> None:
        self.before_collecting = self.count


@pytest.fixture
def starts(monkeypatch: pytest.MonkeyPatch) -> Starts:
    counted = Starts()
    monkeypatch.setattr(pytest_runs, "lend", counted.open_runner)
    return counted


def test_all_parts_are_marked_by_one_process(make_course: Callable[..., Workspace], starts: Starts) -> None:
    pytest_in(make_course(FIRST, SECOND), "exercises")
    assert starts.count == 1


@pytest.mark.slow
def test_a_run_that_is_stopped_leaves_no_process(make_course: Callable[..., Workspace]) -> None:
    workspace = make_course()
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


@pytest.fixture(scope="module")
def panel(written_course: Workspace, tmp_path_factory: pytest.TempPathFactory) -> Callable[..., dict[str, Any]]:
    """Run pytest as an editor's test panel does, and return what the panel has seen."""
    seen = tmp_path_factory.mktemp("panel") / "seen.json"

    def run(*arguments: str) -> dict[str, Any]:
        pytest_in(written_course, *arguments, "-p", "panel", PANEL=str(seen))
        found: dict[str, Any] = json.loads(seen.read_text("utf-8"))
        return found

    return run


@pytest.fixture(scope="module")
def discovered(panel: Callable[..., dict[str, Any]]) -> list[dict[str, Any]]:
    """The tests of the first part, as a panel finds them."""
    tests: list[dict[str, Any]] = panel("exercises", "--collect-only")["tests"]
    return [test for test in tests if test["file"] == f"{FIRST}.py"]


def test_a_panel_shows_a_step_as_a_class_and_a_check_as_a_test(
    discovered: list[dict[str, Any]], practice: Exam
) -> None:
    shown = [(*[name for name, _ in test["classes"]], test["name"]) for test in discovered]
    assert ["::".join(path) for path in shown] == names(practice, FIRST)


def test_a_panel_runs_tests_by_the_ids_that_it_has_found(
    panel: Callable[..., dict[str, Any]], discovered: list[dict[str, Any]]
) -> None:
    wanted = [test["id"] for test in discovered if test["name"] == "values"]
    told = panel(*wanted)["told"]
    assert [name.partition("::")[2] for name in told] == [test.partition("::")[2] for test in wanted]
    assert [one["outcome"] for one in told.values()] == ["passed", "failed", "failed", "skipped", "skipped"]
