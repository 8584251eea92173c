"""The student's modules as modules: read and loaded as a sitting does it, but here, to be worked with."""

import contextlib
import importlib
from collections.abc import Iterable, Iterator
from pathlib import Path
from types import ModuleType

from autograder.course.answer import Failure
from autograder.sitting.loading import SubmittedModules
from autograder.sitting.submission import read_folder


class CodeFailed(Exception):
    """The student's code cannot be loaded, or has raised; the message tells it by the student's own lines."""


def load(folder: Path, parts: Iterable[str]) -> dict[str, ModuleType]:
    """Load parts from a folder, exercises/ or solutions/; they may import each other, and are the same module to all.

    Raises CodeFailed.
    """
    names = list(parts)
    submission = read_folder(folder, names)
    for name in names:
        if problem := submission.problems.get(name):
            raise _failed(problem)
    modules = SubmittedModules(submission.modules)
    try:
        first = modules.load(names[0])
        return {names[0]: first} | {name: importlib.import_module(name) for name in names[1:]}
    except (Exception, SystemExit) as error:
        raise _failed(modules.describe(error)) from error


@contextlib.contextmanager
def telling(module: ModuleType) -> Iterator[None]:
    """Tell what loaded code raises in here by the student's own lines. module: one of those that `load` returned.

    Raises CodeFailed; an error on whose way no line of the student's stands is not theirs, and passes.
    """
    try:
        yield
    except (Exception, SystemExit) as error:
        assert isinstance(module.__loader__, SubmittedModules)
        failure = module.__loader__.describe(error)
        if not failure.traceback:
            raise
        raise _failed(failure) from error


def _failed(failure: Failure) -> CodeFailed:
    return CodeFailed("\n".join(filter(None, [failure.message, failure.traceback])))
