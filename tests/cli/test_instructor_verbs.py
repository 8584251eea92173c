"""`attn sync`, `exam` and `verify`."""

import hashlib
import json
import re
import shutil
from collections.abc import Callable
from pathlib import Path
from subprocess import CompletedProcess

import pytest
from command import attn_process as attn_in

from autograder.exam.files import read_exam
from autograder.exam.model import Exam
from autograder.workspace import Workspace

pytestmark = pytest.mark.slow

Run = CompletedProcess[str]
Attn = Callable[..., Run]
NewCourse = Callable[..., Workspace]

FIRST = "part1_simplified"


def contents(folder: Path) -> dict[Path, bytes]:
    return {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}


# attn sync


@pytest.fixture(scope="module")
def drifted_course(new_course: NewCourse) -> Workspace:
    workspace = new_course()
    workspace.exercise(FIRST).write_text("# mine\n")
    workspace.exercise("part2_trainable").unlink()
    return workspace


@pytest.fixture(scope="module")
def drifted(drifted_course: Workspace) -> tuple[Run, bool]:
    """What `sync --check` says of a course that has drifted, and whether it left it alone."""
    before = contents(drifted_course.root)
    return attn_in(drifted_course, "sync", "--check"), contents(drifted_course.root) == before


@pytest.fixture(scope="module")
def synced(drifted_course: Workspace, drifted: tuple[Run, bool]) -> Run:
    return attn_in(drifted_course, "sync")


def test_a_course_that_has_not_drifted_ends_with_0(new_course: NewCourse) -> None:
    found = attn_in(new_course(), "sync", "--check")
    assert found.returncode == 0
    assert "✗" not in found.stdout


def test_a_course_that_has_drifted_ends_with_1(drifted: tuple[Run, bool]) -> None:
    assert drifted[0].returncode == 1


@pytest.mark.parametrize(
    "line",
    [
        f"✗ exercises/{FIRST}.py: differs from what the source makes",
        "✗ exercises/part2_trainable.py: does not exist",
        "✓ exams/syllabus.json",
        "✓ exams/practice.exam",
    ],
)
def test_each_file_is_named_with_what_is_wrong(drifted: tuple[Run, bool], line: str) -> None:
    assert line in drifted[0].stdout.splitlines()


def test_checking_for_drift_writes_nothing(drifted: tuple[Run, bool]) -> None:
    assert drifted[1]


def test_syncing_makes_what_is_missing(drifted_course: Workspace, synced: Run, practice: Exam) -> None:
    made = drifted_course.exercise("part2_trainable").read_text(encoding="utf-8")
    assert made == practice.syllabus.part("part2_trainable").stub


def test_syncing_leaves_a_stub_alone_that_somebody_wrote_in(drifted_course: Workspace, synced: Run) -> None:
    assert drifted_course.exercise(FIRST).read_text() == "# mine\n"


def test_syncing_says_which_stub_it_left_alone(synced: Run) -> None:
    assert synced.returncode == 1
    assert f"✗ exercises/{FIRST}.py: has been written in, so it is left alone" in synced.stdout


# attn exam


@pytest.fixture(scope="module")
def setting(new_course: NewCourse) -> Workspace:
    """A solved course, and an exam of its own beside it."""
    workspace = new_course(solved=True)
    found = attn_in(workspace, "exam", "--seed", "77", "--out", "set.exam")
    assert found.stdout.startswith("set.exam: ")
    return workspace


def test_an_exam_is_written_where_asked(setting: Workspace, practice: Exam) -> None:
    assert len(read_exam(setting.root / "set.exam").paper.cases) == len(practice.paper.cases)


def test_another_seed_sets_another_exam(setting: Workspace, practice: Exam) -> None:
    assert read_exam(setting.root / "set.exam").digest != practice.digest


