"""Examining the machine: what is there, what is missing, and how to get it. Needs no library, and imports none that may be broken."""

import contextlib
import json
import os
import platform
import subprocess
import sys
from collections.abc import Iterator, Mapping

from autograder.cli import trying
from autograder.cli.examining_course import examine_course
from autograder.cli.examining_packages import examine_packages
from autograder.cli.symptoms import Symptom
from autograder.sitting.forking import CHOICE, WORKER, can_fork
from autograder.workspace import Workspace

PATIENCE = 120.0
"""Seconds. Importing torch takes two, on a machine that has just started or has a slow disk far more."""

SYSTEMS = {"Darwin": "macOS"}
"""How people call a system where Python calls it otherwise."""


def examine(workspace: Workspace | None) -> Iterator[Symptom]:
    """Yield what this machine can give."""
    yield _python()
    tried = _try_out(workspace)
    yield from examine_packages(workspace, tried)
    yield from examine_course(workspace, tried.get(trying.EXAM, ""))
    yield _screen()
    yield _way_of_running()
    yield from _sandboxes()


def _try_out(workspace: Workspace | None) -> Mapping[str, str]:
    """Return for each trial why it failed, in a line; empty where all is well."""
    files = (str(workspace.practice_exam), str(workspace.syllabus)) if workspace else ()
    command = [sys.executable, "-P", trying.__file__, *files]
    try:
        done = subprocess.run(command, capture_output=True, timeout=PATIENCE)
        printed, end = done.stdout, f"the process ended with exit code {done.returncode}"
        if done.returncode < 0:
            end = f"the process was ended by signal {-done.returncode}"
    except subprocess.TimeoutExpired as late:
        printed, end = late.stdout or b"", f"it took longer than {PATIENCE:g} s"
    tried: dict[str, str] = {}
    for line in printed.decode("utf-8", "replace").splitlines():
        with contextlib.suppress(ValueError, TypeError):  # what a library prints while it is imported
            name, reason = json.loads(line)
            tried[name] = end if reason is None else " ".join(reason.split())
    return tried


def _python() -> Symptom:
    return Symptom("Python", f"{platform.python_version()} on {_system()}, {sys.executable}", True)


def _system() -> str:
    return SYSTEMS.get(platform.system(), platform.system())


def _screen() -> Symptom:
    encoding = (sys.stdout.encoding or "unknown").lower()
    if encoding.startswith("utf"):
        return Symptom("screen", "shows every sign", True)
    advice = "Pictures are drawn with letters alone, which works. To see shaded cells, choose UTF-8 before attn:"
    command = "chcp 65001" if sys.platform == "win32" else "export LC_ALL=C.UTF-8"
    return Symptom("screen", f"its encoding is {encoding}", None, advice, (command,))


def _way_of_running() -> Symptom:
    forks = can_fork()
    if forks and os.environ.get(CHOICE) != WORKER:
        return Symptom("running code", "a fresh forked process for each part", True)
    reason = f"{CHOICE} in the environment asks for it" if forks else f"{_system()} cannot fork a warm process safely"
    advice = f"{reason}, so one process is used again and again. The marks are the same."
    return Symptom("running code", "a warm worker process, replaced when it crashes", True, advice)


def _sandboxes() -> Iterator[Symptom]:
    if sys.platform != "linux":
        advice = f"{_system()} has none. You need none for your own code; instructors mark a class on Linux."
        yield Symptom("sandbox", "none", None, advice)
        return
    from autograder.sitting.sandbox.levels import missing_of

    for level in ("full", "kernel"):
        what, missing = f"sandbox {level}", missing_of(level)
        if missing:
            found = "; ".join(f"{layer.name}: {layer.missing}" for layer in missing)
            advice = "; ".join(dict.fromkeys(layer.advice for layer in missing))
            yield Symptom(what, found, None, f"only instructors need it: {advice}")
        else:
            yield Symptom(what, "there, for marking others' code", True)
