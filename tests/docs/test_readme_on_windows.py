"""The README's lines for Windows, run line by line by a stand-in for its command prompt, as far as Linux allows.

The stand-in turns `py -3` and paths with backslashes into what Linux has, and pip's work into this environment's packages: nothing
is fetched. The grader itself runs as if on Windows.
"""

import os
import re
import subprocess
import sys
import sysconfig
from collections.abc import Callable
from pathlib import Path

import pytest

from autograder.workspace import Workspace

pytestmark = pytest.mark.world

STAND_IN = Path(__file__).resolve().parent.parent / "support" / "elsewhere"
BLOCK = re.compile(r"^```bat\n(.*?)^```", re.MULTILINE | re.DOTALL)

ATTN = """#!{python}
from autograder.cli.main import main

main()
"""


class CommandPrompt:
    """A command prompt in a checkout."""

    def __init__(self, checkout: Path, grader: Path) -> None:
        self._checkout = checkout
        self._grader = grader

    def run(self, line: str) -> "subprocess.CompletedProcess[str]":
        """Run a line."""
        words = line.replace(".venv\\Scripts\\", f"{self._checkout}/.venv/bin/").split()
        assert "\\" not in "".join(words), f"a path that the stand-in does not know: {line}"
        if words[:2] == ["py", "-3"]:
            words[:2] = [sys.executable]
        if words[1:3] == ["-m", "venv"]:
            words.append("--without-pip")
        if words[1:4] == ["-m", "pip", "install"]:
            return self._install(*words)
        environment = {**os.environ, "ELSEWHERE": "win32", "PYTHONPATH": str(STAND_IN)}
        return subprocess.run(
            words, cwd=self._checkout, env=environment, capture_output=True, encoding="utf-8", timeout=120
        )

    def _install(self, python: str, *words: str) -> "subprocess.CompletedProcess[str]":
        """Do what pip would: the packages, the grader from its checkout, and its command."""
        assert words == ("-m", "pip", "install", "-c", "requirements.lock", "-e", ".")
        assert (self._grader / "requirements.lock").is_file()
        (site,) = self._checkout.glob(".venv/lib/*/site-packages")
        (site / "all.pth").write_text(f"{self._grader}\n{sysconfig.get_path('purelib')}\n", encoding="utf-8")
        command = Path(python).with_name("attn")
        command.write_text(ATTN.format(python=python), encoding="utf-8")
        command.chmod(0o755)
        return subprocess.CompletedProcess(words, 0, "", "")


def test_the_lines_for_windows_mark_the_stubs(course: Workspace, fresh_copy: Callable[[], Workspace]) -> None:
    (block,) = BLOCK.findall((course.root / "README.md").read_text(encoding="utf-8"))
    prompt = CommandPrompt(fresh_copy().root, course.root)

    *installs, checked = [prompt.run(line) for line in block.splitlines()]

    assert [done.returncode for done in installs] == [0, 0], [done.stderr for done in installs]
    assert checked.returncode == 1, checked.stderr
    assert "0 of 150 points" in checked.stdout
