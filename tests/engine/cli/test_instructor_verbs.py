"""`attn build` and `attn verify`, on the tiny course; and the whole course, verified in full where all tests run."""

import hashlib
import json
import re
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from command import Run, attn_in, attn_process
from tiny_course import NAME, TinyCourse

from autograder.workspace import Workspace

NewCourse = Callable[..., Workspace]
Attn = Callable[..., Run]


def contents(folder: Path) -> dict[Path, bytes]:
    return {path: path.read_bytes() for path in folder.rglob("*") if path.is_file() and path.suffix != ".pyc"}


@pytest.fixture
def attn(tiny: TinyCourse) -> Attn:
    return lambda *words: attn_in(tiny.workspace, *words)


# attn build --exam


@pytest.fixture
def own_exam(tiny: TinyCourse, attn: Attn) -> Path:
    """An exam beside the solved tiny course."""
    shutil.copy(tiny.reference, tiny.exercise)
    path = tiny.workspace.root / "set.exam"
    assert attn("build", "--exam", "set.exam").stdout == "set.exam: 8 cases, 6 known mistakes\n"
    return path


@pytest.mark.slow
def test_an_exam_marks_and_is_named_in_the_marks(own_exam: Path, attn: Attn) -> None:
    marks = json.loads(attn("check", "--exam", "set.exam", "--json").stdout)
    assert marks["score"] == marks["max_score"] == 5.0, marks["parts"]
    assert marks["exam"] == "sha256:" + hashlib.sha256(own_exam.read_bytes()).hexdigest()


def test_an_exam_that_is_there_is_not_replaced(own_exam: Path, attn: Attn) -> None:
    before = own_exam.read_bytes()
    done = attn("build", "--exam", "set.exam")
    assert done.returncode == 2
    assert "cannot be set again" in done.stderr
    assert own_exam.read_bytes() == before


# All that needs the solutions


@pytest.mark.parametrize("arguments", [["verify"], ["build"], ["build", "--check"], ["build", "--exam", "x"]])
def test_without_the_solutions_it_is_refused(tiny: TinyCourse, attn: Attn, arguments: list[str]) -> None:
    shutil.rmtree(tiny.solutions)
    found = attn(*arguments)
    assert found.returncode == 2
    assert "this needs solutions/, which this copy of the course does not include" in found.stderr


@pytest.mark.parametrize("arguments", [["verify"], ["build"], ["build", "--exam", "x"]], ids=" ".join)
def test_a_broken_solution_is_told_with_its_line(tiny: TinyCourse, attn: Attn, arguments: list[str]) -> None:
    text = tiny.reference.read_text(encoding="utf-8")
    tiny.reference.write_text(text.replace("### END SOLUTION", "", 1), encoding="utf-8")
    found = attn(*arguments)
    assert found.returncode == 2
    assert re.search(rf"{NAME}\.py, line \d+: expected `### END SOLUTION` before this line", found.stderr)
    assert "Traceback" not in found.stderr


# attn verify; what it finds in the tiny course stands in tests/engine/authoring/test_verification.py


@pytest.mark.slow
@pytest.mark.world
def test_the_course_is_sound_in_full(new_course: NewCourse) -> None:
    found = attn_process(new_course(), "verify", "--full", timeout=1800)

    assert "The course is sound." in found.stdout, found.stdout
    assert re.search(r"✓ +\d{4}  mutants that fail", found.stdout)


def test_the_same_seed_sets_the_same_exam(tiny: TinyCourse, attn: Attn) -> None:
    for name, seed in (("one", "7"), ("again", "7"), ("other", "8")):
        attn("build", "--seed", seed, "--exam", f"{name}.exam")
    one, again, other = ((tiny.workspace.root / f"{name}.exam").read_bytes() for name in ("one", "again", "other"))
    assert one == again != other
