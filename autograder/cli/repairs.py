"""The commands that mend an install or a course, written so that they can be copied into the terminal that asked."""

import os
import shlex
import subprocess
import sys
from pathlib import Path

from autograder.workspace import COURSE, Workspace

CPU_BUILD = (
    'pip\'s usual torch for Linux is a build for NVIDIA cards of several GB. For the small one, choose "CPU" on the '
    '"Get started" page of pytorch.org and run the pip line it prints before the last line here.'
)

EXAMS_FROM_GIT = "git checkout exams"
EXAMS_ONCE_MORE = "Take the folder exams/ once more from where you have the course."


def python() -> str:
    """Write how this Python is called from the current folder."""
    program, here = Path(sys.executable), Path.cwd()
    return _quoted(str(program.relative_to(here)) if program.is_relative_to(here) else str(program))


def install(workspace: Workspace | None) -> tuple[str, ...]:
    """Install what is missing, and leave what is there."""
    return *_go_to(workspace), f"{python()} -m pip install -c requirements.lock -e ."


def install_again(workspace: Workspace | None, *packages: str) -> tuple[str, ...]:
    """Install packages again whose files are in pieces."""
    names = " ".join(packages)
    return *_go_to(workspace), f"{python()} -m pip install --force-reinstall -c requirements.lock {names}"


def install_torch_again(workspace: Workspace | None, *packages: str) -> tuple[str, ...]:
    """Take torch away, with packages that came with it, and install what is missing then."""
    return f"{python()} -m pip uninstall -y {' '.join(('torch', *packages))}", *install(workspace)


def make_environment(workspace: Workspace | None) -> tuple[str, ...]:
    """Make the environment anew, as the README does."""
    if sys.platform == "win32":
        first, activate = "py -3 -m venv --clear .venv", r".venv\Scripts\activate"
    else:
        first, activate = "python3 -m venv --clear .venv", ". .venv/bin/activate"
    return *_go_to(workspace), first, activate, "python -m pip install -c requirements.lock -e ."


def bring_exam_back(workspace: Workspace) -> tuple[str, tuple[str, ...]]:
    """Return what to say and to run to have the exams as they came."""
    if (workspace.root / ".git").exists():
        return "Git has it:", (*_go_to(workspace), EXAMS_FROM_GIT)
    return EXAMS_ONCE_MORE, ()


def way_to_course() -> str:
    """Say in a sentence how to have a course here, where none is found: its exams may be missing alone."""
    in_course = Path.cwd().is_relative_to(COURSE.root)
    return way_to_exams(COURSE.root) if in_course else "Go to the folder of the course."


def way_to_exams(root: Path) -> str:
    """Say in a sentence how to have the exams of a course as they came. root: the folder of the course."""
    return f"`{EXAMS_FROM_GIT}` brings it back." if (root / ".git").exists() else EXAMS_ONCE_MORE


def broken_install(error: ImportError) -> str:
    """Say that something cannot be imported, and who knows more."""
    return f"a part of the installation is missing or broken ({error}). `attn doctor` says which, and what to run."


def have_rights(folder: Path) -> tuple[str, ...]:
    """Have the right to read and to write all of a folder; nothing on a system that has no command for it."""
    if sys.platform == "win32":
        return ()
    name = _quoted(str(folder))
    foreign = folder.stat().st_uid != os.getuid()
    return *([f'sudo chown -R "$USER" {name}'] if foreign else []), f"chmod -R u+rwX {name}"


def move_away(path: Path) -> tuple[str]:
    """Give another name to what lies in the way."""
    verb = "move" if sys.platform == "win32" else "mv"
    return (f"{verb} {_quoted(str(path))} {_quoted(f'{path}.old')}",)


def cpu_build_on_this_system() -> str:
    """Say how to get the small build, where pip would choose another."""
    return CPU_BUILD if sys.platform == "linux" else ""


def _go_to(workspace: Workspace | None) -> tuple[str, ...]:
    if workspace is None or workspace.root.resolve() == Path.cwd().resolve():
        return ()
    return (f"cd {_quoted(str(workspace.root))}",)


def _quoted(text: str) -> str:
    return subprocess.list2cmdline([text]) if os.name == "nt" else shlex.quote(text)
