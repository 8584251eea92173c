"""The student's modules as modules: read and loaded as a sitting does it, but here, to be worked with."""

import contextlib
import importlib
from collections.abc import Iterable, Iterator
from pathlib import Path
from types import ModuleType

from autograder.course.answer import Failure
from autograder.sitting.loading import SubmittedModules, forget_submitted_modules
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
def loaded(folder: Path, parts: Iterable[str]) -> Iterator[dict[str, ModuleType]]:
    """Load parts to work with in here, and forget them at the end. What they raise is told by the student's own lines.

    Raises CodeFailed; an error on whose way no line of the student's stands is not theirs, and passes.
    """
    try:
        modules = load(folder, parts)
        with _telling(next(iter(modules.values()))):
            yield modules
    finally:
        forget_submitted_modules()


@contextlib.contextmanager
def _telling(module: ModuleType) -> Iterator[None]:
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
