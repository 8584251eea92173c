"""How a stranger's code is confined: three levels, what each needs, what this machine has, and how to start a forker."""

import importlib.util
import json
import os
import platform
import shutil
import subprocess
import sys
from dataclasses import asdict, dataclass
from functools import cache
from pathlib import Path

import autograder
from autograder.course.course import released_files
from autograder.sandbox import ENVIRONMENT as OF_A_SERVER
from autograder.sandbox import FULL, KERNEL, NONE, Confinement, landlock, seccomp
from autograder.sandbox.launch import Launch

FIRST_USER = int(os.environ.get("ATTN_SANDBOX_USERS", "61184"))
"""Root becomes this user or one of those after it; systemd sets the same numbers aside for users that come and go.

The limit on processes is a user's: two that mark on one machine at the same time each need users of their own.
"""
USERS = 4096

SCRATCH = 16 << 20
"""Bytes of the one folder that can be written to, only by the forker."""

LARGE_PAGES = "/sys/kernel/mm/transparent_hugepage"

ENVIRONMENT = {
    **OF_A_SERVER,
    "HOME": "/tmp",
    "LANG": "C.UTF-8",
    "PATH": "/usr/bin:/bin",
    "TMPDIR": "/tmp",
    "TORCHINDUCTOR_CACHE_DIR": "/tmp",  # a folder that is there: asking for deterministic algorithms would make one
}


OF_PYTHON = ("bin", "lib", "lib64", "pyvenv.cfg")
"""What a program needs of the folder that Python is installed in, and that may hold anything besides, such as a whole checkout."""


@dataclass(frozen=True)
class Layer:
    """One layer of the sandbox on this machine. missing: what is not there, empty if all is well; advice: how to get it."""

    name: str
    missing: str = ""
    advice: str = ""


def layers_of(level: str) -> tuple[Layer, ...]:
    """Return the layers of a level, as this machine supports them."""
    if level == NONE:
        return ()
    kernel = (_landlock(), _seccomp())
    return kernel if level == KERNEL else (_namespaces(), *kernel)


def missing_of(level: str) -> tuple[Layer, ...]:
    """Return the layers of a level that this machine does not give."""
    return tuple(layer for layer in layers_of(level) if layer.missing)


@cache
def _landlock() -> Layer:
    if sys.platform != "linux":
        return Layer("Landlock", "only Linux has it", "mark on a Linux machine, or in a Linux virtual machine")
    if landlock.version() == 0:
        return Layer(
            "Landlock",
            f"the kernel {platform.release()} does not give it",
            "a kernel of version 5.13 or newer that was started with it: lsm=landlock,… among its parameters",
        )
    return Layer("Landlock")


@cache
def _seccomp() -> Layer:
    if sys.platform != "linux":
        return Layer("seccomp", "only Linux has it", "mark on a Linux machine, or in a Linux virtual machine")
    if not importlib.util.find_spec("pyseccomp"):
        return Layer("seccomp", "the package pyseccomp is not installed", "pip install -e '.[instructor]'")
    try:
        seccomp.compile_filter()
    except (ImportError, OSError, RuntimeError) as error:
        return Layer("seccomp", f"libseccomp does not work ({error})", "apt-get install libseccomp2")
    return Layer("seccomp")


@cache
def _namespaces() -> Layer:
    if sys.platform != "linux":
        return Layer("namespaces", "only Linux has them", "mark on a Linux machine, or in a Linux virtual machine")
    if not shutil.which("bwrap"):
        return Layer("namespaces", "bubblewrap is not installed", "apt-get install bubblewrap")
    tried = subprocess.run(launched(FULL, 0, (sys.executable, "-I", "-S", "-c", "")), capture_output=True)
    if tried.returncode:
        said = tried.stderr.decode(errors="replace").strip().splitlines() or [f"exit code {tried.returncode}"]
        return Layer("namespaces", f"they are refused: {said[-1]}", _advice_on_namespaces())
    return Layer("namespaces")


