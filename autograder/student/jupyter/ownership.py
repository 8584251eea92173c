"""Which steps of the course a cell defines. A name that is a step of several parts is identified by its notebook."""

import os
from collections.abc import Iterable, Sequence
from pathlib import PurePath
from typing import Any

from autograder.exam.syllabus import Syllabus, SyllabusStep

FILE_OF_NOTEBOOK = "JPY_SESSION_NAME"
"""Where a Jupyter server tells a kernel the path of its notebook."""

FILE_IN_VSCODE = "__vsc_ipynb_file__"
"""Where Visual Studio Code does, among the kernel's names."""


class UnknownPart(Exception):
    """It is unclear which of several parts a step belongs to; the message says how to name it."""


def step_called(name: str, syllabus: Syllabus, notebook: str, others: Iterable[str]) -> SyllabusStep | None:
    """Return the step of that name, None if the course has none. Raises UnknownPart.

    notebook: the name of the notebook, as far as it is known. others: all names that the notebook defines.
    """
    found = [step for step in syllabus.steps if step.name == name]
    for known in ({notebook}, _parts_of(others, syllabus)):
        found = [step for step in found if step.part in known] or found
        if len(found) < 2:
            break
    if len(found) > 1:
        calls = " or ".join(f'`check("{step.path}")`' for step in found)
        raise UnknownPart(f"{name} is a step of {_listed(found)}. {calls} marks it.")
    return found[0] if found else None


def steps_of_notebook(syllabus: Syllabus, notebook: str, names: Iterable[str]) -> Sequence[SyllabusStep]:
    """Return the steps of the notebook's part; none if it is unclear which part that is.

    notebook: the name of the notebook, as far as it is known. names: all that the notebook defines.
    """
    named = {part.name for part in syllabus.parts} & {notebook}
    parts = named or _parts_of(names, syllabus)
    return [step for step in syllabus.steps if step.part in parts] if len(parts) == 1 else []


def name_of_notebook(names: dict[str, Any]) -> str:
    """Return the name of the kernel's notebook, empty if it is not known. names: the kernel's."""
    path = names.get(FILE_IN_VSCODE) or os.environ.get(FILE_OF_NOTEBOOK, "")
    return PurePath(str(path)).stem


def _parts_of(names: Iterable[str], syllabus: Syllabus) -> set[str]:
    """Return the parts whose steps are among the names, by those names that are steps of one part alone."""
    parts: dict[str, list[str]] = {}
    for step in syllabus.steps:
        parts.setdefault(step.name, []).append(step.part)
    return {parts[name][0] for name in names if len(parts.get(name, ())) == 1}


def _listed(steps: Sequence[SyllabusStep]) -> str:
    return " and ".join(step.part for step in steps)
