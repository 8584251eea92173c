"""`attn shapes`: the tensors of a step line by line, beside the reference's, up to the line where they part."""

import contextlib
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import click

from autograder.cli.context import (
    Stop,
    in_course,
    leave,
    next_step,
    plain_option,
    step_named,
    syllabus_of,
    timeout_option,
)
from autograder.exam.syllabus import SyllabusStep
from autograder.workspace import Workspace

if TYPE_CHECKING:
    from collections.abc import Iterable

    from autograder.cli.flow_drawing import Compared
    from autograder.course.flow import Flow
    from autograder.exam.flows import ReferenceFlow
    from autograder.exam.model import Paper


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

    Runs your code on the lecture's example, or on the first case in which something else comes out than from the
    reference, and shows each tensor's shape beside the reference's, up to the line where they part.

    What a lambda, a generator or a comprehension makes is shown at the line that it stands on. What is made row by row is
    not compared with what the reference makes at once. A line that never ends is named when its time is over.

    Exit code 0 when the same shapes come out, 1 when not, 2 on a usage error.
    """
    from autograder.cli.checking import shown_path
    from autograder.cli.flow_drawing import draw_flow
    from autograder.cli.progress import load_progress
    from autograder.cli.screen import make_console, signs_for
    from autograder.sitting.following import follow_cases
    from autograder.sitting.processes import CannotSit
    from autograder.sitting.submission import read_folder

    syllabus = syllabus_of(workspace)
    found = step_named(syllabus, step) if step else next_step(syllabus, load_progress(workspace))
    folder = folder or workspace.exercises
    if not folder.is_dir():
        raise Stop(f"there is no folder {folder}.")
    references = _references(workspace)
    paper = _paper(workspace, found, references)
    submission = read_folder(folder, [found.part], shown_path(folder))
    console, errors = make_console(), make_console(stderr=True)
    with errors.status(f"running {found.path} …") if errors.is_terminal else contextlib.nullcontext():
        flows = follow_cases(submission, paper, timeout)
        try:
            compared = _compare(paper, flows, references)
        except CannotSit as error:
            raise Stop(str(error)) from error
    for line in draw_flow(found, compared, signs_for(console, plain), console.width):
        console.print(line)
    leave(1 if compared.parting else 0)


def _references(workspace: Workspace) -> "dict[str, ReferenceFlow]":
    from autograder.cli.repairs import way_to_exams
    from autograder.exam.flows import load

    try:
        return load(workspace.shapes)
    except OSError as error:
        raise Stop(f"{workspace.shapes} cannot be read ({error}). {way_to_exams(workspace.root)}") from error
    except (ValueError, KeyError, TypeError) as error:
        raise Stop(
            f"{workspace.shapes} does not fit this grader: it was changed, or is of another version of the course. "
            f"{way_to_exams(workspace.root)} `attn doctor` says which grader this is."
        ) from error


def _paper(workspace: Workspace, step: SyllabusStep, references: "dict[str, ReferenceFlow]") -> "Paper":
    from autograder.cli.checking import CannotCheck, open_exam
    from autograder.exam.model import Paper

    try:
        paper = open_exam(workspace.practice_exam).paper
    except CannotCheck as error:
        raise Stop(str(error)) from error
    return Paper(tuple(case for case in paper.of(step.part, frozenset({step.name})) if case.path in references))


def _compare(paper: "Paper", flows: "Iterable[Flow]", references: "dict[str, ReferenceFlow]") -> "Compared":
    """Return the first case in which the flows part; where they part in none, the first case of all."""
    from autograder.cli.flow_drawing import Compared
    from autograder.exam.parting import find_parting

    compared = []
    for case, flow in zip(paper.cases, flows, strict=False):
        reference = references[case.path]
        compared.append(Compared(case, _cleaned(flow), reference, find_parting(flow, reference)))
    return next((one for one in compared if one.parting), compared[0])


def _cleaned(flow: "Flow") -> "Flow":
    """Return a flow whose texts, which are a student's, are bounded and hold no control characters."""
    from autograder.marking.mark import clean

    lines = tuple(replace(line, text=clean(line.text)) for line in flow.lines)
    failure = replace(flow.failure, message=clean(flow.failure.message)) if flow.failure else None
    return replace(flow, lines=lines, failure=failure)
