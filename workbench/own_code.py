"""Load a student's modules into this process, as the grader's child process loads them."""

import contextlib
import importlib
from collections.abc import Iterator, Sequence
from pathlib import Path
from types import ModuleType

from autograder.course.errors import ExplainedError
from autograder.course.verdicts import Verdict
from autograder.runner.loading import SubmittedModules, forget_submitted_modules
from autograder.submission.model import read_folder


class CodeFailed(ExplainedError):
    """The student's code cannot be loaded, or it raised. The message names the student's lines."""


@contextlib.contextmanager
def loaded(folder: Path, parts: Sequence[str]) -> Iterator[dict[str, ModuleType]]:
    """Load the modules of parts into this process, and unload them at the end of the block.

    folder: exercises/ or solutions/. The modules may import each other.
    Raises CodeFailed. An error whose traceback has no line of the student's passes through.
    """
    submission = read_folder(folder, parts)
    for problem in filter(None, map(submission.problems.get, parts)):
        raise CodeFailed(problem.message)
    modules = SubmittedModules(submission.modules)
    try:
        first = modules.load(parts[0])
        found = {parts[0]: first} | {name: importlib.import_module(name) for name in parts[1:]}
        for lost in (one for several in modules.lost.values() for one in several):
            if lost.defines or lost.failure.kind == Verdict.MISSING:  # what just does something may fail
                raise CodeFailed("\n".join(filter(None, [lost.failure.message, lost.failure.traceback])))
        yield found
    except CodeFailed:
        raise
    except (Exception, SystemExit) as error:
        failure = modules.describe(error)
        if not failure.traceback and not isinstance(error, SyntaxError):
            raise
        raise CodeFailed("\n".join(filter(None, [failure.message, failure.traceback]))) from error
    finally:
        forget_submitted_modules()
