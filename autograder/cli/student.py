"""The student's verbs that mark nothing: progress, hints, lectures, notebooks, stubs, solutions."""

import importlib.util
import os
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

import click
from rich.table import Column, Table

from autograder.atomic_write import write_output
from autograder.cli.check import print_numbered
from autograder.cli.context import Refusal, Stop, leave, open_page, print_lines, solutions_of, step_or_next
from autograder.cli.options import in_course
from autograder.course.errors import shown
from autograder.course.verdicts import Verdict
from autograder.exam.reference import BEGIN, END, read
from autograder.render.screen import make_console, say_error, sign_of, signs_for
from autograder.student import editing
from autograder.student.machine_checks import install
from autograder.student.overview import draw_overview
from autograder.student.progress import hints_of, load_progress
from autograder.student.targets import find_steps, syllabus_of
from autograder.workspace import Workspace

JUPYTERS = ("notebook", "jupyterlab")
"""The modules that can open a notebook. The first installed one is used."""


@click.command()
@in_course
def overview(workspace: Workspace) -> None:
    """Show the progress and the next step."""
    console, syllabus, progress = make_console(), syllabus_of(workspace), load_progress(workspace)
    for drawn in draw_overview(workspace, syllabus, progress, signs_for(console), console.width):
        console.print(drawn)


@click.command("list")
@in_course
def list_steps(workspace: Workspace) -> None:
    """All steps with their points, how they count, and their state."""
    console, progress, counting = make_console(), load_progress(workspace), workspace.course.counting
    signs = signs_for(console)
    for part in syllabus_of(workspace).parts:
        due = counting.due_words(part.name)
        console.print(f"{part.name}  {part.title}{due and f', {due}'}", style="bold", markup=False)
        table = Table.grid(
            Column(justify="right"), Column(overflow="fold"), Column(justify="right"), "", padding=(0, 2)
        )
        for step in part.steps:
            known = progress.steps.get(step.path)
            state = known.verdict.replace("_", " ") if known else "not checked yet"
            sign, style = sign_of(known.verdict if known else Verdict.NOT_ATTEMPTED, signs)
            counts = counting.weight(step.path).words
            table.add_row(f"  {step.number}", step.name, f"{step.points:g}", f"[{style}]{sign} {state}[/]", counts)
        console.print(table)
        console.print()


@click.command()
@click.argument("step", required=False)
@in_course
def hint(workspace: Workspace, step: str | None) -> None:
    """The next hint of a step; each call reveals one more. Without STEP, of the next step."""
    console, progress = make_console(), load_progress(workspace)
    found = step_or_next(workspace, step)
    hints = hints_of(found, progress.steps.get(found.path))
    if not step:
        console.print(found.path, style="bold", markup=False)
    shown = progress.reveal(workspace, progress.hints, found.path, len(hints))
    print_numbered(hints, shown)
    left = len(hints) - shown
    last = f"That was the last one. The lecture: attn show --lecture {found.path}"
    console.print(f"{left} more: call it again." if left else last, style="cyan", markup=False)


@click.command()
@click.argument("step", required=False)
@click.option("--points", is_flag=True, help="Show the points of each criterion.")
@in_course
def show(workspace: Workspace, step: str | None, points: bool) -> None:
    """Show what a step asks: shapes, criteria, lecture, stub. Without STEP, of the next step."""
    from autograder.student.overview import draw_step_card

    found, console = step_or_next(workspace, step), make_console()
    for line in draw_step_card(workspace, syllabus_of(workspace).part(found.part), found, points):
        console.print(line)


