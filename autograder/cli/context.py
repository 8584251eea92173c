"""What every verb needs: the course's files, its syllabus, and a way to stop with a message."""

from typing import NoReturn

import click

from autograder.exam.syllabus import Syllabus, SyllabusStep, load
from autograder.workspace import Workspace

timeout_option = click.option(
    "--timeout", type=click.FloatRange(min=0.1), default=5.0, show_default=True, help="Seconds a step may take."
)

plain_option = click.option(
    "--plain", is_flag=True, help="Words only, as a screen reader reads them; ATTN_PLAIN=1 too."
)

in_course = click.make_pass_decorator(Workspace)


class Stop(click.ClickException):
    """Ends the command with a message; what was asked for cannot be understood or done."""

    exit_code = 2

    def show(self, file: object = None) -> None:
        """Print the message to standard error."""
        from autograder.cli.screen import say_error

        say_error(self.message)


class Refusal(Stop):
    """Ends the command with a message; what was asked for was understood, and the answer is no."""

    exit_code = 1


def syllabus_of(workspace: Workspace) -> Syllabus:
    """Read the syllabus, or stop with a message."""
    try:
        return load(workspace.syllabus)
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        from autograder.cli.repairs import way_to_exams

        raise Stop(f"{workspace.syllabus} cannot be read ({error}). {way_to_exams(workspace.root)}") from error


def step_named(syllabus: Syllabus, name: str) -> SyllabusStep:
    """Return the step that a name means, or stop with a message."""
    from autograder.cli.targets import UnknownTarget, find_step

    try:
        return find_step(syllabus, name)
    except UnknownTarget as error:
        raise Stop(str(error)) from error


def steps_named(syllabus: Syllabus, names: tuple[str, ...]) -> tuple[SyllabusStep, ...]:
    """Return the steps that names mean, all for none, or stop with a message."""
    from autograder.cli.targets import UnknownTarget, find_steps

    try:
        return find_steps(syllabus, names)
    except UnknownTarget as error:
        raise Stop(str(error)) from error


def leave(code: int) -> NoReturn:
    """End the command with an exit code."""
    raise click.exceptions.Exit(code)
