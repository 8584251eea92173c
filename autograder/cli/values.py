"""`attn values`: what a step makes line by line, beside the reference's numbers, and where they begin to differ."""

from pathlib import Path
from typing import TYPE_CHECKING

import click

from autograder.cli.context import in_course, leave, plain_option, timeout_option
from autograder.cli.shapes import trace_step
from autograder.workspace import Workspace

if TYPE_CHECKING:
    from autograder.exam.model import Exam, PaperCase
    from autograder.exam.syllabus import SyllabusStep
    from autograder.sitting.answers import PartAnswers


@click.command()
@click.argument("step", required=False)
@click.option(
    "--from", "folder", type=click.Path(path_type=Path), help="Run the modules of this folder instead of exercises/."
)
@timeout_option
@plain_option
@in_course
def values(workspace: Workspace, step: str | None, folder: Path | None, timeout: float, plain: bool) -> None:
    """The numbers of a step's tensors, line by line. Without STEP, those of the next step.

    Runs your code on the first case whose answer is wrong, and marks each tensor whose numbers the reference has too, whatever
    you call it and in whatever order you work. Where they begin to differ, your numbers are shown beside the reference's, if
    it makes the same there. A tensor of a right way of your own is only listed.

    Exit code 0 when the answers are right, 1 when not, 2 on a usage error.
    """
    from autograder.causes.place import Way
    from autograder.drawing.screen import make_console, signs_for
    from autograder.drawing.values import ValuesDrawing

    found, exam, answers, texts = trace_step(workspace, step, folder, timeout)
    console, case = make_console(), _first_wrong(exam, found, answers)
    signs = signs_for(console, plain)
    if case is None:
        console.print(f"The answers of {found.path} are right in every case.")
        leave(0)
    elif case.path not in answers.traces:
        console.print(f"{found.path} did not run. `attn check {found.path}` says why.", markup=False)
        leave(1)
    else:
        others = {one.name for one in exam.syllabus.part(found.part).steps} - {found.name}
        trace, answer = answers.traces[case.path], answers.answers[case.path]
        key = exam.key.cases[case.path]
        way = Way(case, key, trace, answer, texts, others)
        for drawn in ValuesDrawing(found, case, key, trace, answer, way, texts, signs).lines(console.width):
            console.print(drawn)
        leave(1)


def _first_wrong(exam: "Exam", step: "SyllabusStep", found: "PartAnswers") -> "PaperCase | None":
    """Return the first case whose outputs are wrong."""
    from autograder.exam.agreement import same_outputs

    for case in exam.paper.of(step.part, frozenset({step.name})):
        key, answer = exam.key.cases[case.path], found.answers.get(case.path)
        if found.error or answer is None or not same_outputs(answer, key.expected, key.tolerance):
            return case
    return None
