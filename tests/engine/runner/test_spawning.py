"""Processes of multiprocessing, in a folder in which anybody may have put modules."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from autograder.runner.processes import SAFE_PATH, spawning

PROGRAM = """\
from autograder.runner.processes import spawning

if __name__ == "__main__":
    with spawning() as context:
        process = context.Process(target=print, args=("started",))
        process.start()
        process.join()
"""


@pytest.mark.slow
@pytest.mark.parametrize("module", ["pickle", "random", "socket"])
def test_no_module_of_the_current_folder_runs(tmp_path: Path, module: str) -> None:
    (tmp_path / "program.py").write_text(PROGRAM)
    (tmp_path / "class").mkdir()
    (tmp_path / "class" / f"{module}.py").write_text("print('the student’s')\n")

    done = subprocess.run(
        [sys.executable, tmp_path / "program.py"], cwd=tmp_path / "class", capture_output=True, text=True, check=False
    )

    assert (done.stdout, done.stderr) == ("started\n", "")


@pytest.mark.parametrize("before", [None, "", "1"])
def test_the_environment_is_afterwards_as_it_was(monkeypatch: pytest.MonkeyPatch, before: str | None) -> None:
    monkeypatch.delenv(SAFE_PATH, raising=False)
    if before is not None:
        monkeypatch.setenv(SAFE_PATH, before)
    with spawning():
        pass
    assert os.environ.get(SAFE_PATH) == before
