"""Run the `attn` command: find the course, import the verb's module, and print errors as messages."""

import os
import sys
from collections.abc import Mapping, Sequence
from importlib import import_module, metadata
from importlib.metadata import packages_distributions
from importlib.util import find_spec
from pathlib import Path

import click

from autograder.atomic_write import NO_ROOM
from autograder.cli.context import Refusal, Stop, leave
from autograder.course.errors import ExplainedError, place_of, what_happened
from autograder.workspace import find_workspace

TRACEBACK = "ATTN_TRACEBACK"

MODULES = {
    "author": ("build", "build --exam", "build --new", "verify"),
    "check": ("check", "hint --why", "watch"),
    "collect": ("collect",),
    "export": ("export", "report"),
    "grade": ("grade",),
    "machine": ("doctor", "doctor --stop", "start", "update"),
    "publish": ("release", "release --for nbgrader", "release --for gradescope", "release --for classroom50"),
    "similar": ("similar",),
    "student": ("hint", "hint --solution", "list", "reset", "show", "show --lecture", "show --notebook"),
    "trace": ("trace",),
}
"""The commands in each module of `autograder.cli`. A release for students lacks some of the modules."""

TEACHING = ("author", "collect", "export", "grade", "publish", "similar")
"""The modules with verbs of instructors and authors."""

VERBS = {verb: module for module, verbs in MODULES.items() for verb in verbs if find_spec(f"autograder.cli.{module}")}

EARLIER = {
    "autograder": "release",
    "exam": "build --exam",
    "lecture": "show --lecture",
    "new": "build --new",
    "notebook": "show --notebook",
    "notebooks": "release --for nbgrader",
    "shapes": "trace",
    "solution": "hint --solution",
    "stop": "doctor --stop",
    "sync": "build",
    "why": "hint --why",
}
"""The earlier names of commands, which work for one release, each with the new one."""

WITHOUT_COURSE = ("build --new", "doctor", "doctor --stop", "start")
"""The verbs that also work without a course."""

EXTRA = ("distributed", "jinja2", "markdown", "nbformat", "nbgrader", "sqlalchemy")
"""The libraries that only instructors need."""

HELP = """Mark a course in which tensor programs are written step by step.

Without a verb: how far you are, and the next step with its file and line.

PART is a part's name, number or beginning (part1, 1); STEP is PART.STEP, or only the step's name if no other part has it.
"""


class Verbs(click.Group):
    """The verbs of the grader and those of the course that contains the current folder."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the names of all verbs."""
        return sorted(name for name in [*VERBS, *_own_verbs()] if " " not in name)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """List the verbs for students, then those for instructors and authors."""
        for title, of_students in (("To learn", True), ("To teach and to write a course", False)):
            names = [name for name in self.list_commands(ctx) if (VERBS.get(name) not in TEACHING) == of_students]
            if found := [(name, self.get_command(ctx, name)) for name in names]:
                with formatter.section(title):
                    formatter.write_dl([(name, verb.get_short_help_str(60)) for name, verb in found if verb])

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find the command, such as `hint --why`, and its arguments. Print the new name of an earlier one."""
        name, *rest = (piece for word in args for piece in (word.split("=", 1) if word[:2] == "--" else [word]))
        if EARLIER.get(name) in VERBS and name not in _own_verbs():
            click.echo(f"`attn {name}` is now `attn {EARLIER[name]}`.", err=True)
            name = EARLIER[name]
        for longer in (one for one in VERBS if one.startswith(f"{name} ")):
            words = longer.split()[1:]
            for place in range(len(rest)):
                if rest[place : place + len(words)] == words:
                    if words != ["--exam"] or rest[place + 1 :][:1] in (["-h"], ["--help"]):  # else a FILE follows
                        del rest[place : place + len(words)]
                    return super().resolve_command(ctx, [longer, *rest])
        return super().resolve_command(ctx, [name, *rest])

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Return the command with this name, or None."""
        if cmd_name in VERBS:
            found = vars(import_module(f"autograder.cli.{VERBS[cmd_name]}")).values()
            command = next(one for one in found if isinstance(one, click.Command) and one.name == cmd_name)
            more = ((name, self.get_command(ctx, name)) for name in VERBS if name.startswith(f"{cmd_name} "))
            command.epilog = "\n\n".join(f"attn {name}: {one.get_short_help_str(200)}" for name, one in more if one)
            return command
        workspace = find_workspace(Path.cwd())
        return workspace.course.verb(cmd_name) if workspace and cmd_name in _own_verbs() else None


def _own_verbs() -> Mapping[str, str]:
    """Return the verbs that the current course defines, each with its module and its function."""
    workspace = find_workspace(Path.cwd())
    return workspace.course.verbs if workspace else {}


@click.group(
    cls=Verbs, help=HELP, invoke_without_command=True, context_settings={"help_option_names": ["-h", "--help"]}
)
@click.option("--version", is_flag=True, help="Show the version and exit.")
@click.pass_context
def attn(context: click.Context, version: bool) -> None:
    """Find the course and, without a verb, show the progress."""
    if version:
        (name, *_) = packages_distributions()["autograder"]  # a course's wheel has a name of its own
        click.echo(f"attn, version {metadata.version(name)}")
        leave(0)
    context.obj = find_workspace(Path.cwd())
    if context.obj is None and context.invoked_subcommand not in WITHOUT_COURSE:
        raise Stop("there is no course.toml here or above. Go to the folder of the course, or make one: attn start")
    if context.invoked_subcommand is None:
        from autograder.cli.student import overview

        context.invoke(overview)


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command, and print errors as messages without a traceback.

    arguments: by default, the arguments of the process.
    """
    if hasattr(sys.stdout, "reconfigure"):
        sys.stdout.reconfigure(errors="replace")
    try:
        attn(arguments, prog_name="attn")
    except Exception as error:
        message = str(error) if isinstance(error, ExplainedError) else _known(error)
        if not message and TRACEBACK in os.environ:
            raise
        from autograder.render.screen import say_error

        say_error(message or _unexpected(error))
        sys.exit(1 if isinstance(error, Refusal) else 2)


def _known(error: Exception) -> str:
    """Return a message for a broken module, a missing library or an unusable file; else an empty string."""
    if isinstance(error, ImportError | SyntaxError) and (place := place_of(error)):
        return f"{place}: the module cannot be imported: {what_happened(error)}; correct that line"
    if isinstance(error, ModuleNotFoundError) and error.name in EXTRA:
        return f"this needs {error.name}: python -m pip install -c requirements.lock -e '.[instructor]'"
    if isinstance(error, OSError) and (error.filename or error.errno in NO_ROOM):
        return f"{error.filename or 'a file'} could not be read or written: {error.strerror}."
    return ""


def _unexpected(error: Exception) -> str:
    from autograder.student.machine_checks import broken_install, came_of_importing

    if came_of_importing(error):
        return broken_install(error)
    return (
        f"attn itself has failed; this is not your mistake: {type(error).__name__}: {error}\n"
        f"Your files are unchanged. {TRACEBACK}=1 in the environment shows where it failed."
    )
