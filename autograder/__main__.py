"""Run the command `attn` by `python -m autograder`, or explain why the command cannot start.

This module must run in Python 3.7 without other libraries, to report an old Python.
"""

from __future__ import annotations

import gc
import os
import sys

TRACEBACK = "ATTN_TRACEBACK"
OLDEST = (3, 11)

RARELY = 50_000
"""Allocations between two garbage collections. Python's default, 700, causes hundreds of them."""

TOO_OLD = """\
The course needs Python {}.{} or newer. This is Python {}.{}, {}.
Install a newer one, and make the environment again with it, in the folder of the course:
    python3 -m venv --clear .venv
    . .venv/bin/activate        (on Windows: .venv\\Scripts\\activate)
    python -m pip install -c requirements.lock -e ."""


def main() -> None:
    """Run the command. If the command cannot start, print the reason and the remedies, and exit."""
    if sys.version_info < OLDEST:
        sys.exit(TOO_OLD.format(*OLDEST, *sys.version_info[:2], sys.executable))
    gc.set_threshold(RARELY)
    try:
        from autograder.cli.main import main as attn

        attn()
    except Exception as error:  # importing a broken library may raise any exception
        if TRACEBACK in os.environ:
            raise
        _explain(error)
        sys.exit(2)
    finally:
        gc.freeze()  # otherwise Python searches all objects for garbage at exit, several times


def _explain(error: Exception) -> None:
    """Print the error, then each problem that `attn doctor` finds, then the remedies."""
    from pathlib import Path

    from autograder.student.machine_checks import examine, report
    from autograder.workspace import find_workspace

    print(f"attn cannot start: {error}", file=sys.stderr)
    report((finding for finding in examine(find_workspace(Path.cwd())) if finding.good is False), sys.stderr)


if __name__ == "__main__":
    if not getattr(sys.flags, "safe_path", False):  # new in Python 3.11
        sys.path.append(sys.path.pop(0))  # a student's random.py must not replace Python's
    main()
