"""`attn shapes`: the tensors of a step line by line, beside the reference's, up to the line where they begin to differ."""

import contextlib
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

import click

from autograder.cli.context import (
    Stop,
    in_course,
    leave,
    next_step,
    plain_option,
    syllabus_of,
    timeout_option,
)
from autograder.exam.syllabus import SyllabusStep
from autograder.student.targets import find_step
from autograder.workspace import Workspace

if TYPE_CHECKING:
    from autograder.exam.model import Exam
    from autograder.marking.departure import Comparison
    from autograder.sitting.answers import PartAnswers


@click.command()
@click.argument("step", required=False)
@click.option(
    "--from", "folder", type=click.Path(path_type=Path), help="Run the modules of this folder instead of exercises/."
)
@timeout_option
@plain_option
@in_course
def shapes(workspace: Workspace, step: str | None, folder: Path | None, timeout: float, plain: bool) -> None:
    """The shapes of a step's tensors, line by line. Without STEP, those of the next step.

    Runs your code on the lecture's example, or on the first case whose shapes differ from the reference's, and shows each
    tensor's shape, up to the line where they begin to differ. A tensor is compared with the reference's by its numbers,
    whatever you call it; one that the reference never makes is only shown.

    A line in a loop is shown once, with how often it ran. A loop that never ends is reported at the time-out.

    Exit code 0 when the shapes are the same, 1 when not, 2 on a usage error.
    """
    from autograder.drawing.screen import make_console, signs_for
    from autograder.drawing.trace import TraceDrawing

    found, exam, answers, texts = trace_step(workspace, step, folder, timeout)
    comparison, console = _first_that_departs(exam, found, answers), make_console()
    for line in TraceDrawing(found, comparison, texts, signs_for(console, plain)).lines(console.width):
        console.print(line)
    leave(1 if comparison.departure else 0)


def trace_step(
    workspace: Workspace, step: str | None, folder: Path | None, timeout: float
) -> "tuple[SyllabusStep, Exam, PartAnswers, Mapping[str, str]]":
    """Trace a step, the next one if none is named; return it, the exam, what came of it, and the texts by path. Raises Stop."""
    from autograder.drawing.screen import make_console
    from autograder.sitting.host import sit
    from autograder.sitting.processes import open_sitter
    from autograder.sitting.submission import read_folder
    from autograder.student.practice import open_exam, shown_path
    from autograder.student.progress import load_progress

    syllabus = syllabus_of(workspace)
    found = find_step(syllabus, step) if step else next_step(syllabus, load_progress(workspace))
    folder = folder or workspace.exercises
    if not folder.is_dir():
        raise Stop(f"there is no folder {folder}.")
    submission = read_folder(folder, [found.part], shown_path(folder))
    errors = make_console(stderr=True)
    waiting = errors.status(f"running {found.path} …") if errors.is_terminal else contextlib.nullcontext()
    with waiting, contextlib.closing(open_sitter(workspace.root)) as sitter:
        exam = open_exam(workspace.practice_exam)
        wanted = {found.part: frozenset({found.name})}
        answers = sit(sitter, submission, exam.syllabus, exam.paper, wanted, timeout, trace=True)
    texts = {block.path: block.text for source in submission.modules.values() for block in source.blocks}
    return found, exam, answers.parts[found.part], texts


def _first_that_departs(exam: "Exam", step: SyllabusStep, found: "PartAnswers") -> "Comparison":
    """Return the first case whose shapes differ from the reference's; if there is none, the first case."""
    from autograder.course.answer import Answer
    from autograder.course.trace import Trace
    from autograder.marking.departure import Comparison

    compared = []
    for case in exam.paper.of(step.part, frozenset({step.name})):
        answer = Answer(failure=found.error) if found.error else found.answers[case.path]
        compared.append(Comparison(case, exam.key.cases[case.path], found.traces.get(case.path, Trace()), answer))
    return next((one for one in compared if one.departure), compared[0])
