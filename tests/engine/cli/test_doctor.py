"""`attn doctor` in environments that are broken: it says what was found, and what to run."""

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from subprocess import CompletedProcess

import pytest
from command import attn_in
from environments import lay_package, make_environment, python_of
from screen_text import one_line

from autograder.student import machine_checks
from autograder.student.machine_checks import Finding, examine
from autograder.workspace import Workspace

Run = CompletedProcess[str]
Fail = Callable[..., None]

INSTALL = "pip install -c requirements.lock -e ."
"""The README's line."""

HERE_ANEW = ("python3 -m venv --clear .venv", ". .venv/bin/activate", f"python -m {INSTALL}")


def found_of(what: str, workspace: Workspace | None) -> Finding:
    """Return what is found of one thing."""
    return next(finding for finding in examine(workspace) if finding.name == what)


@pytest.fixture
def fail(monkeypatch: pytest.MonkeyPatch) -> Fail:
    """Try nothing out: what is said here fails, and all else succeeds."""

    def set_up(torch: str = "", printed: str = "2.13.0", **libraries: str) -> None:
        monkeypatch.setattr(machine_checks, "_try_torch", lambda: (printed, torch))
        monkeypatch.setattr(machine_checks, "_trouble_of", lambda name: libraries.get(name, ""))

    set_up()
    return set_up


def run_python(python: Path, folder: Path, *arguments: str, **environment: str) -> Run:
    """Run the command with another Python, in a folder, as a process."""
    return subprocess.run(
        [str(python), "-m", "autograder", *arguments],
        cwd=folder,
        env={**os.environ, **environment},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        encoding="utf-8",
        timeout=120,
    )


# a course that is well


@pytest.mark.slow  # it imports torch
def test_a_working_course_is_healthy(course: Workspace) -> None:
    found = attn_in(course, "doctor")

    assert found.returncode == 0
    assert "✗" not in found.stdout


# what is broken, and the remedy


def test_what_is_broken_has_a_line_of_its_own_and_one_remedy_for_all(copy: Workspace, fail: Fail) -> None:
    fail(torch="No module named 'torch'", rich="No module named 'rich'")

    found = attn_in(copy, "doctor")

    assert found.returncode == 1
    assert "✗ torch            cannot be used: No module named 'torch'\n" in found.stdout
    assert "✗ libraries        rich cannot be used: No module named 'rich'\n" in found.stdout
    assert found.stdout.count("libraries, torch: Make the environment again.") == 1
    assert found.stdout.endswith("".join(f"    {command}\n" for command in HERE_ANEW))


@pytest.mark.parametrize(
    ("trouble", "said"),
    [
        ("ImportError: libgomp.so.1: cannot open shared object file", "sudo apt-get install libgomp1"),
        ('OSError: [WinError 126] Error loading "c10.dll"', "Microsoft Visual C++ Redistributable"),
        ("the process was ended by signal 4", "Use another machine"),
        ("MemoryError", "Close other programs"),
    ],
)
def test_where_a_new_environment_would_change_nothing_torch_has_a_remedy_of_its_own(
    copy: Workspace, fail: Fail, trouble: str, said: str
) -> None:
    fail(torch=trouble)

    (remedy,) = found_of("torch", copy).remedy

    assert said in remedy


# where the command itself cannot start


@pytest.mark.slow
def test_in_an_empty_environment_it_says_what_is_missing(tmp_path: Path, copy: Workspace, course: Workspace) -> None:
    make_environment(tmp_path / "venv")

    found = run_python(python_of(tmp_path / "venv"), copy.root, "doctor", PYTHONPATH=str(course.root))

    assert (found.returncode, found.stdout) == (2, "")
    assert "attn cannot start: No module named 'click'" in found.stderr
    assert "rich cannot be used: ModuleNotFoundError: No module named 'rich'" in one_line(found.stderr)
    assert f"-m {INSTALL}" in found.stderr
    assert "Traceback" not in found.stderr


@pytest.mark.slow
def test_an_old_python_is_told_before_anything_is_imported(tmp_path: Path, course: Workspace) -> None:
    (tmp_path / "sitecustomize.py").write_text('import sys\nsys.version_info = (3, 9, 18, "final", 0)\n')
    found = run_python(Path(sys.executable), course.root, PYTHONPATH=str(tmp_path))
    assert found.returncode == 1
    assert found.stderr.startswith("The course needs Python 3.11 or newer. This is Python 3.9, ")
    assert "Traceback" not in found.stderr


@pytest.mark.slow
def test_a_check_with_a_broken_library_says_so(copy: Workspace, tmp_path: Path) -> None:
    broken = lay_package(tmp_path / "broken", "numpy", "1.0", __init__='raise ValueError("dtype size changed")')

    found = run_python(Path(sys.executable), copy.root, "check", "1.1", PYTHONPATH=str(broken), COLUMNS="200")

    assert found.returncode == 2
    assert one_line(found.stderr).startswith(
        "a part of the installation is missing or broken (dtype size changed). `attn doctor` says which"
    )


# the course


@pytest.fixture
def look(fail: Fail, copy: Workspace) -> Callable[[str], Finding]:
    """Return what is found of one thing in a copy of the course, in an environment where all is well."""
    return lambda what: found_of(what, copy)


def test_a_missing_exam_is_told_with_the_way_to_have_it_back(copy: Workspace, look: Callable[[str], Finding]) -> None:
    (copy.root / ".git").mkdir()
    copy.practice_exam.unlink()

    finding = look("course")

    assert (finding.found, finding.good) == (f"there is no exam at {copy.practice_exam}", False)
    assert finding.remedy == ("`git checkout :/exams` restores it.",)


def test_two_copies_of_the_course_that_are_mixed_up_are_told(
    copy: Workspace, course: Workspace, look: Callable[[str], Finding]
) -> None:
    (copy.root / "autograder").mkdir()

    finding = look("course")

    assert finding.found == f"you are in {copy.root}, but this attn belongs to {course.root}"
    assert finding.remedy[-1] == f"{sys.executable} -m {INSTALL}"
