"""`pytest` in a course: in the test's own process and with its warm ones."""

import os
import subprocess
import sys
from contextlib import ExitStack, chdir
from pathlib import Path
from unittest import mock

import pytest
from command import Stream
from warm import lend

from autograder.runner import processes
from autograder.workspace import Workspace

Run = subprocess.CompletedProcess[str]

SUPPORT = Path(__file__).resolve().parent
OPTIONS = ("-p", "no:cacheprovider", "--rootdir", ".")
PYTEST = (sys.executable, "-m", "pytest", *OPTIONS)


def environment(**more: str) -> dict[str, str]:
    """Return the environment of a pytest that is not within another one."""
    own = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST_")}
    return {**own, "COLUMNS": "200", "PYTHONDONTWRITEBYTECODE": "1", "PYTHONPATH": str(SUPPORT), **more}


def pytest_in(workspace: Workspace, *arguments: str, **more: str) -> Run:
    """Run pytest in a folder, in this process."""
    printed, complained = Stream("utf-8"), Stream("utf-8")
    with ExitStack() as stack:
        stack.enter_context(chdir(workspace.root))
        stack.enter_context(mock.patch.dict(os.environ, environment(**more), clear=True))
        stack.enter_context(mock.patch.multiple(sys, stdout=printed, stderr=complained, path=[*sys.path]))
        stack.enter_context(mock.patch.object(processes, "open_runner", lend))
        modules = dict(sys.modules)
        code = pytest.main([*OPTIONS, *arguments])
        _restore_modules(modules, workspace.root)
    return Run([*PYTEST, *arguments], int(code), printed.written, complained.written)


def _restore_modules(before: dict[str, object], folder: Path) -> None:
    """Forget the tests of a folder and the plugins of tests: another run imports its own."""
    for name, module in list(sys.modules.items()):
        file = Path(getattr(module, "__file__", None) or "/")
        if before.get(name) is not module and (file.is_relative_to(folder) or file.parent == SUPPORT):
            del sys.modules[name]
    sys.modules |= {name: module for name, module in before.items() if name not in sys.modules}  # type: ignore[misc]
