"""What verbs that look into a step have in common: its name, whose it is, and what it does on its way."""

import contextlib
import functools
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import click

from autograder.cli.context import Stop, in_course, next_step, plain_option, syllabus_of, timeout_option
from autograder.student.targets import find_step
from autograder.workspace import Workspace

if TYPE_CHECKING:
    from autograder.exam.model import Exam
    from autograder.exam.syllabus import SyllabusStep
    from autograder.runner.answers import PartAnswers


@dataclass(frozen=True)
class TracedStep:
    """A step that has run with everything noted that it does. texts: the code by path."""

    step: "SyllabusStep"
    exam: "Exam"
    answers: "PartAnswers"
    texts: Mapping[str, str]


def of_traced_step(verb: Callable[[TracedStep, bool], None]) -> Callable[..., None]:
    """Give a verb the step that is named, else the next one, once it has run, and whether words alone are wanted."""

    @click.argument("step", required=False)
    @click.option(
        "--from",
        "folder",
        type=click.Path(path_type=Path),
        help="Run the modules of this folder instead of exercises/.",
    )
    @timeout_option
    @plain_option
    @in_course
    @functools.wraps(verb)
    def run(workspace: Workspace, step: str | None, folder: Path | None, timeout: float, plain: bool) -> None:
        verb(_traced(workspace, step, folder, timeout), plain)

    return run


def _traced(workspace: Workspace, name: str | None, folder: Path | None, timeout: float) -> TracedStep:
    """Run a step, the next one if none is named, and note what it does. Raises Stop."""
    from autograder.render.screen import make_console
    from autograder.runner.processes import open_runner
    from autograder.runner.run import run
    from autograder.student.practice import open_exam, shown_path
    from autograder.student.progress import load_progress
    from autograder.submission.model import read_folder

    syllabus = syllabus_of(workspace)
    step = find_step(syllabus, name) if name else next_step(syllabus, load_progress(workspace))
    folder = folder or workspace.exercises
    if not folder.is_dir():
        raise Stop(f"there is no folder {folder}.")
    submission = read_folder(folder, [step.part], shown_path(folder))
    errors = make_console(stderr=True)
    waiting = errors.status(f"running {step.path} …") if errors.is_terminal else contextlib.nullcontext()
    with waiting, contextlib.closing(open_runner(workspace.root, as_daemon=True)) as runner:
        exam = open_exam(workspace.practice_exam, [step.part])
        wanted = {step.part: frozenset({step.name})}
        answers = run(runner, submission, exam.syllabus, exam.paper, wanted, timeout, trace=True)
    texts = {block.path: block.text for source in submission.modules.values() for block in source.blocks}
    return TracedStep(step, exam, answers.parts[step.part], texts)
