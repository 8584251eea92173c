"""`attn verify`, `attn build`: check a course; make it from its source, set exams, and begin a new course."""

from collections.abc import Callable, Collection, Iterator
from contextlib import closing
from pathlib import Path

import click

from autograder.authoring.trial import Finding
from autograder.cli.class_exam import random_exam
from autograder.cli.context import Stop, leave, print_lines, solutions_of, write_folder
from autograder.cli.options import FILE, FOLDER, in_course
from autograder.exam.files import write_exam
from autograder.render.screen import make_console, signs_for
from autograder.runner import processes
from autograder.student.targets import find_steps
from autograder.workspace import Workspace


def _show(text: str, failed: bool) -> None:
    """Print a text after the sign of something that is right or that has failed."""
    console = make_console()
    signs = signs_for(console)
    sign, style = (signs.failed, "red") if failed else (signs.passed, "green")
    console.print(f"[{style}]{sign}[/] {text}", soft_wrap=True)


@click.command()
@click.argument("steps", nargs=-1, metavar="[PART or PART.STEP]...")
@click.option(
    "--full",
    is_flag=True,
    help="Also measure how often the grader is wrong, on mutants and on other right ways. Takes minutes.",
)
@in_course
def verify(workspace: Workspace, steps: tuple[str, ...], full: bool) -> None:
    """The course checks itself: solutions pass, stubs are not attempted, mistakes are named, nothing has drifted, a release works.

    With parts or steps, only those are checked, which takes seconds.
    """
    solutions_of(workspace)
    from autograder.exam.build import make_syllabus

    wanted = [step.path for step in find_steps(make_syllabus(workspace.course), steps)]
    sound = True
    with make_console(stderr=True).status("starting torch …") as status:
        for finding in _findings(
            workspace, lambda text: status.update(f"{text} …"), wanted, full, with_release=not steps
        ):
            _show(f"{finding.looked_at:>4}  {finding.title}", bool(finding.problems))
            for problem in finding.problems:
                print_lines(f"         {problem}", style="red")
            sound = sound and not finding.problems
    print_lines("The course is sound." if sound else "The course is not sound: see above.", style="bold")
    leave(0 if sound else 1)


def _findings(
    workspace: Workspace, progress: Callable[[str], None], steps: Collection[str], full: bool, with_release: bool
) -> Iterator[Finding]:
    """Verify steps, and a release if `with_release`. full: also try mutants and other right solutions."""
    from autograder.authoring.verification import verify, verify_in_full, verify_texts

    with closing(processes.open_worker(workspace.root)) as runner:
        yield from verify(workspace, runner, progress, steps)
        if full:
            yield from verify_in_full(workspace, runner, progress, steps)
    yield from verify_texts(workspace, steps)
    if with_release:
        from autograder.authoring.release_trial import try_release  # needs nbformat, which not everybody has

        progress("a release is tried")
        yield try_release(workspace, processes.open_worker)


@click.command()
@click.argument("parts", nargs=-1, metavar="[PART]...")
@click.option("--check", "only_check", is_flag=True, help="Write nothing; exit code 1 when something has drifted.")
@in_course
def build(workspace: Workspace, parts: tuple[str, ...], only_check: bool) -> None:
    """Make what has drifted from solutions/ and the course data: stubs, syllabus, practice exam.

    With parts, only those are made; the files keep what they hold of the others.
    """
    solutions_of(workspace)
    from autograder.authoring import sync as publishing
    from autograder.exam.build import make_syllabus

    scope = [step.path for step in find_steps(make_syllabus(workspace.course), parts)] if parts else None
    made = publishing.check if only_check else publishing.sync
    products = [*made(workspace, scope), *publishing.of_no_part(workspace)]
    for product in products:
        path = product.path.relative_to(workspace.root)
        _show(f"{path}: {product.problem}" if product.problem else f"{path}", bool(product.problem))
    leave(1 if any(product.problem for product in products) else 0)


@click.command("build --exam")
@click.option("--seed", type=click.IntRange(min=0), help="Sets the same exam again. Who guesses the seed has the key.")
@click.option("--exam", "--out", "out", required=True, type=FILE, metavar="FILE", help="The file to write.")
@in_course
def exam(workspace: Workspace, seed: int | None, out: Path) -> None:
    """Set an exam in a new FILE. It holds the key: keep it from students."""
    from autograder.exam.build import build_exam

    solutions_of(workspace)
    if out.exists():
        raise Stop(f"{out} exists: an exam with which work was marked cannot be set again. Choose another file.")
    made = random_exam(workspace.course) if seed is None else build_exam(workspace.course, seed)
    write_exam(made, out)
    known = sum(len(one) for one in made.key.known_wrong.values())
    print_lines(f"{out}: {len(made.paper.cases)} cases, {known} known mistakes")


@click.command("build --new")
@click.argument("folder", type=FOLDER)
def new(folder: Path) -> None:
    """Make a course of one step in a new FOLDER, as a start for your own."""
    from autograder.authoring.new_course import files_of
    from autograder.authoring.sync import sync as make_the_rest

    folder = folder.resolve()
    write_folder(folder, {name: text.encode() for name, text in files_of(folder.name).items()})
    make_the_rest(Workspace(folder))
    print_lines(
        f"{folder}: a course of one step. In that folder:",
        "  attn verify   shows that it is sound",
        "  attn build    after each change",
    )
