"""`attn doctor` in environments that are broken: it says what was found, what was expected, and what to run."""

import os
import platform
import re
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from subprocess import CompletedProcess

import pytest
from command import attn_in
from environments import (
    INSTALLED,
    environment_without,
    lay_libraries,
    lay_package,
    lay_torch,
    make_environment,
    packages_of,
    python_of,
)
from terminal import one_line

from autograder import __main__
from autograder.cli import examining_course, repairs
from autograder.cli.examining_course import examine_course
from autograder.cli.examining_packages import examine_packages
from autograder.cli.progress import load_progress
from autograder.cli.symptoms import Symptom
from autograder.workspace import Workspace

Run = CompletedProcess[str]
Doctor = Callable[..., Run]
Start = Callable[..., tuple[object, str]]

SIGNS = ("✓", "✗", "·")

INSTALL = "pip install -c requirements.lock -e ."
"""The README's line."""


def paragraph(stdout: str, what: str) -> str:
    """Return what is told of one thing, with its sign, on one line."""
    lines = stdout.splitlines()
    begin = next(number for number, line in enumerate(lines) if line[:1] in SIGNS and line[2:].startswith(what))
    end = next((number for number in range(begin + 1, len(lines)) if lines[number][:1] in SIGNS), len(lines))
    return one_line("\n".join(lines[begin:end]))


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


