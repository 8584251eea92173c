"""Remedies for an install or a course, as sentences and commands that can be copied into the terminal."""

import shlex
import subprocess
import sys
import traceback
from pathlib import Path

from autograder.workspace import COURSE, Workspace

ENVIRONMENT = ".venv"

INSTALL = "pip install -c requirements.lock -e"


def working_environment(workspace: Workspace | None) -> tuple[str, ...]:
    """Return a sentence and commands that activate the course's environment or make it again."""
    root = (workspace or COURSE).root
    venv = root / ENVIRONMENT
    windows = sys.platform == "win32"
    activate = rf"{ENVIRONMENT}\Scripts\activate" if windows else f". {ENVIRONMENT}/bin/activate"
    if (venv / "pyvenv.cfg").is_file() and venv.resolve() != Path(sys.prefix).resolve():
        return "The course has an environment, which is not active. Activate it:", *_go_to(root), activate
    make = f"{'py -3' if windows else 'python3'} -m venv --clear {ENVIRONMENT}"
    return "Make the environment again.", *_go_to(root), make, activate, f"python -m {INSTALL} ."


def install(workspace: Workspace, extra: str = "") -> tuple[str, ...]:
    """Return the commands that install missing libraries. extra: the name of an extra that is needed, too."""
    course = f'".[{extra}]"' if extra else "."
    return *_go_to(workspace.root), f"{_quoted(sys.executable)} -m {INSTALL} {course}"


def way_to_exams(root: Path) -> str:
    """Return a sentence on how to restore the exams of a course. root: the folder of the course."""
    from_git = (root / ".git").exists()
    return (
        "`git checkout :/exams` restores it."
        if from_git
        else "Copy the folder exams/ again from where you got the course."
    )


def came_of_importing(error: Exception) -> bool:
    """Return whether an import raised an error. A broken module may raise any exception."""
    frames = traceback.walk_tb(error.__traceback__)
    return isinstance(error, ImportError) or any(frame.f_code.co_name == "<module>" for frame, _ in frames)


def broken_install(error: Exception) -> str:
    """Return the message for a library that cannot be imported."""
    return f"a part of the installation is missing or broken ({error}). `attn doctor` says which, and what to run."


def _go_to(root: Path) -> tuple[str, ...]:
    return () if root.resolve() == Path.cwd().resolve() else (f"cd {_quoted(str(root))}",)


def _quoted(text: str) -> str:
    return subprocess.list2cmdline([text]) if sys.platform == "win32" else shlex.quote(text)
