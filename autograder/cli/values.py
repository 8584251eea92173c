"""`attn values`: what a step makes line by line, beside the reference's numbers, and where they begin to differ."""

from typing import TYPE_CHECKING

import click

from autograder.cli.context import leave
from autograder.cli.traced import TracedStep, of_traced_step

if TYPE_CHECKING:
    from autograder.exam.model import PaperCase


@click.command()
@of_traced_step
def values(traced: TracedStep, plain: bool) -> None:
    """The numbers of a step's tensors, line by line. Without STEP, those of the next step.

    Runs your code on the first case whose answer is wrong, and marks each tensor whose numbers the reference has too, whatever
    you call it and in whatever order you work. Where they begin to differ, your numbers are shown beside the reference's, if
    it makes the same there. A tensor of a right way of your own is only listed.

    Exit code 0 when the answers are right, 1 when not, 2 on a usage error.
    """
    from autograder.diagnosis.align import Alignment
    from autograder.render.screen import make_console, signs_for
    from autograder.render.trace import ValuesDrawing

    step, exam, answers = traced.step, traced.exam, traced.answers
    console, case = make_console(), _first_wrong(traced)
    signs = signs_for(console, plain)
    if case is None:
        console.print(f"The answers of {step.path} are right in every case.")
        leave(0)
    elif case.path not in answers.traces:
        console.print(f"{step.path} did not run. `attn check {step.path}` says why.", markup=False)
        leave(1)
    else:
        others = {one.name for one in exam.syllabus.part(step.part).steps} - {step.name}
        trace, answer = answers.traces[case.path], answers.answers[case.path]
        aligned = Alignment(case, exam.key.cases[case.path], trace, answer, traced.texts, others)
        for drawn in ValuesDrawing(step, aligned, traced.texts, signs).lines(console.width):
            console.print(drawn)
        leave(1)


def _first_wrong(traced: TracedStep) -> "PaperCase | None":
    """Return the first case whose outputs are wrong."""
    from autograder.course.answer import same_outputs

    step, exam, found = traced.step, traced.exam, traced.answers
    for case in exam.paper.of(step.part, frozenset({step.name})):
        key, answer = exam.key.cases[case.path], found.answers.get(case.path)
        if found.error or answer is None or not same_outputs(answer, key.expected, key.tolerance):
            return case
    return None
