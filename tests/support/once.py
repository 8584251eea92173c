"""What is expensive to make and the same for every test process is made once, by whichever process needs it first."""

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from filelock import FileLock  # torch depends on it


def made_once(factory: pytest.TempPathFactory, name: str, make: Callable[[Path], None]) -> Path:
    """Return a folder that `make` has filled, once for all processes of a run; it is there to be read.

    name: of the folder. make: is given the empty folder. Where it raises, the next process that asks tries again.
    """
    own = factory.getbasetemp()
    # A worker of pytest-xdist has a folder of its own in a common one.
    shared = own.parent if own.name.startswith("popen-") else own
    folder = shared / "once" / name
    folder.parent.mkdir(exist_ok=True)
    with FileLock(folder.with_suffix(".lock")):
        if not folder.exists():
            begun = folder.with_suffix(".begun")
            shutil.rmtree(begun, ignore_errors=True)  # of a process that failed at it
            begun.mkdir()
            make(begun)
            begun.rename(folder)
    return folder
