"""The student's verbs, except `check`."""

import sys
from contextlib import suppress
from pathlib import Path

import click

from autograder.cli.context import (
    Refusal,
    Stop,
    causes_option,
    in_course,
    next_step,
    plain_option,
    syllabus_of,
    timeout_option,
)
from autograder.diagnosis import EFFORTS
from autograder.student.targets import find_step, find_steps, names_whole_part
from autograder.workspace import Workspace


@click.command()
@in_course
def overview(workspace: Workspace) -> None:
    """How far you are, and the next step."""
    from autograder.render.screen import make_console, signs_for
    from autograder.student.progress import load_progress
    from autograder.student.progress_overview import draw_overview

    console, syllabus, progress = make_console(), syllabus_of(workspace), load_progress(workspace)
    for drawn in draw_overview(workspace, syllabus, progress, signs_for(console), console.width):
        console.print(drawn)


@click.command("list")
@in_course
def list_steps(workspace: Workspace) -> None:
    """All steps with their points, how they count, and their state."""
    from rich.table import Table

    from autograder.course.verdicts import Verdict
    from autograder.render.screen import make_console, sign_of, signs_for
    from autograder.student.progress import load_progress

    console, syllabus, progress = make_console(), syllabus_of(workspace), load_progress(workspace)
    signs, counting = signs_for(console), workspace.course.counting
    for part in syllabus.parts:
        due = counting.due_words(part.name)
        console.print(f"{part.name}  {part.title}{due and f', {due}'}", style="bold", markup=False)
        table = Table.grid(padding=(0, 2))
        table.add_column(justify="right")
        table.add_column(overflow="fold")
        table.add_column(justify="right")
        table.add_column()
        for step in part.steps:
            known = progress.steps.get(step.path)
            state = known.verdict.replace("_", " ") if known else "not checked yet"
            sign, style = sign_of(known.verdict if known else Verdict.NOT_ATTEMPTED, signs)
            counts = counting.weight(step.path).words
            table.add_row(f"  {step.number}", step.name, f"{step.points:g}", f"[{style}]{sign} {state}[/]", counts)
        console.print(table)
        console.print()


@click.command()
@click.argument("part", required=False)
@timeout_option
@causes_option("full")
@plain_option
@in_course
def watch(workspace: Workspace, part: str | None, timeout: float, causes: str, plain: bool) -> None:
    """Mark again on every save, keeping torch warm; then look for the cause of what is wrong, until the next save.

    Opens on the next step and moves on when it passes. Keys: h hint, w why, s show, l list and jump, r reset, d debug, q quit.
    """
    from autograder.student.watch.running import watch_steps

    syllabus = syllabus_of(workspace)
    steps = find_steps(syllabus, (part,) if part else ())
    watch_steps(workspace, syllabus, steps, timeout, plain, EFFORTS[causes])


@click.command()
@click.argument("step", required=False)
@in_course
def hint(workspace: Workspace, step: str | None) -> None:
    """The next hint of a step; each call reveals one more. Without STEP, of the next step."""
    from autograder.render.screen import make_console
    from autograder.student.progress import load_progress

    console, syllabus, progress = make_console(), syllabus_of(workspace), load_progress(workspace)
    found = find_step(syllabus, step) if step else next_step(syllabus, progress)
    hints = progress.hints_of(found)
    if not step:
        console.print(found.path, style="bold", markup=False)
    try:
        shown = progress.next_hint(found.path, len(hints))
    except OSError as error:
        from autograder.render.screen import say_error

        shown = len(hints)  # one more each time could never be reached
        say_error(
            f"which hints you have seen cannot be saved in {workspace.memory}: {error}. So here are all of them; "
            "`attn doctor` says more."
        )
    for number, text in enumerate(hints[:shown], start=1):
        console.print(f"{number}. {text}", style="dim" if number < shown else "", markup=False)
    left = len(hints) - shown
    more = f"{left} more: call it again." if left else f"That was the last one. The lecture: attn lecture {found.path}"
    console.print(more, style="cyan", markup=False)


@click.command()
@click.argument("step", required=False)
@in_course
def show(workspace: Workspace, step: str | None) -> None:
    """What a step asks: shapes, points, lecture, stub. Without STEP, what the next one asks."""
    from autograder.render.screen import make_console
    from autograder.student.progress import load_progress
    from autograder.student.step_card import draw_step_card

    syllabus = syllabus_of(workspace)
    found = find_step(syllabus, step) if step else next_step(syllabus, load_progress(workspace))
    console = make_console()
    for line in draw_step_card(workspace, syllabus.part(found.part), found):
        console.print(line)


