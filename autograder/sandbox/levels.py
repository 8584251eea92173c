"""Find the sandbox layers that a machine lacks, and make the command that starts a server."""

import base64
import importlib.util
import json
import os
import platform
import shutil
import subprocess
import sys
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import autograder
from autograder.course.course import released_files
from autograder.sandbox import ENVIRONMENT as OF_A_SERVER
from autograder.sandbox import FULL, KERNEL, NONE, ROOMS, linux

USER = 61_184
"""The user ID that root switches to, from the range that systemd reserves for dynamic users."""

SCRATCH = 16 << 20
"""The size of `/tmp` in bytes. Only the server can write there, and nowhere else."""

REFUSED = (
    "on Ubuntu `sysctl kernel.apparmor_restrict_unprivileged_userns=0`; a container must be started so that it may make "
    "namespaces; else choose --sandbox kernel"
)
"""The advice for a machine that refuses namespaces."""

ENVIRONMENT = {
    **OF_A_SERVER,
    "HOME": "/tmp",
    "LANG": "C.UTF-8",
    "PATH": "/usr/bin:/bin",
    "TMPDIR": "/tmp",
    "TORCHINDUCTOR_CACHE_DIR": "/tmp",  # exists: torch would create another folder for deterministic algorithms
}


OF_PYTHON = ("bin", "lib", "lib64", "pyvenv.cfg")
"""The readable entries in Python's folder. Other entries, such as a checkout, are hidden."""


@dataclass(frozen=True)
class Layer:
    """A layer that this machine lacks. missing: the reason. advice: how to get the layer."""

    name: str
    missing: str
    advice: str


def missing_of(level: str) -> tuple[Layer, ...]:
    """Return the layers of a level that this machine lacks. level: one of LEVELS."""
    if level != NONE and sys.platform != "linux":
        return (Layer("sandbox", "only Linux has it", "mark on a Linux machine, or in a Linux virtual machine"),)
    kernel = (_landlock, _seccomp)
    layers = {NONE: (), KERNEL: kernel, FULL: (_namespaces, *kernel)}[level]
    return tuple(filter(None, (layer() for layer in layers)))


@cache
def _landlock() -> Layer | None:
    advice = "a kernel of version 5.13 or newer that was started with it: lsm=landlock,… among its parameters"
    missing = f"the kernel {platform.release()} does not give it"
    return None if linux.landlock_version() else Layer("Landlock", missing, advice)


@cache
def _seccomp() -> Layer | None:
    if not importlib.util.find_spec("pyseccomp"):
        return Layer("seccomp", "the package pyseccomp is not installed", "pip install -e '.[instructor]'")
    try:
        linux.compile_filter()
    except (ImportError, OSError, RuntimeError) as error:
        return Layer("seccomp", f"libseccomp does not work ({error})", "apt-get install libseccomp2")
    return None


@cache
def _namespaces() -> Layer | None:
    if not shutil.which("bwrap"):
        return Layer("namespaces", "bubblewrap is not installed", "apt-get install bubblewrap")
    tried = subprocess.run(launched(FULL, ("-I", "-S", "-c", "")), capture_output=True)
    if tried.returncode == 0:
        return None
    said = tried.stderr.decode(errors="replace").strip().splitlines() or [f"exit code {tried.returncode}"]
    return Layer("namespaces", f"they are refused: {said[-1]}", REFUSED)


def confinement(course: Path) -> dict[str, object]:
    """Return the arguments of `linux.confinement`. course: the folder that children read."""
    readable = (*_readable(course), "/proc/cpuinfo", "/dev/urandom")
    return {"readable": readable, "filter_": base64.b64encode(linux.compile_filter()).decode()}


def launched(level: str, arguments: tuple[str, ...], course: Path | None = None) -> list[str]:
    """Return the command that starts Python in the sandbox.

    level: FULL adds bubblewrap. arguments: of Python. course: the course to read; None for none.
    """
    readable, program = _readable(course), (sys.executable, *arguments)
    order = json.dumps([USER, readable, (*_bubblewrap(readable), *program) if level == FULL else program])
    return [sys.executable, "-I", "-B", "-m", "autograder.sandbox.launch", order]


def shown_by(course: Path, kept: Path) -> str:
    """Return the path readable in the sandbox that exposes the secret file `kept`; empty if none."""
    shown = (path for path in _readable(course) if kept.resolve().is_relative_to(Path(path).resolve()))
    return next(shown, "")


def _readable(course: Path | None) -> tuple[str, ...]:
    """Return the paths that a server reads: of the system, Python, ROOMS, and `released_files`."""
    package = Path(autograder.__file__).parent
    own = [package / name for name in ("__init__.py", *ROOMS)]
    own += sorted(released_files(course)) if course else []
    prefixes = dict.fromkeys((Path(sys.prefix), Path(sys.base_prefix)))
    installed = [prefix / name for prefix in prefixes for name in OF_PYTHON]
    system = [Path(path) for path in ("/usr", "/lib", "/lib64", "/etc/ld.so.cache")]
    found = dict.fromkeys(path for path in (*system, *installed, *own) if path.exists())
    return tuple(
        str(path) for path in found if not any(path != other and path.is_relative_to(other) for other in found)
    )


def _bubblewrap(readable: tuple[str, ...]) -> tuple[str, ...]:
    """Return the bubblewrap command, up to the program."""
    words = ["bwrap", "--die-with-parent", "--new-session", "--cap-drop", "ALL"]
    words += [f"--unshare-{kind}" for kind in ("user", "ipc", "pid", "net", "uts", "cgroup-try")]
    words += ["--size", str(SCRATCH), "--tmpfs", "/tmp"]
    for path in readable:
        if os.path.islink(path):
            words += ["--symlink", os.readlink(path), path]
        else:
            words += ["--ro-bind", path, path]
    words += ["--ro-bind", "/proc/cpuinfo", "/proc/cpuinfo"]  # without it torch falls back to its slowest kernels
    for device in ("/dev/null", "/dev/urandom"):
        words += ["--dev-bind", device, device]
    return (*words, "--remount-ro", "/", "--")
