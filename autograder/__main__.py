"""`python -m autograder`: the command `attn`, or in plain words what keeps it from starting.

This module runs on any Python since 3.7, without a single library.
"""

from __future__ import annotations

import gc
import os
import sys

TRACEBACK = "ATTN_TRACEBACK"
OLDEST = (3, 11)

RARELY = 50_000
"""Objects made between two searches for garbage; with 700 of them, as usual, a command that lives for a third of a second makes hundreds."""

TOO_OLD = """\
The course needs Python {}.{} or newer. This is Python {}.{}, {}.
Install a newer one, and make the environment again with it, in the folder of the course:
    python3 -m venv --clear .venv
    . .venv/bin/activate        (on Windows: .venv\\Scripts\\activate)
    python -m pip install -c requirements.lock -e ."""


def main() -> None:
    """Run the command. If it cannot even begin, say why, and what to run."""
    if sys.version_info < OLDEST:
        sys.exit(TOO_OLD.format(*OLDEST, *sys.version_info[:2], sys.executable))
    gc.set_threshold(RARELY)
    try:
        from autograder.cli.main import main as attn

        attn()
    except Exception as error:  # of a library that is needed even to say what is the matter, and may raise anything
        if TRACEBACK in os.environ:
            raise
        _tell(error)
        sys.exit(2)
    finally:
        gc.freeze()  # the end of an interpreter would search all that was loaded for garbage, several times


def _tell(error: Exception) -> None:
    """Say what is missing, as `attn doctor` would."""
    from pathlib import Path

    from autograder.student.machine_checks import examine, remedies
    from autograder.workspace import find_workspace

    print(f"attn cannot start: {error}", file=sys.stderr)
    broken = [finding for finding in examine(find_workspace(Path.cwd())) if finding.good is False]
    for text in (*(finding.line(78) for finding in broken), *remedies(broken, 78)):
        print(f"\n{text}", file=sys.stderr)


if __name__ == "__main__":
    if not getattr(sys.flags, "safe_path", False):  # of Python 3.11
        sys.path.append(sys.path.pop(0))  # a student's random.py in the current folder is not Python's
    main()
