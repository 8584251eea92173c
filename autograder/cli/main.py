"""The `attn` command. Each verb lives in a module of its own kind; this one puts them together and catches what goes wrong."""

import sys
from pathlib import Path

import click

from autograder.cli import instructor, student
from autograder.cli.context import Stop
from autograder.workspace import find_workspace

HELP = """Learn attention by writing it.

Without a verb: how far you are, and the next step with its file and line.

PART is a part's name, number or beginning (part1_simplified, 1, part1); STEP is PART.STEP, or the step's name alone
where only one part has it.
"""


@click.group(help=HELP, invoke_without_command=True, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="attention-by-writing-it", prog_name="attn")
@click.pass_context
def attn(context: click.Context) -> None:
    """Find the course and, without a verb, show the progress."""
    if context.invoked_subcommand == "doctor":
        context.obj = find_workspace(Path.cwd())
        return
    context.obj = find_workspace(Path.cwd())
    if context.obj is None:
        raise Stop(
            "this folder is no checkout of the course: there is no exams/syllabus.json here or above. Go to the course's folder."
        )
    if context.invoked_subcommand is None:
        context.invoke(student.overview)


for verb in (*student.VERBS, *instructor.VERBS):
    attn.add_command(verb)


def main() -> None:
    """Run the command. No traceback of ours reaches the user: a `Stop` is a message, Ctrl-C is quiet."""
    if hasattr(sys.stdout, "reconfigure"):
        sys.stdout.reconfigure(errors="replace")
    attn(prog_name="attn")
