"""The grader of a course in which students write tensor programs step by step.

Rooms, each importing only from those before it: course, exam, submission, sandbox, runner, grading, diagnosis, check, render, site, student,
classroom, authoring, cli.
"""

from __future__ import annotations

from typing import Any


def load_ipython_extension(shell: Any) -> None:
    """Mark each step of a notebook when its cell was run. Jupyter calls this at `%load_ext autograder`."""
    try:
        from autograder.student import jupyter
    except Exception as error:  # a broken library may raise anything
        from autograder.student.advice import broken_install

        print(f"autograder does not mark: {broken_install(error)}")
        return
    jupyter.load_ipython_extension(shell)


def unload_ipython_extension(shell: Any) -> None:
    """Mark only what `check` is called for. Jupyter calls this at `%unload_ext autograder`."""
    from autograder.student import jupyter

    jupyter.unload_ipython_extension(shell)
