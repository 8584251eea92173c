"""The commands that mend an install or a course, written so that they can be copied into the terminal that asked."""

import os
import shlex
import subprocess
import sys
import traceback
from importlib.util import find_spec
from pathlib import Path

from autograder.workspace import COURSE, Workspace

CPU_BUILD = (
    'pip\'s usual torch for Linux is a build for NVIDIA cards of several GB. For the small one, choose "CPU" on the '
    '"Get started" page of pytorch.org and run the pip line it prints, with `-c requirements.lock` at its end, before the '
    "last line here."
)

ENVIRONMENT = ".venv"

EXAMS_FROM_GIT = "git checkout :/exams"
EXAMS_ONCE_MORE = "Take the folder exams/ once more from where you have the course."


def install(workspace: Workspace | None, extra: str = "") -> tuple[str, ...]:
    """Install what is missing, and leave what is there. extra: what is wanted beside what every student needs."""
    return _pip(workspace, _install(extra))


def install_in_active(workspace: Workspace | None) -> tuple[str, ...]:
    """Install what is missing in the environment that is active, which is not this Python's."""
    return *_go_to(workspace), f"python -m pip {_install()}"


def install_again(workspace: Workspace | None, *packages: str) -> tuple[str, ...]:
    """Install packages again whose files are in pieces."""
    return _pip(workspace, f"install --force-reinstall -c requirements.lock {' '.join(packages)}")


def install_torch_again(workspace: Workspace | None, *packages: str) -> tuple[str, ...]:
    """Take torch away, with packages that came with it, and install what is missing then."""
    return _pip(workspace, f"uninstall -y {' '.join(('torch', *packages))}", _install())


def make_environment(workspace: Workspace | None) -> tuple[str, ...]:
    """Make the environment anew, as the README does."""
    any_python = "py -3" if sys.platform == "win32" else "python3"
    return *_go_to(workspace), f"{any_python} -m venv --clear {ENVIRONMENT}", _activate(), f"python -m pip {_install()}"


def activate_environment(workspace: Workspace) -> tuple[str, ...]:
    """Let a terminal find the environment that the course has."""
    return *_go_to(workspace), _activate()


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


def came_of_importing(error: Exception) -> bool:
    """Tell whether an error was raised while a module was imported: one that is in pieces may raise anything."""
    frames = traceback.walk_tb(error.__traceback__)
    return isinstance(error, ImportError) or any(frame.f_code.co_name == "<module>" for frame, _ in frames)


def broken_install(error: Exception) -> str:
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


def _install(extra: str = "") -> str:
    """Write what pip has to do, in quotes that every system's terminal takes."""
    course = f'".[{extra}]"' if extra else "."
    return f"install -c requirements.lock -e {course}"


def _pip(workspace: Workspace | None, *calls: str) -> tuple[str, ...]:
    """Call this Python's pip in the folder of the course, once it is there: an environment can be made without it."""
    python = _python(workspace)
    have_pip = () if find_spec("pip") else (f"{python} -m ensurepip",)
    return *_go_to(workspace), *have_pip, *(f"{python} -m pip {call}" for call in calls)


def _python(workspace: Workspace | None) -> str:
    """Write how this Python is called once the terminal is in the folder of the course."""
    program, here = Path(sys.executable), Path.cwd()
    stays = not _go_to(workspace)
    return _quoted(str(program.relative_to(here)) if stays and program.is_relative_to(here) else str(program))


def _activate() -> str:
    return rf"{ENVIRONMENT}\Scripts\activate" if sys.platform == "win32" else f". {ENVIRONMENT}/bin/activate"


def _go_to(workspace: Workspace | None) -> tuple[str, ...]:
    if workspace is None or workspace.root.resolve() == Path.cwd().resolve():
        return ()
    return (f"cd {_quoted(str(workspace.root))}",)


def _quoted(text: str) -> str:
    return subprocess.list2cmdline([text]) if os.name == "nt" else shlex.quote(text)
