"""Check the installation and say how to repair it, even if libraries are missing or broken."""

import platform
import re
import shlex
import subprocess
import sys
import traceback
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import TextIO

from autograder.student.start import INSTALLED
from autograder.workspace import COURSE, Workspace

ENVIRONMENT = ".venv"
LIBRARIES = ("autograder", "click", "rich", "numpy", "safetensors", "msgspec", "jaxtyping", "pytest")
USE_TORCH = "import torch; torch.from_numpy(torch.zeros(1).numpy()); print(f'\\n{torch.__version__}')"
"""Code that prints the version of torch. It also fails if torch cannot share tensors with NumPy."""

PATIENCE = 120.0
"""The time limit, in seconds, of an import of torch. It takes two, but far more from a slow disk."""

MARGIN = 17
"""The width, in characters, of the column with the names of the findings."""

SIGNS, ASCII_SIGNS = {True: "✓", False: "✗", None: "·"}, {True: "ok", False: "X ", None: "- "}

OUTSIDE = {
    r"\blibgomp": "The system lacks a library with which torch computes: `sudo apt-get install libgomp1`.",
    r"DLL|WinError 126": 'Windows lacks a library: install the "Microsoft Visual C++ Redistributable" for x64 from microsoft.com.',
    r"signal 4\b|GLIBC_": "This machine's processor or system is too old for this torch. Use another machine.",
    r"signal 9\b|memory|longer than": "Close other programs: torch takes about 300 MB, and seconds to be imported.",
}
"""By a pattern in an error of torch, its remedy. A new environment would not cure these errors."""


@dataclass(frozen=True)
class Finding:
    """The result of one check.

    good: None if something is missing that only some users need. remedy: a sentence, then commands.
    """

    name: str
    found: str
    good: bool | None = True
    remedy: tuple[str, ...] = ()


def report(findings: Iterable[Finding], stream: TextIO | None = None) -> bool:
    """Print findings, then each remedy after the names of the findings that need it.

    Return False if `good` is False in any finding. Commands have their own lines, for copying.
    """
    stream = stream or sys.stdout
    signs = SIGNS if (stream.encoding or "").lower().startswith("utf") else ASCII_SIGNS
    helped: dict[tuple[str, ...], list[str]] = {}
    sound = True
    for finding in findings:
        sound = sound and finding.good is not False
        print(f"{signs[finding.good]} {finding.name:<{MARGIN}}{finding.found}", file=stream)
        if finding.remedy:
            helped.setdefault(finding.remedy, []).append(finding.name)
    for (sentence, *commands), names in helped.items():
        print("", f"{', '.join(names)}: {sentence}", *(f"    {one}" for one in commands), sep="\n", file=stream)
    return sound


def examine(workspace: Workspace | None) -> Iterator[Finding]:
    """Yield findings. If a library cannot be imported, the exam and the sandbox are not checked."""
    anew = working_environment(workspace)
    yield Finding("Python", f"{platform.python_version()} on {platform.system()}, {sys.executable}")
    yield Finding("grader", str(COURSE.root))
    yield Finding("environment", sys.prefix)
    troubles = {name: _trouble_of(name) for name in LIBRARIES}
    broken = "; ".join(f"{name} cannot be used: {trouble}" for name, trouble in troubles.items() if trouble)
    yield Finding("libraries", broken or "all there", not broken, anew if broken else ())
    yield _torch(anew)
    yield _course(workspace, not broken)
    if not broken:
        yield from _sandboxes()


def _trouble_of(library: str) -> str:
    try:
        import_module(library)
    except Exception as error:  # a broken library may raise any exception
        return f"{type(error).__name__}: {error}"
    return ""


def _torch(anew: tuple[str, ...]) -> Finding:
    printed, trouble = _try_torch()
    if trouble:
        outside = [(advice,) for sign, advice in OUTSIDE.items() if re.search(sign, trouble, re.IGNORECASE)]
        return Finding("torch", f"cannot be used: {trouble}", False, [*outside, anew][0])
    return Finding("torch", printed)