def _advice_on_namespaces() -> str:
    switches = {
        "/proc/sys/kernel/apparmor_restrict_unprivileged_userns": ("1", "0"),
        "/proc/sys/kernel/unprivileged_userns_clone": ("0", "1"),
        "/proc/sys/user/max_user_namespaces": ("0", "10000"),
    }
    for path, (off, on) in switches.items():
        if os.path.exists(path) and Path(path).read_text().strip() == off:
            return f"sysctl {path.removeprefix('/proc/sys/').replace('/', '.')}={on}"
    return "a container must be started so that it may make namespaces; else choose --sandbox kernel"


def confinement(level: str, course: Path, filter_descriptor: int) -> Confinement:
    """Return how the children of a forker are confined. course: the folder of the course that they read. filter_descriptor: of the compiled system-call filter."""
    return Confinement(level == FULL, filter_descriptor, (*_readable(course), "/proc/cpuinfo", "/dev/urandom"))


def launched(level: str, slot: int, program: tuple[str, ...], course: Path | None = None) -> list[str]:
    """Return the command that starts a program in the sandbox.

    slot: which of several sandboxes it is; where root starts them, the user of each is its own. course: the folder of the
    course that the program reads.
    """
    readable = _readable(course)
    wrapped = (*_bubblewrap(readable), *program) if level == FULL else program
    return _launched(FIRST_USER + slot % USERS, readable, wrapped)


def _launched(user: int, readable: tuple[str, ...], program: tuple[str, ...]) -> list[str]:
    order = Launch(user, readable, program)
    return [sys.executable, "-I", "-B", "-m", "autograder.sandbox.launch", json.dumps(asdict(order))]


def shown_by(course: Path, kept: Path) -> str:
    """Return the path by which a submission could read something that is kept from it; nothing where it cannot."""
    shown = (path for path in _readable(course) if kept.resolve().is_relative_to(Path(path).resolve()))
    return next(shown, "")


def _readable(course: Path | None) -> tuple[str, ...]:
    """Return what a forker reads: the system's programs, Python's, of the grader what it runs, and of a course what students have."""
    package = Path(autograder.__file__).parent
    own = [package / name for name in ("__init__.py", "course", "exam", "runner", "sandbox", "submission")]
    own += sorted(released_files(course)) if course else []
    prefixes = dict.fromkeys((Path(sys.prefix), Path(sys.base_prefix)))
    installed = [prefix / name for prefix in prefixes for name in OF_PYTHON]
    system = [Path(path) for path in ("/usr", "/lib", "/lib64", "/etc/ld.so.cache")]
    found = dict.fromkeys(path for path in (*system, *installed, *own) if path.exists())
    return tuple(
        str(path) for path in found if not any(path != other and path.is_relative_to(other) for other in found)
    )


def _bubblewrap(readable: tuple[str, ...]) -> tuple[str, ...]:
    """Return the bubblewrap command up to the program: its own namespaces, and a system of which nothing can be written."""
    words = ["bwrap", "--die-with-parent", "--new-session", "--clearenv", "--cap-drop", "ALL"]
    words += ["--cap-add", "CAP_SYS_ADMIN", "--cap-add", "CAP_SETPCAP"]  # the forker makes a process namespace a child
    words += [f"--unshare-{kind}" for kind in ("user", "ipc", "pid", "net", "uts", "cgroup-try")]
    for name, value in ENVIRONMENT.items():
        words += ["--setenv", name, value]
    words += ["--size", str(SCRATCH), "--tmpfs", "/tmp"]
    for path in readable:
        if os.path.islink(path):
            words += ["--symlink", os.readlink(path), path]
        else:
            words += ["--ro-bind", path, path]
    words += ["--ro-bind", "/proc/cpuinfo", "/proc/cpuinfo"]  # without it torch falls back to its slowest kernels
    words += ["--ro-bind-try", LARGE_PAGES, LARGE_PAGES]  # without it the C library does not use them
    for device in ("/dev/null", "/dev/urandom"):
        words += ["--dev-bind", device, device]
    return (*words, "--remount-ro", "/", "--")
