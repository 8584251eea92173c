"""An autograder for a course in which students write tensor programs step by step.

Each of its modules and packages imports only from those before it in this list: course, exam,
submission, sandbox, runner, grading, diagnosis, check, render, site, student, classroom,
authoring, cli.
"""

from __future__ import annotations

from typing import Any


def load_ipython_extension(shell: Any) -> None:
    """Define `check` in a notebook and start to mark steps, at `%load_ext autograder`."""
    try:
        from autograder.student.jupyter.session import session_of
    except Exception as error:  # importing a broken library may raise any exception
        from autograder.student.advice import broken_install

        print(f"autograder does not mark: {broken_install(error)}")
        return
    session = session_of(shell)
    shell.push({"check": session.check})
    session.follow()


def unload_ipython_extension(shell: Any) -> None:
    """Stop marking cells that run, at `%unload_ext autograder`. `check` still works."""
    from autograder.student.jupyter.session import session_of

    session_of(shell).unfollow()
