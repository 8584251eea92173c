"""`attn doctor` in environments that are broken: it says what was found, and what to run."""

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from subprocess import CompletedProcess

import pytest
from command import attn_in
from environments import environment_without, lay_package, make_environment, python_of
from screen_text import one_line

from autograder import __main__
from autograder.student import machine_checks, progress
from autograder.student.advice import moved_from
from autograder.student.machine_checks import USE_TORCH, Finding, examine, remedies
from autograder.workspace import Workspace

Run = CompletedProcess[str]
Start = Callable[..., tuple[object, str]]
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

    def set_up(torch: str = "", printed: str = "2.13.0 None", **libraries: str) -> None:
        troubles = {USE_TORCH: torch, **{f"import {name}": trouble for name, trouble in libraries.items()}}
        monkeypatch.setattr(machine_checks, "_try", lambda code: (printed, troubles.get(code, "")))

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


def forget(monkeypatch: pytest.MonkeyPatch, *names: str) -> None:
    """Have modules, and all that belongs to them, imported anew when they are wanted next."""
    for name in [name for name in sys.modules if name in names or name.startswith(tuple(f"{one}." for one in names))]:
        monkeypatch.delitem(sys.modules, name)


# a course that is well


@pytest.mark.slow  # it imports torch
def test_a_working_course_is_healthy(course: Workspace) -> None:
    found = attn_in(course, "doctor")

    assert found.returncode == 0
    assert "✗" not in found.stdout


@pytest.mark.usefixtures("fail")
def test_the_doctor_looks_at_all_that_marking_needs(copy: Workspace) -> None:
    looked_at = [finding.name for finding in examine(copy)]

    assert looked_at == [
        *("Python", "grader", "environment", "libraries", "torch", "course", "progress", "running code"),
        *("sandbox full", "sandbox kernel"),
    ]


# what is broken, and the remedy


def test_what_is_broken_has_a_line_of_its_own_and_one_remedy_for_all(copy: Workspace, fail: Fail) -> None:
    fail(torch="No module named 'torch'", rich="No module named 'rich'")

    found = attn_in(copy, "doctor")

    assert found.returncode == 1
    assert "✗ torch            cannot be used: No module named 'torch'\n" in found.stdout
    assert "✗ libraries        rich cannot be used: No module named 'rich'\n" in found.stdout
    assert found.stdout.count("libraries, torch: Make the environment again.") == 1
    assert found.stdout.endswith("".join(f"    {command}\n" for command in HERE_ANEW))


def test_remedies_are_folded_and_their_commands_are_not() -> None:
    finding = Finding("torch", "broken", False, ("a word " * 20, "a command " * 20))

    (remedy,) = remedies([finding], 40)

    *sentence, command = remedy.splitlines()
    assert max(map(len, sentence)) <= 40
    assert command == f"    {'a command ' * 20}"


def test_from_another_folder_the_commands_begin_with_the_way_to_the_course(
    copy: Workspace, tmp_path: Path, fail: Fail, monkeypatch: pytest.MonkeyPatch
) -> None:
    fail(torch="No module named 'torch'")
    monkeypatch.chdir(tmp_path)

    assert found_of("torch", copy).remedy[1:] == (f"cd {copy.root}", *HERE_ANEW)


@pytest.mark.parametrize(
    ("trouble", "said"),
    [
        ("ImportError: libgomp.so.1: cannot open shared object file", "sudo apt-get install libgomp1"),
        ('OSError: [WinError 126] Error loading "c10.dll"', "Microsoft Visual C++ Redistributable"),
        ("the process was ended by signal 4", "Use another machine"),
        ("ImportError: /lib/libc.so.6: version `GLIBC_2.28' not found", "Use another machine"),
        ("MemoryError", "Close other programs"),
    ],
)
def test_where_a_new_environment_would_change_nothing_torch_has_a_remedy_of_its_own(
    copy: Workspace, fail: Fail, trouble: str, said: str
) -> None:
    fail(torch=trouble)

    (remedy,) = found_of("torch", copy).remedy

    assert said in remedy


