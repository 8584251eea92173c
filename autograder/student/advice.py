"""Remedies for an install or a course, as sentences and commands that can be copied into the terminal."""

import shlex
import subprocess
import sys
import traceback
from importlib.metadata import packages_distributions
from pathlib import Path

from autograder.student.start import INSTALLED
from autograder.workspace import COURSE, Workspace

ENVIRONMENT = ".venv"


def pip_install(extra: str = "") -> str:
    """Return the pip command that installs the grader: from the course's folder or, with a wheel, by name."""
    extras = f"[{extra}]" if extra else ""
    if INSTALLED.is_file():
        return f"pip install --upgrade {quoted(packages_distributions()['autograder'][0] + extras)}"
    target = f'".{extras}"' if extra else "."
    return f"pip install -c requirements.lock -e {target}"


def working_environment(workspace: Workspace | None) -> tuple[str, ...]:
    """Return a sentence and commands that activate the course's environment or make it again."""
    root = (workspace or COURSE).root
    venv = root / ENVIRONMENT
    windows = sys.platform == "win32"
    activate = rf"{ENVIRONMENT}\Scripts\activate" if windows else f". {ENVIRONMENT}/bin/activate"
    if (venv / "pyvenv.cfg").is_file() and venv.resolve() != Path(sys.prefix).resolve():
        return "The course has an environment, which is not active. Activate it:", *_go_to(root), activate
    make = f"{'py -3' if windows else 'python3'} -m venv --clear {ENVIRONMENT}"
    return "Make the environment again.", *_go_to(root), make, activate, f"python -m {pip_install()}"


def install(workspace: Workspace, extra: str = "") -> tuple[str, ...]:
    """Return the commands that install missing libraries. extra: the name of an extra that is needed, too."""
    return *_go_to(workspace.root), f"{quoted(sys.executable)} -m {pip_install(extra)}"


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
    return () if root.resolve() == Path.cwd().resolve() else (f"cd {quoted(str(root))}",)


def quoted(text: str) -> str:
    """Return a word of a command for the terminal, in quotes if it needs them."""
    return subprocess.list2cmdline([text]) if sys.platform == "win32" else shlex.quote(text)
