"""`attn shapes`: the tensors of a step line by line, beside the reference's, up to the line where they begin to differ."""

from typing import TYPE_CHECKING

import click

from autograder.cli.context import leave
from autograder.cli.traced import TracedStep, of_traced_step

if TYPE_CHECKING:
    from autograder.diagnosis.align import Alignment


@click.command()
@of_traced_step
def shapes(traced: TracedStep, plain: bool) -> None:
    """The shapes of a step's tensors, line by line. Without STEP, those of the next step.

    Runs your code on the lecture's example, or on the first case whose shapes differ from the reference's, and shows each
    tensor's shape, up to the line where they begin to differ. A tensor is compared with the reference's by its numbers,
    whatever you call it; one that the reference never makes is only shown.

    A line in a loop is shown once, with how often it ran. A loop that never ends is reported at the time-out.

    Exit code 0 when the shapes are the same, 1 when not, 2 on a usage error.
    """
    from autograder.render.screen import make_console, signs_for
    from autograder.render.trace import TraceDrawing

    aligned, console = _first_that_departs(traced), make_console()
    for line in TraceDrawing(traced.step, aligned, traced.texts, signs_for(console, plain)).lines(console.width):
        console.print(line)
    leave(1 if aligned.departure else 0)


def _first_that_departs(traced: TracedStep) -> "Alignment":
    """Return the first case whose shapes differ from the reference's; if there is none, the first case."""
    from autograder.course.answer import Answer
    from autograder.course.trace import Trace
    from autograder.diagnosis.align import Alignment

    step, exam, found = traced.step, traced.exam, traced.answers
    compared = []
    for case in exam.paper.of(step.part, frozenset({step.name})):
        answer = Answer(failure=found.error) if found.error else found.answers[case.path]
        compared.append(Alignment(case, exam.key.cases[case.path], found.traces.get(case.path, Trace()), answer))
    return next((one for one in compared if one.departure), compared[0])