def test_a_build_for_nvidia_cards_works_and_the_way_to_the_small_one_is_told(copy: Workspace, fail: Fail) -> None:
    fail(printed="2.13.0+cu128 12.8")

    finding = found_of("torch", copy)

    assert finding.good
    assert finding.found.startswith("2.13.0+cu128, a build for NVIDIA cards")
    assert "run before the last line the one that pytorch.org prints" in finding.remedy[0]


def test_broken_libraries_are_not_blamed_on_the_exam(copy: Workspace, fail: Fail) -> None:
    copy.practice_exam.unlink()
    fail(safetensors="made for another Python")

    assert found_of("course", copy).good


# trying something out in a process of its own


@pytest.mark.parametrize(
    ("code", "trouble"),
    [
        ("print('much')", ""),
        ("print('much'); raise ImportError('no')", "ImportError: no"),
        ("raise SystemExit(3)", "exit code 3"),
        ("import os, signal; os.kill(os.getpid(), signal.SIGILL)", "the process was ended by signal 4"),
    ],
)
def test_what_is_tried_out_may_fail_in_any_way(code: str, trouble: str) -> None:
    assert machine_checks._try(code)[1] == trouble


def test_what_is_tried_out_may_hang(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(machine_checks, "PATIENCE", 0.1)

    assert machine_checks._try("import time; time.sleep(60)")[1] == "it took longer than 0.1 s"


@pytest.mark.slow
def test_the_real_torch_notices_that_numpy_is_broken(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    lay_package(tmp_path, "numpy", "1.0", __init__='raise ImportError("made for another Python")')
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))

    assert machine_checks._try(USE_TORCH)[1] == "ImportError: made for another Python"


# where the command itself cannot start


IN_PIECES = {
    "refuses": ('raise ImportError("made for another Python")', "made for another Python"),
    "raises": ('raise ValueError("numpy.dtype size changed")', "numpy.dtype size changed"),
    "is cut off": ("def (", "invalid syntax (__init__.py, line 1)"),
}
"""A library that cannot be imported, and its error."""

in_pieces = pytest.mark.parametrize(("code", "error"), IN_PIECES.values(), ids=IN_PIECES)


OF_THE_COMMAND = {"click": "autograder.cli.main", "rich": "autograder.render.screen"}
"""Libraries without which the command cannot even say what is the matter, and who imports them."""


