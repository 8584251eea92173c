"""`attn trace`: show a step's tensors line by line until they diverge from the reference's."""

import contextlib
from pathlib import Path

import click

from autograder.cli.context import leave, step_or_next
from autograder.cli.options import from_option, in_course, plain_option, timeout_option
from autograder.course.answer import Answer
from autograder.course.trace import Trace
from autograder.diagnosis.align import Alignment
from autograder.grading.checks import Sheet, check_case
from autograder.render.screen import make_console, signs_for
from autograder.render.trace import TraceDrawing
from autograder.runner import processes
from autograder.runner.run import run
from autograder.student.practice import open_exam, read_exercises
from autograder.workspace import Workspace


@click.command()
@click.argument("step", required=False)
@from_option(help="Run the modules of this folder instead of exercises/.")
@timeout_option
@plain_option
@in_course
def trace(workspace: Workspace, step: str | None, folder: Path | None, timeout: float, plain: bool) -> None:
    """The tensors of a step, line by line. Without STEP, those of the next step.

    Runs your code on the first case that it gets wrong, else on the lecture's example. Shows each tensor's shape, and whether
    the reference computes the same numbers, under any name and in any order. Where the numbers begin to differ, the
    reference's are drawn beside yours, if it has such a tensor.

    A line in a loop is shown once, with how often it ran. A loop that never ends is reported at the time-out.

    Exit code 0 when the answers are right, 1 when not, 2 on a usage error.
    """
    found = step_or_next(workspace, step)
    submission = read_exercises(folder or workspace.exercises, [found])
    console, names = make_console(), frozenset({found.name})
    with (
        make_console(stderr=True).status(f"running {found.path} …"),
        contextlib.closing(processes.open_runner(workspace.root, as_daemon=True)) as runner,
    ):
        exam = open_exam(workspace.practice_exam, [found.part])
        answers = run(runner, submission, exam.syllabus, exam.paper, {found.part: names}, timeout, trace=True)
    ran = answers.parts[found.part]
    checked = []
    for case in exam.paper.of(found.part, names):
        answer = Answer(failure=ran.error) if ran.error else ran.answers[case.path]
        sheet = Sheet(exam.syllabus, case, exam.key.cases[case.path], answer)
        failed = (check for check in check_case(sheet) if not check.passed and check.check != "gradients")
        checked.append((sheet, next((check.message for check in failed), "")))  # a traced run has no gradients
    sheet, message = next((one for one in checked if one[1]), checked[0])
    texts = {block.path: block.text for source in submission.modules.values() for block in source.blocks}
    others = {one.name for one in exam.syllabus.part(found.part).steps} - names
    traced = ran.traces.get(sheet.paper.path, Trace())
    aligned = Alignment(sheet.paper, sheet.key, traced, sheet.answer, texts, others)
    for line in TraceDrawing(sheet, aligned, message, texts, signs_for(console, plain)).lines(console.width):
        console.print(line)
    leave(1 if message else 0)
