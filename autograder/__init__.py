"""An autograder for a course in which students write tensor programs step by step.

Each package and module of this list imports only from those before it: course, exam, sandbox,
submission, runner, grading, diagnosis, check, render, site, student, classroom, authoring, cli.
"""

from __future__ import annotations

from typing import Any


def load_ipython_extension(shell: Any) -> None:
    """Define `check` in a notebook and mark steps as cells run. Called at `%load_ext autograder`."""
    try:
        from autograder.student.jupyter.session import session_of
    except Exception as error:  # importing a broken library may raise any exception
        from autograder.student.machine_checks import broken_install

        print(f"autograder does not mark: {broken_install(error)}")
        return
    session = session_of(shell)
    shell.push({"check": session.check})
    session.follow()


def unload_ipython_extension(shell: Any) -> None:
    """Stop marking steps as cells run. `check` still works. Called at `%unload_ext autograder`."""
    from autograder.student.jupyter.session import session_of

    session_of(shell).unfollow()
