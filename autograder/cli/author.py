"""The author's verbs: checking the course, making it from its source, and setting exams."""

from __future__ import annotations

from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import click

from autograder.cli.context import Refusal, Stop, in_course, leave, steps_named
from autograder.workspace import Workspace

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from rich.console import Console

    from autograder.authoring.accuracy import Accuracy
    from autograder.exam.scope import Scope


def require_solutions(workspace: Workspace) -> None:
    """Stop if this is a copy of the course for students."""
    if not workspace.solutions.is_dir():
        raise Stop("this needs solutions/, which this copy of the course does not include.")


@contextmanager
def author_told() -> Iterator[None]:
    """Turn an error in the course itself into a refusal that says where it is."""
    from autograder.course.broken_course import BrokenCourse, place_of, what_happened

    try:
        yield
    except BrokenCourse as error:
        raise Refusal(str(error)) from error
    except (ImportError, SyntaxError) as error:
        place = place_of(error)
        if not place:
            raise
        raise Refusal(f"{place}: the module cannot be imported: {what_happened(error)}; correct that line") from error


def _scope(workspace: Workspace, names: Sequence[str], whole_parts: bool = False) -> Scope:
    """Return the steps that names mean, as the source has them now. whole_parts: with all others of their parts."""
    if not names:
        return None
    from autograder.exam.setting import make_syllabus

    syllabus = make_syllabus(workspace.course)
    found = steps_named(syllabus, tuple(names))
    parts = {step.part for step in found}
    return frozenset(step.path for step in (syllabus.steps if whole_parts else found) if step.part in parts)


def _show(measured: Sequence[Accuracy], console: Console) -> bool:
    """Print the measurements as one table, one row per part; return whether the grader was never wrong."""
    from rich.table import Table

    from autograder.authoring.accuracy import COLUMNS, as_equivalents

    table = Table("", box=None, padding=(0, 1, 0, 0), pad_edge=False, show_footer=True)
    for number, column in enumerate(COLUMNS):
        table.add_column(column, str(sum(one.counts[number] for one in measured)), justify="right")
    table.columns[0].footer = "all parts"
    for one in measured:
        table.add_row(one.part, *map(str, one.counts))
    console.print()
    console.print(table)
    for problem in (problem for one in measured for problem in one.problems):
        console.print(problem, style="red", markup=False, soft_wrap=True)
    for one in measured:
        if one.passing:
            file = f"course/{one.part}/equivalent.toml"
            told = f"\nA case that catches them is missing. For those that are right nevertheless, say in {file} why:\n"
            console.print(told, as_equivalents(one.passing), sep="\n", markup=False, highlight=False, soft_wrap=True)
    return not any(one.problems for one in measured)


@click.command()
@click.argument("steps", nargs=-1, metavar="[PART or PART.STEP]...")
@click.option(
    "--full",
    is_flag=True,
    help="Also measure how often the grader is wrong, on mutants and on other right ways. Takes minutes.",
)
@in_course
@author_told()
def verify(workspace: Workspace, steps: tuple[str, ...], full: bool) -> None:
    """The course checks itself: solutions pass, stubs are not attempted, mistakes are named, nothing has drifted.

    With parts or steps, only those are checked, which takes seconds.
    """
    require_solutions(workspace)
    scope = _scope(workspace, steps)
    from autograder.authoring.accuracy import measure
    from autograder.authoring.verification import verify as findings_of
    from autograder.drawing.screen import make_console, signs_for
    from autograder.exam.files import NotAnExam
    from autograder.sitting.processes import CannotSit, open_sitter

    console, sitter, sound = make_console(), open_sitter(workspace.root), True
    signs = signs_for(console)
    try:
        with make_console(stderr=True).status("starting torch …") as status:
            for finding in findings_of(workspace, sitter, lambda text: status.update(f"{text} …"), scope):
                sound = sound and not finding.problems
                sign, style = (signs.failed, "red") if finding.problems else (signs.passed, "green")
                console.print(f"[{style}]{sign}[/] {finding.looked_at:>4}  {finding.title}")
                for problem in finding.problems:
                    console.print(f"         {problem}", style="red", markup=False)
            measured = list(measure(workspace, sitter, lambda text: status.update(f"{text} …"), scope)) if full else []
        if measured:
            sound = _show(measured, console) and sound
    except (CannotSit, NotAnExam) as error:
        raise Refusal(str(error)) from error
    finally:
        sitter.close()
    console.print("The course is sound." if sound else "The course is not sound: see above.", style="bold")
    leave(0 if sound else 1)


@click.command()
@click.argument("parts", nargs=-1, metavar="[PART]...")
@click.option("--check", "only_check", is_flag=True, help="Write nothing; exit code 1 when something has drifted.")
@in_course
@author_told()
def sync(workspace: Workspace, parts: tuple[str, ...], only_check: bool) -> None:
    """Make everything that is made from solutions/ and the course data: stubs, syllabus, practice exam.

    With parts, only those are made; the files keep what they hold of the others.
    """
    require_solutions(workspace)
    from autograder.authoring import sync as publishing
    from autograder.drawing.screen import make_console, signs_for

    console = make_console()
    signs = signs_for(console)
    scope = _scope(workspace, parts, whole_parts=True)
    products = (publishing.check if only_check else publishing.sync)(workspace, scope)
    for product in products:
        sign, style = (signs.failed, "red") if product.problem else (signs.passed, "green")
        path = product.path.relative_to(workspace.root)
        console.print(
            f"[{style}]{sign}[/] {path}" + (f": {product.problem}" if product.problem else ""), soft_wrap=True
        )
    leave(1 if any(product.problem for product in products) else 0)


@click.command()
@click.option("--seed", type=int, required=True, help="Draws the cases; another seed is another exam.")
@click.option("--out", type=click.Path(path_type=Path, dir_okay=False), required=True, help="The file to write.")
@in_course
@author_told()
def exam(workspace: Workspace, seed: int, out: Path) -> None:
    """Set an exam. The file holds the key: keep it from students."""
    require_solutions(workspace)
    if out.exists():
        raise Stop(
            f"{out} is there already, and an exam that marks were made with cannot be set again: choose another --out."
        )
    from autograder.drawing.screen import make_console
    from autograder.exam.files import write_exam
    from autograder.exam.setting import set_exam

    try:
        made = set_exam(workspace.course, seed)
        write_exam(made, out)
    except OSError as error:
        raise Stop(f"{out} could not be written: {error.strerror}") from error
    known = sum(len(one) for one in made.key.fingerprints.values())
    make_console().print(f"{out}: {len(made.paper.cases)} cases, {known} known mistakes", markup=False, soft_wrap=True)


@click.command()
@click.argument("folder", type=click.Path(path_type=Path, file_okay=False))
def new(folder: Path) -> None:
    """Make a course of one step in a new FOLDER, as a start for your own."""
    from autograder.authoring.new_course import files_of
    from autograder.authoring.sync import sync as make_the_rest
    from autograder.drawing.screen import make_console

    folder = folder.resolve()
    if folder.exists() and any(folder.iterdir()):
        raise Stop(f"{folder} is there already and not empty: name a folder that does not exist yet.")
    try:
        for name, text in files_of(folder.name).items():
            path = folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
        make_the_rest(Workspace(folder))
    except OSError as error:
        raise Stop(f"{error.filename or folder} could not be written: {error.strerror}.") from error
    told = f"{folder}: a course of one step. In that folder:\n  attn verify   shows that it is sound\n  attn sync     after each change"
    make_console().print(told, markup=False, soft_wrap=True)


VERBS = (exam, verify, sync, new)
