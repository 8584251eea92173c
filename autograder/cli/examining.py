"""Examining the machine: what is there, what is missing, and how to get it."""

import importlib.metadata
import importlib.util
import os
import platform
import sys
from collections.abc import Iterator
from dataclasses import dataclass

from autograder.workspace import Workspace

LIBRARIES = ("numpy", "safetensors", "jaxtyping", "click", "rich", "watchfiles", "pytest")


@dataclass(frozen=True)
class Symptom:
    """One thing that was looked at. good: None where it is needed only for some purposes."""

    what: str
    found: str
    good: bool | None
    advice: str = ""


def examine(workspace: Workspace | None) -> Iterator[Symptom]:
    """Yield what this machine can give."""
    yield _python()
    yield _course(workspace)
    yield _torch()
    missing = [name for name in LIBRARIES if not importlib.util.find_spec(name)]
    yield Symptom(
        "libraries",
        f"missing: {', '.join(missing)}" if missing else "all there",
        not missing,
        "make grade installs them" if missing else "",
    )
    yield _way_of_running()
    yield _sandbox("full")
    yield _sandbox("kernel")


def _python() -> Symptom:
    version = platform.python_version()
    good = sys.version_info >= (3, 11)
    return Symptom(
        "Python", f"{version} on {platform.system()}", good, "" if good else "the course needs Python 3.11 or newer"
    )


def _course(workspace: Workspace | None) -> Symptom:
    if not workspace:
        return Symptom("course", "not found from here", False, "go to the folder of the course and call it again")
    if not workspace.practice_exam.is_file():
        return Symptom("course", "the practice exam is missing", False, "git checkout exams")
    return Symptom("course", "found, with its practice exam", True)


def _torch() -> Symptom:
    try:
        version = importlib.metadata.version("torch")
    except importlib.metadata.PackageNotFoundError:
        return Symptom("torch", "not installed", False, "make grade installs it; see README for the small CPU build")
    build = version.partition("+")[2]
    cuda = build.startswith("cu") or bool(importlib.util.find_spec("nvidia"))
    advice = "this is the CUDA build, several GB; the course needs only the CPU build, see README" if cuda else ""
    return Symptom("torch", version, True, advice)


def _way_of_running() -> Symptom:
    if sys.platform == "linux" and hasattr(os, "pidfd_open"):
        return Symptom("running code", "a fresh forked process for each part", True)
    return Symptom("running code", "a warm worker process, replaced when it crashes", True)


def _sandbox(level: str) -> Symptom:
    from autograder.sitting.sandbox.levels import missing_of

    what, missing = f"sandbox {level}", missing_of(level)
    if not missing:
        return Symptom(what, "there, for marking others' code", True)
    found = "; ".join(f"{layer.name}: {layer.missing}" for layer in missing)
    advice = "; ".join(dict.fromkeys(layer.advice for layer in missing))
    return Symptom(what, found, None, f"only instructors need it: {advice}")