@click.command("show --lecture")
@click.argument("step", required=False)
@in_course
def lecture(workspace: Workspace, step: str | None) -> None:
    """Open the section of the lecture that teaches a step in the browser. Without STEP, that of the next step.

    The page is that of the site which was built beside the course, served to this machine until Ctrl-C, else of the published one;
    its address is printed, too. Where there is neither, the section is named as text.
    """
    from autograder.student.lecture import BUILT, SiteServer, lecture_of

    found = step_or_next(workspace, step)
    (built, published, text), console = lecture_of(workspace, found), make_console()
    console.print(found.path, style="bold", markup=False)
    if built:
        with suppress(KeyboardInterrupt), SiteServer(workspace.root / BUILT) as server:
            open_page(server.address + built)
            console.print("It is served to this machine alone, until you press Ctrl-C.", markup=False)
            server.serve_forever()
    elif published:
        open_page(published)
    elif text.path.is_file():
        print_lines(text.shown(Path.cwd()), style="cyan")
    else:
        raise Stop(f"there is no {found.lecture.partition('#')[0]} in this copy of the course.")


@click.command("show --notebook")
@click.argument("part", required=False)
@in_course
def notebook(workspace: Workspace, part: str | None) -> None:
    """Open a part's notebook in Jupyter: without PART, that of the next step.

    A notebook that is not there yet is made; yours is never written over.
    """
    jupyter = next((name for name in JUPYTERS if importlib.util.find_spec(name)), None)
    if not jupyter:
        say_error("Jupyter is not installed here. To install it, before you run this again:")
        for command in install(workspace, "notebook"):
            click.echo(f"    {command}", err=True)  # in one line, so that it can be copied
        leave(2)
    syllabus = syllabus_of(workspace)
    step = find_steps(syllabus, (part,))[0] if part else load_progress(workspace).next_step(syllabus)
    chosen = syllabus.part((step or syllabus.steps[-1]).part)
    path = workspace.notebook(chosen.name)
    if not path.exists():
        from nbformat import writes

        from autograder.site.notebooks import notebook_of

        write_output(path, f"{writes(notebook_of(chosen, workspace.course))}\n".encode())
    print_lines(f"{chosen.title}: {shown(path)}")
    words = [sys.executable, "-P", "-m", jupyter, f"--ServerApp.root_dir={workspace.root}", str(path)]
    sys.stdout.flush()
    if os.name == "posix":
        os.execv(words[0], words)
    with suppress(KeyboardInterrupt):  # Jupyter gets the signal too, and ends
        leave(subprocess.run(words).returncode)


@click.command()
@click.argument("target", metavar="PART or PART.STEP")
@click.option("--undo", is_flag=True, help="Put back what was there before.")
@in_course
def reset(workspace: Workspace, target: str, undo: bool) -> None:
    """Put the stub of a part or a step back. What was there is kept as a backup.

    --undo puts a part, or a step alone, back as it is in the last backup that has it otherwise. What it replaces is kept as a backup
    in turn, so that a second --undo undoes the first.
    """
    syllabus = syllabus_of(workspace)
    found = find_steps(syllabus, (target,))
    part, step = syllabus.part(found[0].part), found[0] if len(found) == 1 else None
    subject = step.path if step else part.name
    if undo:
        put_back, backup = editing.undo(workspace, part, step)
        done = f"{subject} is again as it was in {put_back.name}."
    else:
        backup = editing.reset(workspace, part, step)
        done = f"{subject} is a stub again."
    print_lines(done)
    if backup:
        print_lines(f"What was there: {backup.relative_to(workspace.root)}")
        if not undo:
            print_lines(f"To have it back: attn reset {subject} --undo", style="dim")


@click.command("hint --solution")
@click.argument("step")
@click.option("--anyway", is_flag=True, help="Show it although your own has not passed yet.")
@in_course
def solution(workspace: Workspace, step: str, anyway: bool) -> None:
    """The reference, once your own has passed."""
    found = step_or_next(workspace, step)
    path = solutions_of(workspace) / f"{found.part}.py"
    if not anyway and not load_progress(workspace).passed(found.path):
        raise Refusal(f"{found.path} has not passed yet: `attn check {found.path}`, or `--anyway` if you learn alone.")
    text = next(source.text for source in read(path).steps if source.name == found.name)
    click.echo("\n".join(line for line in text.splitlines() if line.strip() not in (BEGIN, END)))
