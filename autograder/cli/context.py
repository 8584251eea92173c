"""What every verb needs: the course's files, its syllabus, and a way to stop with a message."""

from typing import TYPE_CHECKING, NoReturn

import click

from autograder.exam.syllabus import Syllabus, SyllabusStep, load
from autograder.sitting.timeouts import LONGEST_TIMEOUT, SHORTEST_TIMEOUT, TIMEOUT
from autograder.workspace import Workspace

if TYPE_CHECKING:
    from autograder.student.progress import Progress


def _timeout(context: click.Context, parameter: click.Parameter, seconds: float) -> float:
    """Return the seconds if they can be waited for; `nan`, which Python reads as a number too, is in no range."""
    if not SHORTEST_TIMEOUT <= seconds <= LONGEST_TIMEOUT:
        raise click.BadParameter(
            f"{seconds:g} is not between {SHORTEST_TIMEOUT:g} and {LONGEST_TIMEOUT:g} seconds (a day)."
        )
    return seconds


timeout_option = click.option(
    "--timeout",
    type=float,
    callback=_timeout,
    default=TIMEOUT,
    show_default=True,
    help="Seconds a step may take, a day at most.",
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
        from autograder.drawing.screen import say_error

        say_error(self.message)


class Refusal(Stop):
    """Ends the command with a message; what was asked for was understood, and the answer is no."""

    exit_code = 1


def syllabus_of(workspace: Workspace) -> Syllabus:
    """Read the syllabus, or stop with a message."""
    try:
        return load(workspace.syllabus)
    except (OSError, ValueError) as error:
        from autograder.student.repairs import way_to_exams

        raise Stop(f"{workspace.syllabus} cannot be read ({error}). {way_to_exams(workspace.root)}") from error


def step_named(syllabus: Syllabus, name: str) -> SyllabusStep:
    """Return the step that a name means, or stop with a message."""
    from autograder.student.targets import UnknownTarget, find_step

    try:
        return find_step(syllabus, name)
    except UnknownTarget as error:
        raise Stop(str(error)) from error


def next_step(syllabus: Syllabus, progress: "Progress") -> SyllabusStep:
    """Return the step that `attn` alone names as the next, or stop with a message."""
    if following := progress.next_step(syllabus):
        return following
    raise Stop("every step has passed, so there is no next one. Name the step that you mean; `attn list` shows all.")


def steps_named(syllabus: Syllabus, names: tuple[str, ...]) -> tuple[SyllabusStep, ...]:
    """Return the steps that names mean, all for none, or stop with a message."""
    from autograder.student.targets import UnknownTarget, find_steps

    try:
        return find_steps(syllabus, names)
    except UnknownTarget as error:
        raise Stop(str(error)) from error


def leave(code: int) -> NoReturn:
    """End the command with an exit code."""
    raise click.exceptions.Exit(code)