def _try_torch() -> tuple[str, str]:
    """Return the version of torch and the last line of its error. The error is empty if torch works.

    A child process imports torch, because a broken torch may hang, crash or print anything.
    """
    command = [sys.executable, "-P", "-c", USE_TORCH]
    try:
        done = subprocess.run(command, capture_output=True, timeout=PATIENCE, encoding="utf-8", errors="replace")
    except subprocess.TimeoutExpired:
        return "", f"it took longer than {PATIENCE:g} s"
    if done.returncode < 0:
        return "", f"the process was ended by signal {-done.returncode}"
    printed, complaint = ((text.splitlines() or [""])[-1] for text in (done.stdout, done.stderr))
    return printed, (complaint or f"exit code {done.returncode}") if done.returncode else ""


def _course(workspace: Workspace | None, can_read: bool) -> Finding:
    if not workspace:
        return Finding("course", "there is no course.toml here or above", False, ("Go to the folder of the course.",))
    if (workspace.root / "autograder").is_dir() and workspace.root.resolve() != COURSE.root:
        found = f"you are in {workspace.root}, but this attn belongs to {COURSE.root}"
        sentence = "Two copies of the course are mixed up. Install the one that you are in:"
        return Finding("course", found, False, (sentence, *install(workspace)))
    if can_read:
        from autograder.exam.files import NotAnExam, read_exam

        try:
            read_exam(workspace.practice_exam)
        except (NotAnExam, OSError) as error:
            return Finding("course", str(error), False, (way_to_exams(workspace.root),))
    return Finding("course", str(workspace.root))


def _sandboxes() -> Iterator[Finding]:
    """Yield a finding on each of two levels of the sandbox. Only instructors need the sandbox."""
    from autograder.sandbox.levels import missing_of

    for level in ("full", "kernel"):
        missing = missing_of(level)
        found = "; ".join(f"{layer.name}: {layer.missing}" for layer in missing)
        remedy = "; ".join(dict.fromkeys(layer.advice for layer in missing))
        remedies = (f"only instructors need it: {remedy}",) if missing else ()
        yield Finding(
            f"sandbox {level}", found or "there, for marking others' code", None if missing else True, remedies
        )


def pip_install(extra: str = "") -> str:
    """Return the `pip install` command for the grader, by its package's name or from the current folder."""
    extras = f"[{extra}]" if extra else ""
    if INSTALLED.is_file():
        from importlib.metadata import packages_distributions  # slow to import

        return f"pip install --upgrade {quoted(packages_distributions()['autograder'][0] + extras)}"
    target = f'".{extras}"' if extra else "."
    return f"pip install -c requirements.lock -e {target}"


def working_environment(workspace: Workspace | None) -> tuple[str, ...]:
    """Return a sentence and the commands that activate the course's environment, or make it again."""
    root = (workspace or COURSE).root
    venv = root / ENVIRONMENT
    windows = sys.platform == "win32"
    activate = rf"{ENVIRONMENT}\Scripts\activate" if windows else f". {ENVIRONMENT}/bin/activate"
    if (venv / "pyvenv.cfg").is_file() and venv.resolve() != Path(sys.prefix).resolve():
        return "The course has an environment, which is not active. Activate it:", *_go_to(root), activate
    make = f"{'py -3' if windows else 'python3'} -m venv --clear {ENVIRONMENT}"
    return "Make the environment again.", *_go_to(root), make, activate, f"python -m {pip_install()}"


def install(workspace: Workspace, extra: str = "") -> tuple[str, ...]:
    """Return the commands that install the grader. extra: the name of a group of optional libraries."""
    return *_go_to(workspace.root), f"{quoted(sys.executable)} -m {pip_install(extra)}"


def way_to_exams(root: Path) -> str:
    """Return a sentence on how to restore the exams of the course in the folder `root`."""
    if (root / ".git").exists():
        return "`git checkout :/exams` restores it."
    return "Copy the folder exams/ again from where you got the course."


def came_of_importing(error: Exception) -> bool:
    """Return whether an error was raised during an import. A broken module may raise any exception."""
    frames = traceback.walk_tb(error.__traceback__)
    return isinstance(error, ImportError) or any(frame.f_code.co_name == "<module>" for frame, _ in frames)


def broken_install(error: Exception) -> str:
    """Return the message for a library that cannot be imported."""
    return f"a part of the installation is missing or broken ({error}). `attn doctor` says which, and what to run."


def _go_to(root: Path) -> tuple[str, ...]:
    return () if root.resolve() == Path.cwd().resolve() else (f"cd {quoted(str(root))}",)


def quoted(text: str) -> str:
    """Return an argument of a command, quoted for the terminal if it needs quotes."""
    return subprocess.list2cmdline([text]) if sys.platform == "win32" else shlex.quote(text)