@pytest.fixture(scope="session")
def libraries(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder in which every library is quickly tried out."""
    return lay_libraries(tmp_path_factory.mktemp("quick") / "libraries")


@pytest.fixture(scope="session")
def ask(libraries: Path) -> Doctor:
    """Ask the doctor in a course; packages of some folders come first, for it and for the process that tries them out."""

    def run(workspace: Workspace, *places: Path, **environment: str) -> Run:
        path = os.pathsep.join(map(str, (*places, libraries)))
        with pytest.MonkeyPatch.context() as patch:
            for place in places:
                patch.syspath_prepend(place)
            return attn_in(workspace, "doctor", PYTHONPATH=path, **environment)

    return run


# a course that is well


@pytest.fixture(scope="module")
def healthy(course: Workspace) -> Run:
    return attn_in(course, "doctor")


@pytest.mark.slow  # it imports torch
def test_a_working_course_is_healthy(healthy: Run) -> None:
    assert healthy.returncode == 0
    assert "✗" not in healthy.stdout


@pytest.mark.slow
@pytest.mark.parametrize(
    "what",
    [
        "Python",
        "environment",
        "grader",
        "torch",
        "libraries",
        "course",
        "exercises",
        "progress",
        "disk",
        "screen",
        "running code",
        "sandbox full",
        "sandbox kernel",
    ],
)
def test_the_doctor_looks_at(healthy: Run, what: str) -> None:
    assert paragraph(healthy.stdout, what)


@pytest.fixture
def doctor(copy: Workspace, ask: Doctor) -> Doctor:
    """Ask the doctor in a copy of the course: `doctor(folder_of_packages)`."""
    return lambda *places, **environment: ask(copy, *places, **environment)


# torch that is there and cannot be used


@pytest.fixture
def doctor_with(doctor: Doctor, tmp_path: Path) -> Doctor:
    """Ask the doctor where a package of these modules comes before the one that is installed."""

    def run(name: str, **modules: str | bytes) -> Run:
        return doctor(lay_package(tmp_path / "broken", name, "2.13.0", **modules))

    return run


BROKEN = {
    "no libgomp": (
        'raise ImportError("libgomp.so.1: cannot open shared object file: No such file or directory")',
        "sudo apt-get install libgomp1",
    ),
    "no runtime of Visual C++": (
        "raise OSError('[WinError 126] The specified module could not be found. Error loading \"c10.dll\"')",
        "Microsoft Visual C++ Redistributable",
    ),
    "a library of CUDA is missing": (
        'raise OSError("libcudart.so.12: cannot open shared object file: No such file or directory")',
        "a library of theirs is missing",
    ),
    "another NumPy": (
        "from_numpy = None\ndef zeros(size):\n    raise RuntimeError('Numpy is not available')",
        "--force-reinstall -c requirements.lock numpy",
    ),
    "a file that is cut off": ("def torch(:", "A file of torch is cut off"),
    "a part that is missing": ("import torch._of_nobody", "the install did not finish"),
    "an instruction that the processor lacks": (
        "import os, signal; os.kill(os.getpid(), signal.SIGILL)",
        "The processor lacks an instruction",
    ),
    "an exit": ("raise SystemExit(3)", "The install of torch is in pieces"),
}


@pytest.mark.parametrize(("code", "said"), BROKEN.values(), ids=BROKEN)
def test_broken_torch_is_explained(doctor_with: Doctor, code: str, said: str) -> None:
    found = doctor_with("torch", __init__=code)
    assert found.returncode == 1
    assert paragraph(found.stdout, "torch").startswith("✗ torch 2.13.0 cannot be used: ")
    assert said in paragraph(found.stdout, "torch")


def test_a_library_of_torch_that_is_cut_off_is_explained(doctor_with: Doctor) -> None:
    found = doctor_with("torch", __init__="import torch._C", _C=b"\x7fELF")
    assert "A file of torch is cut off" in paragraph(found.stdout, "torch")


def test_what_torch_prints_while_it_is_imported_confuses_nobody(doctor_with: Doctor) -> None:
    found = doctor_with(
        "torch", __init__='print("[1]", \'["torch", ""]\', "null", flush=True)\nraise ImportError("no")'
    )
    assert "✗ torch 2.13.0 cannot be used: ImportError: no" in paragraph(found.stdout, "torch")


def test_a_file_that_is_taken_for_torch_is_named(doctor: Doctor, tmp_path: Path) -> None:
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "torch.py").write_text("")
    found = doctor(tmp_path / "mine")
    assert "mine/torch.py is taken for torch" in paragraph(found.stdout, "torch")


CUDA = "__version__ = '2.13.0+cu128'\ncuda: str | None = '12.8'\n"


@pytest.fixture(scope="module")
def cuda(course: Workspace, ask: Doctor, tmp_path_factory: pytest.TempPathFactory) -> Run:
    """What the doctor says where torch is a build for NVIDIA cards."""
    place = lay_torch(tmp_path_factory.mktemp("packages"), version=CUDA)
    lay_package(place, "nvidia_cublas_cu12", "12.8", size=600_000_000)
    lay_package(place, "triton", "3.4", size=700_000_000)
    return ask(course, place)


def test_a_build_for_nvidia_cards_works(cuda: Run) -> None:
    assert cuda.returncode == 0


def test_a_build_for_nvidia_cards_is_named_with_its_size(cuda: Run) -> None:
    said = "torch 2.13.0, a build for NVIDIA cards (CUDA 12.8); 2 packages beside it take 1.3 GB"
    assert said in paragraph(cuda.stdout, "torch")


def test_the_way_to_the_small_build_is_told(cuda: Run) -> None:
    said = paragraph(cuda.stdout, "torch")
    assert "run the pip line it prints, with `-c requirements.lock` at its end" in said
    assert "-m pip uninstall -y torch nvidia-cublas-cu12 triton" in said
    assert said.endswith(f"-m {INSTALL}")


# libraries


IN_PIECES = {
    "refuses": ('raise ImportError("made for another Python")', "made for another Python"),
    "raises": ('raise ValueError("numpy.dtype size changed")', "numpy.dtype size changed"),
    "is cut off": ("def (", "invalid syntax (__init__.py, line 1)"),
}
"""A library that cannot be imported, and its error."""

in_pieces = pytest.mark.parametrize(("code", "error"), IN_PIECES.values(), ids=IN_PIECES)


@in_pieces
def test_a_broken_library_is_named_with_its_error(doctor_with: Doctor, code: str, error: str) -> None:
    said = paragraph(doctor_with("safetensors", __init__=code).stdout, "libraries")
    assert re.search(rf"safetensors cannot be used: \w+: {re.escape(error)}", said)
    assert said.endswith("-m pip install --force-reinstall -c requirements.lock safetensors")


@in_pieces
def test_a_broken_library_is_not_blamed_on_the_exam(doctor_with: Doctor, code: str, error: str) -> None:
    assert "✓ course" in doctor_with("safetensors", __init__=code).stdout


def lay_broken_numpy(folder: Path) -> Path:
    return lay_package(folder, "numpy", "1.0", __init__='raise ImportError("made for another Python")')


def test_broken_numpy_is_not_blamed_on_torch(doctor: Doctor, tmp_path: Path) -> None:
    torch = lay_package(tmp_path / "torch", "torch", "2.13.0", __init__=BROKEN["another NumPy"][0])
    found = doctor(torch, lay_broken_numpy(tmp_path / "numpy")).stdout
    assert "Mend NumPy first" in paragraph(found, "torch")
    assert "uninstall" not in found


@pytest.mark.slow
def test_the_real_torch_notices_that_numpy_is_broken(copy: Workspace, tmp_path: Path) -> None:
    found = attn_in(copy, "doctor", PYTHONPATH=str(lay_broken_numpy(tmp_path)))
    assert "Mend NumPy first" in paragraph(found.stdout, "torch")


OF_THE_COMMAND = {"click": "autograder.cli.main", "rich": "autograder.cli.screen"}
"""Libraries without which the command cannot even say what is the matter, and who imports them."""


@pytest.fixture
def start(
    copy: Workspace, libraries: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Start:
    """Start the command where a library of its own is imported anew; return its exit code and what it complains of."""

    def run(library: str, *places: Path) -> tuple[object, str]:
        forget(monkeypatch, library, OF_THE_COMMAND[library])
        for place in places:
            monkeypatch.syspath_prepend(place)
        monkeypatch.setenv("PYTHONPATH", os.pathsep.join(map(str, (*places, libraries))))
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
    assert f"{library} cannot be used: " in said
    assert "Traceback" not in said


# environments


Enter = Callable[[Path], Path]


@pytest.fixture
def enter(monkeypatch: pytest.MonkeyPatch) -> Enter:
    """Let this process take an environment for its own, and return its Python."""

    def take(environment: Path) -> Path:
        path = [entry for entry in sys.path if Path(entry) != INSTALLED]
        monkeypatch.setattr(sys, "path", [*path, str(packages_of(environment))])
        monkeypatch.setattr(sys, "prefix", str(environment))
        monkeypatch.setattr(sys, "executable", str(python_of(environment)))
        monkeypatch.delenv("VIRTUAL_ENV", raising=False)
        return python_of(environment)

    return take


def found_of(what: str, workspace: Workspace) -> Symptom:
    """Return what is found of one thing among the packages, where all can be imported that is there."""
    return next(symptom for symptom in examine_packages(workspace, {}) if symptom.what == what)


@pytest.fixture
def without_torch(tmp_path: Path, enter: Enter) -> Path:
    """The Python of an environment that lacks torch, which this process takes for its own."""
    environment_without(tmp_path / "venv", "torch")
    return enter(tmp_path / "venv")


def test_missing_torch_is_said_with_the_line_that_installs_it(
    without_torch: Path, copy: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(copy.root)
    symptom = found_of("torch", copy)
    assert (symptom.found, symptom.good) == ("not installed", False)
    assert symptom.commands == (f"{without_torch} -m {INSTALL}",)


def test_from_a_folder_above_the_commands_still_hold_in_that_of_the_course(
    without_torch: Path, copy: Workspace, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert found_of("torch", copy).commands == (f"cd {copy.root}", f"{without_torch} -m {INSTALL}")


def test_an_environment_without_pip_is_to_have_it_first(
    tmp_path: Path, copy: Workspace, enter: Enter, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(copy.root)
    python = environment_without(tmp_path / "venv", "torch", "pip")
    enter(tmp_path / "venv")
    assert found_of("torch", copy).commands == (f"{python} -m ensurepip", f"{python} -m {INSTALL}")


@pytest.mark.slow
def test_a_check_without_torch_says_so(tmp_path: Path, copy: Workspace) -> None:
    found = run_python(environment_without(tmp_path / "venv", "torch"), copy.root, "check", "1.1")
    assert found.returncode == 2
    assert "No module named 'torch'" in found.stderr
    assert "`attn doctor` says what is missing" in one_line(found.stderr)
    assert "Traceback" not in found.stderr


@pytest.mark.parametrize("library", OF_THE_COMMAND)
def test_a_missing_library_of_the_command_itself_is_said(
    tmp_path: Path, enter: Enter, start: Start, library: str
) -> None:
    environment_without(tmp_path / "venv", library)
    enter(tmp_path / "venv")
    ended, said = start(library)
    assert ended == 2
    assert f"attn cannot start: No module named '{library}" in said
    assert f"missing: {library}" in said
    assert f"-m {INSTALL}" in said
    assert "Traceback" not in said


def test_a_grader_that_is_not_installed_is_said(tmp_path: Path, copy: Workspace, enter: Enter) -> None:
    environment_without(tmp_path / "venv", "__editable__", "attention_by_writing_it")
    enter(tmp_path / "venv")
    assert found_of("grader", copy).found == "not installed in this Python"


@pytest.mark.slow
def test_in_an_empty_environment_it_says_what_is_missing(tmp_path: Path, copy: Workspace, course: Workspace) -> None:
    make_environment(tmp_path / "venv")
    found = run_python(python_of(tmp_path / "venv"), copy.root, "doctor", PYTHONPATH=str(course.root))
    assert (found.returncode, found.stdout) == (2, "")
    assert "attn cannot start: No module named 'click'" in found.stderr
    assert "missing: click, rich, numpy" in one_line(found.stderr)
    assert f"-m {INSTALL}" in found.stderr
    assert "Traceback" not in found.stderr


@pytest.fixture
def forgotten(copy: Workspace, monkeypatch: pytest.MonkeyPatch) -> Callable[[], list[Symptom]]:
    """Look at the packages of the Python that this environment was made with."""

    def look() -> list[Symptom]:
        monkeypatch.setattr(sys, "path", [entry for entry in sys.path if Path(entry) != INSTALLED])
        monkeypatch.setattr(sys, "prefix", sys.base_prefix)
        monkeypatch.chdir(copy.root)
        return [*examine_packages(copy, {})]

    return look


def test_an_environment_that_was_not_activated_is_to_be(
    copy: Workspace, forgotten: Callable[[], list[Symptom]]
) -> None:
    make_environment(copy.root / ".venv")
    (symptom,) = forgotten()
    assert symptom.advice.endswith("Activate it, then call your command again:")
    assert symptom.commands == (". .venv/bin/activate",)


def test_where_no_environment_was_made_one_is_to_be_and_nothing_else_is_told(
    forgotten: Callable[[], list[Symptom]],
) -> None:
    (symptom,) = forgotten()
    assert symptom.what == "environment"
    assert symptom.commands == ("python3 -m venv --clear .venv", ". .venv/bin/activate", f"python -m {INSTALL}")


def test_an_environment_that_was_moved_is_said(
    tmp_path: Path, copy: Workspace, enter: Enter, monkeypatch: pytest.MonkeyPatch
) -> None:
    make_environment(tmp_path / "before")
    enter((tmp_path / "before").rename(tmp_path / "after"))
    monkeypatch.chdir(copy.root)
    symptom = found_of("environment", copy)
    assert (symptom.found, symptom.good) == (f"{tmp_path / 'after'} was made as {tmp_path / 'before'}", False)
    assert symptom.commands[:2] == ("python3 -m venv --clear .venv", ". .venv/bin/activate")


def test_a_python_that_was_changed_under_its_environment_is_said(tmp_path: Path, copy: Workspace, enter: Enter) -> None:
    make_environment(tmp_path / "venv")
    settings = tmp_path / "venv" / "pyvenv.cfg"
    version = ".".join(map(str, sys.version_info[:3]))
    settings.write_text(settings.read_text().replace(f"version = {version}", "version = 3.10.1"))
    enter(tmp_path / "venv")
    said = f"was made with Python 3.10 and is now run by 3.{sys.version_info.minor}"
    assert found_of("environment", copy).found.endswith(said)


def test_what_an_interrupted_pip_has_left_is_said(tmp_path: Path, copy: Workspace, enter: Enter) -> None:
    environment_without(tmp_path / "venv", "torch", "click-")
    packages = packages_of(tmp_path / "venv")
    (packages / "~umpy").mkdir()
    for version in ("8.1.0", "8.2.0"):
        lay_package(tmp_path / version, "click", version)
        (tmp_path / version / f"click-{version}.dist-info").rename(packages / f"click-{version}.dist-info")
    enter(tmp_path / "venv")
    assert found_of("half an install", copy).found.endswith("click is there twice, ~umpy was left behind")


def test_what_lies_in_a_folder_outside_the_environment_is_not_its_own(doctor: Doctor, tmp_path: Path) -> None:
    (tmp_path / "outside" / "~umpy").mkdir(parents=True)
    assert "half an install" not in doctor(tmp_path / "outside").stdout


def test_another_active_environment_is_noted(doctor: Doctor, tmp_path: Path) -> None:
    found = doctor(VIRTUAL_ENV=str(tmp_path))
    assert f"· environment {tmp_path} is active, but this attn runs in {sys.prefix}" in paragraph(
        found.stdout, "environment"
    )


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


@in_pieces
@pytest.mark.parametrize("library", ["numpy", "safetensors"])
def test_a_check_with_a_broken_library_says_so(
    copy: Workspace, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, library: str, code: str, error: str
) -> None:
    forget(monkeypatch, library, "autograder.cli.checking", "autograder.exam.files")
    monkeypatch.syspath_prepend(lay_package(tmp_path / "broken", library, "1.0", __init__=code))
    found = attn_in(copy, "check", "1.1", ATTN_TRACEBACK=None)
    assert found.returncode == 2
    assert one_line(found.stderr).startswith(
        f"a part of the installation is missing or broken ({error}). `attn doctor` says which"
    )


# the course


def found_in(workspace: Workspace, what: str) -> Symptom:
    """Return what is found of one thing in a course."""
    return next(symptom for symptom in examine_course(workspace, "") if symptom.what == what)


def test_a_missing_exam_is_told_with_the_way_to_have_it_back(copy: Workspace, doctor: Doctor) -> None:
    (copy.root / ".git").mkdir()
    copy.practice_exam.unlink()
    found = doctor()
    assert found.returncode == 1
    assert "✗ course the practice exam is missing Git has it: git checkout :/exams" in paragraph(found.stdout, "course")


@pytest.fixture
def torch_alone(tmp_path: Path) -> Path:
    """A torch that is quickly tried out; the other libraries are those with which the exam is read."""
    return lay_torch(tmp_path / "torch")


@pytest.mark.slow
def test_an_exam_that_is_cut_off_is_told(copy: Workspace, torch_alone: Path) -> None:
    copy.practice_exam.write_bytes(copy.practice_exam.read_bytes()[:10_000])
    found = attn_in(copy, "doctor", PYTHONPATH=str(torch_alone))
    assert "✗ course the practice exam cannot be used" in paragraph(found.stdout, "course")


@pytest.mark.slow
def test_an_exam_of_another_version_is_told(copy: Workspace, torch_alone: Path) -> None:
    syllabus = copy.syllabus.read_text(encoding="utf-8")
    copy.syllabus.write_text(syllabus.replace("Attention without weights", "Attention"), encoding="utf-8")
    found = attn_in(copy, "doctor", PYTHONPATH=str(torch_alone))
    assert "it is of another version of the course" in paragraph(found.stdout, "course")


def test_a_missing_exam_of_a_course_without_git_is_to_be_taken_once_more(copy: Workspace) -> None:
    copy.practice_exam.unlink()
    assert "Take the folder exams/ once more" in found_in(copy, "course").advice


def test_a_syllabus_that_cannot_be_read_is_told(copy: Workspace) -> None:
    copy.syllabus.write_text("{}")
    assert found_in(copy, "syllabus").good is False


def test_two_copies_of_the_course_that_are_mixed_up_are_told(copy: Workspace, course: Workspace) -> None:
    (copy.root / "autograder").mkdir()
    assert found_in(copy, "course").found == f"you are in {copy.root}, but this attn belongs to {course.root}"


def test_missing_exercises_are_told_with_the_way_to_have_their_stubs(copy: Workspace) -> None:
    copy.exercise("part1_simplified").unlink()
    symptom = found_in(copy, "exercises")
    assert symptom.found == "missing: part1_simplified.py"
    assert symptom.commands == ("attn reset part1_simplified --yes",)


def test_outside_any_course_the_way_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (symptom,) = examine_course(None, "")
    assert "Go to the folder of the course" in symptom.advice


def test_in_a_course_without_its_exams_the_way_to_have_them_is_told(
    copy: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(repairs, "COURSE", copy)
    monkeypatch.chdir(copy.exercises)
    (symptom,) = examine_course(None, "")
    assert symptom.advice == "Take the folder exams/ once more from where you have the course."


def test_progress_that_makes_no_sense_is_told_and_left_as_it_is(copy: Workspace) -> None:
    copy.memory.mkdir()
    (copy.memory / "progress.json").write_text("precious")
    assert found_in(copy, "progress").good is False
    assert (copy.memory / "progress.json").read_text() == "precious"


def test_progress_that_was_set_aside_is_told(copy: Workspace) -> None:
    copy.memory.mkdir()
    (copy.memory / "progress.json").write_text("precious")
    load_progress(copy)
    assert f"is now {copy.memory / 'progress.unreadable.json'}" in found_in(copy, "progress").found


def forbid(monkeypatch: pytest.MonkeyPatch, of: object, name: str) -> None:
    """Have a function refuse as the system does: root, who may read and write everything, is never refused."""

    def refuse(*_: object, **__: object) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(of, name, refuse)


def test_a_place_that_cannot_be_written_to_is_told(copy: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
    forbid(monkeypatch, tempfile, "TemporaryFile")
    assert found_in(copy, "disk").found == f"{copy.root} cannot be written to: Permission denied"
    assert "have this one given to you" in found_in(copy, "disk").advice


def test_a_memory_without_permissions_is_told_with_the_way_to_have_them(
    copy: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    copy.memory.mkdir()
    forbid(monkeypatch, examining_course, "read_progress")
    symptom = found_in(copy, "progress")
    assert symptom.found == f"{copy.memory / 'progress.json'} cannot be read: Permission denied"
    assert symptom.commands == (f"chmod -R u+rwX {copy.memory}",)


def test_a_memory_that_cannot_be_written_to_is_told_with_the_way_to_have_the_right(
    copy: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    copy.memory.mkdir()
    forbid(monkeypatch, tempfile, "TemporaryFile")
    assert found_in(copy, "disk").commands == (f"chmod -R u+rwX {copy.memory}",)


def test_a_memory_of_another_user_is_to_be_had_first(copy: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
    copy.memory.mkdir()
    forbid(monkeypatch, tempfile, "TemporaryFile")
    monkeypatch.setattr(os, "getuid", lambda: copy.memory.stat().st_uid + 1)
    assert found_in(copy, "disk").commands[0] == f'sudo chown -R "$USER" {copy.memory}'


def test_a_file_in_place_of_the_memory_is_told_with_the_way_to_move_it(copy: Workspace) -> None:
    copy.memory.write_text("a file, where a folder should be")
    symptom = found_in(copy, "progress")
    assert symptom.found == f"{copy.memory} is a file, where a folder should be"
    assert symptom.commands == (f"mv {copy.memory} {copy.memory}.old",)


def test_a_folder_in_place_of_the_progress_is_told_with_the_way_to_move_it(copy: Workspace) -> None:
    place = copy.memory / "progress.json"
    place.mkdir(parents=True)
    symptom = found_in(copy, "progress")
    assert symptom.found == f"{place} is a folder, where a file should be"
    assert symptom.commands == (f"mv {place} {place}.old",)


# other systems and screens


def test_a_screen_without_utf8_is_noted(copy: Workspace, doctor: Doctor) -> None:
    found = doctor(PYTHONIOENCODING="ascii")
    assert "- screen its encoding is ascii" in one_line(found.stdout)


@pytest.fixture(scope="module")
def on_macos(course: Workspace, ask: Doctor) -> Run:
    """What the doctor says where Python takes the system for macOS."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys, "platform", "darwin")
        patch.setattr(platform, "system", lambda: "Darwin")
        return ask(course)


def test_on_macos_code_runs_in_a_worker(on_macos: Run) -> None:
    said = paragraph(on_macos.stdout, "running code")
    assert "a warm worker process, replaced when it crashes" in said
    assert "macOS cannot fork a warm process safely" in said


def test_a_worker_that_was_asked_for_is_noted(doctor: Doctor) -> None:
    said = paragraph(doctor(ATTN_SITTING="worker").stdout, "running code")
    assert "ATTN_SITTING in the environment asks for it" in said


def test_on_macos_there_is_no_sandbox(on_macos: Run) -> None:
    assert "· sandbox none macOS has none." in paragraph(on_macos.stdout, "sandbox")