@click.command()
@click.argument("step", required=False)
@in_course
def lecture(workspace: Workspace, step: str | None) -> None:
    """Open the section of the lecture that teaches a step in the browser. Without STEP, that of the next step.

    The page is that of the site which was built beside the course, served to this machine until Ctrl-C, else of the published one;
    its address is printed, too. Where there is neither, the section is named as text, with the way to build the site.
    """
    from autograder.cli.browser import open_page
    from autograder.render.screen import make_console
    from autograder.student.advice import way_to_pages
    from autograder.student.lecture import lecture_of
    from autograder.student.progress import load_progress
    from autograder.student.site_server import SiteServer

    syllabus = syllabus_of(workspace)
    found = find_step(syllabus, step) if step else next_step(syllabus, load_progress(workspace))
    place, console = lecture_of(workspace, found), make_console()
    console.print(found.path, style="bold", markup=False)
    if place.built:
        with suppress(KeyboardInterrupt), SiteServer(place.built) as server:
            open_page(console, server.address + place.page)
            console.print("It is served to this machine alone, until you press Ctrl-C.", markup=False)
            server.serve_forever()
    elif place.published:
        open_page(console, place.published)
    elif place.text.path.is_file():
        console.print(place.text.shown(Path.cwd()), style="cyan", markup=False, soft_wrap=True)
        if way := way_to_pages(workspace.root):
            console.print(way, markup=False)
    else:
        raise Stop(f"there is no {found.lecture.partition('#')[0]} in this copy of the course.")


@click.command()
@click.argument("target", metavar="PART or PART.STEP")
@click.option("--undo", is_flag=True, help="Put back what was there before.")
@click.option("--yes", is_flag=True, help="Do not ask.")
@in_course
def reset(workspace: Workspace, target: str, undo: bool, yes: bool) -> None:
    """Put the stub of a part or a step back. What was there is kept as a backup.

    --undo puts back a part as it is in its last backup, or a step alone, as it is in the last backup that has it otherwise. What it
    replaces is kept as a backup in turn, so that a second --undo undoes the first.
    """
    from autograder.render.screen import make_console
    from autograder.student.editing import (
        last_backup,
        last_backup_of_step,
        reset_part,
        reset_step,
        undo_reset,
        undo_step,
    )

    syllabus = syllabus_of(workspace)
    step = find_steps(syllabus, (target,))[0]
    part, whole = syllabus.part(step.part), names_whole_part(syllabus, target)
    subject = part.name if whole else step.path
    told = f"all of {subject}" if whole else subject
    if undo:
        was = last_backup(workspace, part.name) if whole else last_backup_of_step(workspace, part, step)
        question = f"Put back {told} as it was in {was.relative_to(workspace.root)}?"
    else:
        question = f"Put back the stub of {told}?"
    _confirm(question, yes)
    try:
        if undo:
            put_back, backup = undo_reset(workspace, part) if whole else undo_step(workspace, part, step)
            done = f"{told} is again as it was in {put_back.name}."
        else:
            backup = reset_part(workspace, part) if whole else reset_step(workspace, part, step)
            done = f"{told} is a stub again."
    except OSError as error:
        raise Stop(f"{error.filename} could not be written: {error.strerror}. Nothing has been changed.") from error
    console = make_console()
    console.print(done, markup=False, soft_wrap=True)
    if backup:
        console.print(f"What was there: {backup.relative_to(workspace.root)}", markup=False, soft_wrap=True)
        if not undo:
            console.print(f"To have it back: attn reset {subject} --undo", style="dim", markup=False, soft_wrap=True)


def _confirm(question: str, yes: bool) -> None:
    """Go on if a user agrees, or has agreed beforehand; else stop."""
    if yes:
        return
    if not sys.stdin.isatty():
        raise Stop(f"{question} Nobody can answer here: `--yes` says so beforehand.")
    if not click.confirm(f"{question} What is there now is kept as a backup."):
        raise Refusal("nothing has been changed.")


@click.command()
@click.argument("step")
@click.option("--anyway", is_flag=True, help="Show it although your own has not passed yet.")
@in_course
def solution(workspace: Workspace, step: str, anyway: bool) -> None:
    """The reference, once your own has passed."""
    from autograder.course.errors import BrokenCourse
    from autograder.exam.reference import read
    from autograder.student.progress import load_progress

    found = find_step(syllabus_of(workspace), step)
    path = workspace.solutions / f"{found.part}.py"
    if not path.is_file():
        raise Refusal("the solutions are not included in this copy of the course.")
    if not anyway and not load_progress(workspace).passed(found.path):
        raise Refusal(
            f"{found.path} has not passed yet: `attn check {found.path}`, or `--anyway` if you learn on your own."
        )
    try:
        sources = {source.name: source for source in read(path).steps}
    except BrokenCourse as error:
        raise Refusal(str(error)) from error
    from autograder.exam.reference import BEGIN, END

    lines = sources[found.name].text.splitlines()
    click.echo("\n".join(line for line in lines if line.strip() not in (BEGIN, END)))


@click.command()
def stop() -> None:
    """End the processes that keep torch ready between commands, of all your courses. By itself each ends ten minutes after the last one."""
    from autograder.runner.processes import stop_daemons

    ended = stop_daemons()
    click.echo(f"Ended: {ended} process{'es' if ended > 1 else ''} standing by." if ended else "No process stands by.")


VERBS = (watch, hint, show, lecture, reset, solution, list_steps, stop)