def test_an_exam_marks_and_is_named_in_the_marks(setting: Workspace) -> None:
    marks = json.loads(attn_in(setting, "check", "1", "--exam", "set.exam", "--json").stdout)
    assert marks["score"] == marks["max_score"]
    assert marks["exam"] == "sha256:" + hashlib.sha256((setting.root / "set.exam").read_bytes()).hexdigest()


@pytest.mark.parametrize(
    "arguments",
    [["--seed", "1"], ["--out", "x.exam"], ["--seed", "one", "--out", "x.exam"], ["--seed", "1", "--out", "docs"]],
    ids=" ".join,
)
def test_an_exam_without_seed_or_file_is_a_usage_error(course: Workspace, arguments: list[str]) -> None:
    assert attn_in(course, "exam", *arguments).returncode == 2


def test_an_exam_that_cannot_be_written_is_told(setting: Workspace) -> None:
    found = attn_in(setting, "exam", "--seed", "1", "--out", "exams/syllabus.json/x.exam")
    assert found.returncode == 2
    assert "could not be written" in found.stderr
    assert "Traceback" not in found.stderr


# All that needs the solutions


@pytest.mark.parametrize(
    "arguments", [["verify"], ["sync"], ["sync", "--check"], ["exam", "--seed", "1", "--out", "x"]]
)
def test_without_the_solutions_it_is_refused(copy: Workspace, attn: Attn, arguments: list[str]) -> None:
    shutil.rmtree(copy.solutions)
    found = attn(*arguments)
    assert found.returncode == 2
    assert "this needs solutions/, which this copy of the course does not include" in found.stderr


@pytest.mark.parametrize(
    "arguments", [["verify"], ["sync"], ["exam", "--seed", "1", "--out", "x"]], ids=lambda words: words[0]
)
def test_a_broken_solution_is_told_with_its_line(copy: Workspace, attn: Attn, arguments: list[str]) -> None:
    path = copy.solutions / f"{FIRST}.py"
    text = path.read_text(encoding="utf-8")
    line = text[: text.index("### BEGIN SOLUTION")].count("\n") + 1
    path.write_text(text.replace("### END SOLUTION", "", 1), encoding="utf-8")
    found = attn(*arguments)
    assert found.returncode == 1
    assert f"{FIRST}.py, line" in found.stderr
    assert f"line {line}" in found.stderr
    assert "Traceback" not in found.stderr


# attn verify


@pytest.fixture(scope="module")
def verified(new_course: NewCourse) -> Run:
    """All that a course can be asked to verify: minutes."""
    return attn_in(new_course(), "verify", "--full", timeout=1800)


def _measured(found: Run) -> dict[str, list[int]]:
    """Return the rows of the table: the numbers by the name of the part."""
    lines = found.stdout.splitlines()
    (head,) = (number for number, line in enumerate(lines) if line.split()[:2] == ["mutants", "caught"])
    rows = [line.replace("all parts", "all_parts").split() for line in lines[head + 1 : -1]]
    return {name: [int(number) for number in numbers] for name, *numbers in rows}


def test_the_course_is_sound(verified: Run) -> None:
    assert "The course is sound." in verified.stdout, verified.stdout
    assert verified.returncode == 0


def test_every_finding_has_looked_at_something(verified: Run) -> None:
    findings = re.findall(r"^✓ +(\d+)  (.+)$", verified.stdout, re.MULTILINE)
    assert len(findings) == 10
    assert [title for looked_at, title in findings if int(looked_at) == 0] == []


def test_the_measurements_are_one_table_with_a_row_for_each_part(verified: Run, practice: Exam) -> None:
    assert list(_measured(verified)) == [*(part.name for part in practice.syllabus.parts), "all_parts"]


def test_no_mutant_passes_but_the_equivalent_ones(verified: Run) -> None:
    for mutants, caught, equivalent, *_ in _measured(verified).values():
        assert mutants == caught + equivalent > 100


def test_every_alternative_is_accepted_and_every_mistake_named(verified: Run) -> None:
    for *_, alternatives, accepted, mistakes, named in _measured(verified).values():
        assert alternatives == accepted > 0
        assert mistakes == named > 0
