"""The `attn` command. Each verb lives in a module of its own kind; this one puts them together and catches what goes wrong."""

import importlib
import importlib.util
import os
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

import click

from autograder.cli import student
from autograder.cli.check import check
from autograder.cli.context import Stop, explained
from autograder.cli.doctor import doctor
from autograder.cli.notebook import notebook
from autograder.cli.shapes import shapes
from autograder.cli.update import update
from autograder.cli.why import why
from autograder.course.course import Course
from autograder.workspace import Workspace, find_workspace

TRACEBACK = "ATTN_TRACEBACK"

BEYOND_STUDENTS = ("collect", "grade", "similar", "report", "export", "publish", "author")
"""The modules of the instructor's and the author's verbs."""

WITHOUT_COURSE = ("doctor", "new")
"""The verbs that also work without a course."""

HELP = """{title}.

Without a verb: how far you are, and the next step with its file and line.

PART is a part's name, number or beginning ({part}, 1, part1); STEP is PART.STEP, or only the step's name if no other part has it.
"""


class Verbs(click.Group):
    """The grader's own verbs, and those of the course in whose folder `attn` is called."""

    def format_help(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the help, with the title of the course."""
        course = _course()
        self.help = HELP.format(title=course.title, part=course.parts[0])
        super().format_help(ctx, formatter)

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the names of all verbs."""
        return sorted([*super().list_commands(ctx), *_course().verbs])

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Return the verb of a name; None if there is none, and of the course's own while a shell completes words: whoever types has not asked for its code."""
        if (own := super().get_command(ctx, cmd_name)) or ctx.resilient_parsing:
            return own
        course = _course()
        return course.verb(cmd_name) if cmd_name in course.verbs else None


def _workspace() -> Workspace | None:
    try:
        return find_workspace(Path.cwd())
    except FileNotFoundError:
        raise Stop("the current folder has been deleted. Go to the folder of the course.") from None


def _course() -> Course:
    """Return the course here, or an empty one if there is none."""
    workspace = _workspace()
    with explained():
        return workspace.course if workspace else NO_COURSE


NO_COURSE = Course(root=Path(), id="", title="A course that marks itself", parts=("part1_basics",))


@click.group(
    cls=Verbs, help=HELP, invoke_without_command=True, context_settings={"help_option_names": ["-h", "--help"]}
)
@click.version_option(package_name="attention-by-writing-it", prog_name="attn")
@click.pass_context
def attn(context: click.Context) -> None:
    """Find the course and, without a verb, show the progress."""
    context.obj = _workspace()
    if context.obj is None and context.invoked_subcommand not in WITHOUT_COURSE:
        raise Stop("there is no course.toml here or above. Go to the folder of the course.")
    if context.invoked_subcommand is None:
        context.invoke(student.overview)


def _verbs_beyond_students() -> Iterator[click.Command]:
    """Yield the instructor's and the author's verbs; a release for students lacks their modules."""
    for name in BEYOND_STUDENTS:
        if importlib.util.find_spec(f"autograder.cli.{name}"):
            yield from importlib.import_module(f"autograder.cli.{name}").VERBS


for verb in (check, why, shapes, *student.VERBS, notebook, update, doctor, *_verbs_beyond_students()):
    attn.add_command(verb)


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command. A `Stop` is a message, Ctrl-C is quiet, and an unexpected error is reported without a traceback.

    arguments: the process's own if none are given.
    """
    if hasattr(sys.stdout, "reconfigure"):
        sys.stdout.reconfigure(errors="replace")
    try:
        attn(arguments, prog_name="attn")
    except Exception as error:
        if TRACEBACK in os.environ:
            raise
        from autograder.render.screen import say_error

        say_error(_told(error))
        sys.exit(2)


def _told(error: Exception) -> str:
    """Return the message for an unexpected error."""
    from autograder.student.advice import broken_install, came_of_importing

    if came_of_importing(error):
        return broken_install(error)
    return (
        f"attn itself has failed; this is not your mistake: {type(error).__name__}: {error}\n"
        f"Your files are unchanged. {TRACEBACK}=1 in the environment shows where it failed."
    )
