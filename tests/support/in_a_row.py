"""Verbs that run one after the other in one process, with one warm process for students' code, where each would start its own.

For what needs another environment from its start. As a script it takes lists of words as JSON, and answers with what came of them.
"""

import contextlib
import io
import json
import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from unittest import mock

from warm import Lent

from autograder.workspace import COURSE

Ended = tuple[int, str, str]
"""The exit code, and what was written to standard output and to standard error."""

PATIENCE = 300.0


def run_in_a_row(folder: Path, *verbs: Sequence[str], **environment: str) -> list[Ended]:
    """Run `attn` with the words of each verb, in a folder; where the first of them is "pytest", run that.

    Words like NAME=value before a verb set its environment, as in a shell; what is imported is imported already.
    """
    done = subprocess.run(
        [sys.executable, __file__],
        input=json.dumps(verbs),
        cwd=folder,
        env={**os.environ, "PYTHONSAFEPATH": "", **environment},  # this script imports the modules beside it
        capture_output=True,
        encoding="utf-8",
        timeout=PATIENCE,
    )
    assert done.returncode == 0, done.stderr
    return [(code, printed, complained) for code, printed, complained in json.loads(done.stdout)]


def main() -> None:
    """Run the verbs that standard input holds."""
    from autograder.runner import processes

    def lend(course: Path, as_daemon: bool = False) -> Lent:
        return Lent(runner, course)

    verbs = json.load(sys.stdin)
    with (
        contextlib.closing(processes.open_runner(COURSE.root)) as runner,
        mock.patch.object(processes, "open_runner", lend),
    ):
        ended = [_run(words) for words in verbs]
    print(json.dumps(ended))


def _run(words: list[str]) -> Ended:
    printed, complained = io.StringIO(), io.StringIO()
    with contextlib.ExitStack() as stack:
        stack.enter_context(contextlib.redirect_stdout(printed))
        stack.enter_context(contextlib.redirect_stderr(complained))
        stack.enter_context(mock.patch.dict(os.environ))
        while words and "=" in words[0]:
            name, _, os.environ[name] = words.pop(0).partition("=")
        code = _exit_code(words)
    return code, printed.getvalue(), complained.getvalue()


def _exit_code(words: list[str]) -> int:
    try:
        if words[:1] == ["pytest"]:
            import pytest

            return int(pytest.main(words[1:]))
        from autograder.cli.main import main as attn

        attn(words)
    except SystemExit as end:
        return int(end.code or 0)
    return 0


if __name__ == "__main__":
    main()
