"""The grader in a notebook: after `%load_ext autograder`, each step is marked when its cell was run.

`check("part1.step")` marks a step whenever you like. `%unload_ext autograder` leaves only that.
"""

from __future__ import annotations

from typing import Any

from autograder.student.jupyter.session import session_of


def load_ipython_extension(shell: Any) -> None:
    """Give a notebook `check`, and mark each step when its cell was run. Jupyter calls this at `%load_ext`."""
    session = session_of(shell)
    shell.push({"check": session.check})
    session.follow()


def unload_ipython_extension(shell: Any) -> None:
    """Mark only what `check` is called for. Jupyter calls this at `%unload_ext`."""
    session_of(shell).unfollow()