@pytest.fixture
def start(copy: Workspace, fail: Fail, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Start:
    """Start the command where a library of its own is imported anew; return its exit code and what it complains of."""

    def run(library: str, place: Path) -> tuple[object, str]:
        fail(**{library: "it is broken"})
        forget(monkeypatch, library, OF_THE_COMMAND[library])
        monkeypatch.syspath_prepend(place)
        monkeypatch.setattr(sys, "argv", ["attn", "doctor"])
        monkeypatch.chdir(copy.root)
        with pytest.raises(SystemExit) as end:
            __main__.main()
        return end.value.code, capsys.readouterr().err

    return run


@in_pieces
@pytest.mark.parametrize("library", OF_THE_COMMAND)
def test_a_broken_library_of_the_command_itself_is_said(
    start: Start, tmp_path: Path, library: str, code: str, error: str
) -> None:
    ended, said = start(library, lay_package(tmp_path / "broken", library, "1.0", __init__=code))

    assert ended == 2
    assert f"attn cannot start: {error}" in said
    assert f"{library} cannot be used: it is broken" in said
    assert f"    python -m {INSTALL}" in said
    assert "Traceback" not in said


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
def test_a_check_without_torch_says_so(tmp_path: Path, copy: Workspace) -> None:
    found = run_python(environment_without(tmp_path / "venv", "torch"), copy.root, "check", "1.1")
    assert found.returncode == 2
    assert "No module named 'torch'" in found.stderr
    assert "`attn doctor` says what is missing" in one_line(found.stderr)
    assert "Traceback" not in found.stderr


@pytest.mark.slow
def test_an_old_python_is_told_before_anything_is_imported(tmp_path: Path, course: Workspace) -> None:
    (tmp_path / "sitecustomize.py").write_text('import sys\nsys.version_info = (3, 9, 18, "final", 0)\n')
    found = run_python(Path(sys.executable), course.root, PYTHONPATH=str(tmp_path))
    assert found.returncode == 1
    assert found.stderr.startswith("The course needs Python 3.11 or newer. This is Python 3.9, ")
    assert "Traceback" not in found.stderr


@pytest.mark.slow
def test_files_of_the_students_that_are_called_as_modules_of_pythons_are_in_nobodys_way(copy: Workspace) -> None:
    for module in ("random", "token", "string", "copy", "queue"):
        (copy.root / f"{module}.py").write_text("raise ValueError('nobody should import this')\n")
    found = run_python(Path(sys.executable), copy.root, "check", "1.1")
    assert (found.returncode, found.stderr) == (1, "")
    assert "not attempted" in found.stdout


@pytest.mark.slow
@in_pieces
def test_a_check_with_a_broken_library_says_so(copy: Workspace, tmp_path: Path, code: str, error: str) -> None:
    broken = lay_package(tmp_path / "broken", "numpy", "1.0", __init__=code)

    found = run_python(Path(sys.executable), copy.root, "check", "1.1", PYTHONPATH=str(broken), COLUMNS="200")

    assert found.returncode == 2
    assert one_line(found.stderr).startswith(
        f"a part of the installation is missing or broken ({error}). `attn doctor` says which"
    )


# environments


def test_an_environment_that_was_moved_is_said(
    tmp_path: Path, copy: Workspace, fail: Fail, monkeypatch: pytest.MonkeyPatch
) -> None:
    make_environment(tmp_path / "before")
    after = (tmp_path / "before").rename(tmp_path / "after")
    monkeypatch.setattr(sys, "prefix", str(after))

    finding = found_of("environment", copy)

    assert finding.good is False
    assert finding.found.startswith(f"{after} was made as {tmp_path / 'before'}, ")
    assert finding.remedy[0].startswith("Make the environment again.")


def test_an_environment_with_settings_in_another_encoding_is_looked_at(tmp_path: Path) -> None:
    make_environment(tmp_path / "café")
    settings = tmp_path / "café" / "pyvenv.cfg"
    settings.write_bytes(settings.read_text(encoding="utf-8").encode("latin-1"))

    assert moved_from(tmp_path / "café").endswith("caf\ufffd")


def test_an_environment_that_was_not_activated_is_to_be(
    copy: Workspace, fail: Fail, monkeypatch: pytest.MonkeyPatch
) -> None:
    make_environment(copy.root / ".venv")
    monkeypatch.chdir(copy.root)
    fail(torch="No module named 'torch'")

    assert found_of("torch", copy).remedy == (
        "The course has an environment, which is not active. Activate it:",
        ". .venv/bin/activate",
    )


def test_an_environment_that_was_moved_is_not_to_be_activated(
    tmp_path: Path, copy: Workspace, fail: Fail, monkeypatch: pytest.MonkeyPatch
) -> None:
    make_environment(tmp_path / ".venv")
    (tmp_path / ".venv").rename(copy.root / ".venv")
    monkeypatch.chdir(copy.root)
    fail(torch="No module named 'torch'")

    assert found_of("torch", copy).remedy[1:] == HERE_ANEW


def test_an_active_environment_of_the_course_that_lacks_something_is_to_be_made_again(
    copy: Workspace, fail: Fail, monkeypatch: pytest.MonkeyPatch
) -> None:
    make_environment(copy.root / ".venv")
    monkeypatch.setattr(sys, "prefix", str(copy.root / ".venv"))
    monkeypatch.chdir(copy.root)
    fail(torch="No module named 'torch'")

    assert found_of("torch", copy).remedy[1:] == HERE_ANEW


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


def test_a_missing_exam_of_a_course_without_git_is_to_be_taken_once_more(
    copy: Workspace, look: Callable[[str], Finding]
) -> None:
    copy.practice_exam.unlink()

    assert look("course").remedy == ("Copy the folder exams/ again from where you got the course.",)


def test_an_exam_that_is_cut_off_is_told(copy: Workspace, look: Callable[[str], Finding]) -> None:
    copy.practice_exam.write_bytes(copy.practice_exam.read_bytes()[:10_000])

    assert "is not an exam" in look("course").found


def test_an_exam_of_another_version_is_told(copy: Workspace, look: Callable[[str], Finding]) -> None:
    syllabus = copy.syllabus.read_text(encoding="utf-8")
    copy.syllabus.write_text(syllabus.replace("Attention with nothing to learn", "Attention"), encoding="utf-8")

    assert "is of another version of the course" in look("course").found


def test_a_syllabus_that_cannot_be_read_is_told(copy: Workspace, look: Callable[[str], Finding]) -> None:
    copy.syllabus.write_text("{}")

    assert "expected a syllabus of schema" in look("course").found


def test_two_copies_of_the_course_that_are_mixed_up_are_told(
    copy: Workspace, course: Workspace, look: Callable[[str], Finding]
) -> None:
    (copy.root / "autograder").mkdir()

    finding = look("course")

    assert finding.found == f"you are in {copy.root}, but this attn belongs to {course.root}"
    assert finding.remedy[-1] == f"{sys.executable} -m {INSTALL}"


@pytest.mark.usefixtures("fail")
def test_outside_any_course_the_way_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)

    assert found_of("course", None).remedy == ("Go to the folder of the course.",)


def test_in_a_course_without_its_exams_the_way_to_have_them_is_told(
    copy: Workspace, look: Callable[[str], Finding]
) -> None:
    shutil.rmtree(copy.root / "exams")

    assert look("course").remedy == ("Copy the folder exams/ again from where you got the course.",)


def test_looking_at_progress_leaves_nothing_behind(copy: Workspace, look: Callable[[str], Finding]) -> None:
    assert look("progress").found == "none yet; the first check creates it"
    assert not copy.memory.exists()


def test_progress_that_makes_no_sense_is_told_and_left_as_it_is(
    copy: Workspace, look: Callable[[str], Finding]
) -> None:
    copy.memory.mkdir()
    (copy.memory / "progress.json").write_text("precious")

    assert look("progress").good is False
    assert (copy.memory / "progress.json").read_text() == "precious"


@pytest.mark.parametrize(("of", "name"), [(tempfile, "TemporaryFile"), (progress, "read_progress")])
def test_a_memory_without_permissions_is_told_with_the_way_to_have_them(
    copy: Workspace, look: Callable[[str], Finding], monkeypatch: pytest.MonkeyPatch, of: object, name: str
) -> None:
    """The system never refuses root, who may read and write everything."""

    def refuse(*_: object, **__: object) -> None:
        raise PermissionError(13, "Permission denied")

    copy.memory.mkdir()
    monkeypatch.setattr(of, name, refuse)

    finding = look("progress")

    assert finding.found == f"{copy.memory} cannot be read and written: Permission denied"
    assert f"chmod -R u+rwX {copy.memory}" in finding.remedy[0]


def test_a_file_in_place_of_the_memory_is_told(copy: Workspace, look: Callable[[str], Finding]) -> None:
    copy.memory.write_text("a file, where a folder should be")

    assert look("progress").found == f"{copy.memory} cannot be read and written: Not a directory"


# other systems


@pytest.fixture
def on_macos(monkeypatch: pytest.MonkeyPatch, look: Callable[[str], Finding]) -> Callable[[str], Finding]:
    """Look where Python takes the system for macOS."""
    monkeypatch.setattr(sys, "platform", "darwin")
    return look


def test_on_macos_code_runs_in_a_worker(on_macos: Callable[[str], Finding]) -> None:
    found = on_macos("running code").found

    assert found.startswith("a warm worker process, replaced when it crashes")
    assert "this system cannot fork a warm process safely" in found


def test_a_worker_that_was_asked_for_is_noted(look: Callable[[str], Finding], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ATTN_RUNNER", "worker")

    assert "ATTN_RUNNER in the environment asks for it" in look("running code").found


def test_on_macos_there_is_no_sandbox(on_macos: Callable[[str], Finding]) -> None:
    assert on_macos("sandbox").good is None
