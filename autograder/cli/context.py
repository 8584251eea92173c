"""What every verb needs: the course's files, its syllabus, and a way to stop with a message."""

import contextlib
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any, NoReturn

import click

from autograder.atomic_write import NO_ROOM
from autograder.course.errors import ExplainedError
from autograder.diagnosis import EFFORTS, FULL, QUICK, VARIABLE
from autograder.exam.syllabus import Syllabus, SyllabusStep, load
from autograder.runner.limits import LONGEST_TIMEOUT, SHORTEST_TIMEOUT, TIMEOUT
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


def causes_option(usual: str) -> Callable[[Any], Any]:
    """Return the option for how far causes are searched for. usual: unless something else is asked for."""
    return click.option(
        "--causes",
        type=click.Choice(list(EFFORTS)),
        default=usual,
        show_default=True,
        envvar=VARIABLE,
        help=f"How long the cause of a wrong step is searched for; quick: {QUICK:g} s, full: {FULL:g} s.",
    )


plain_option = click.option(
    "--plain", is_flag=True, help="Words only, as a screen reader reads them; ATTN_PLAIN=1 too."
)


class Stop(click.ClickException):
    """Ends the command with a message; what was asked for cannot be understood or done."""

    exit_code = 2

    def show(self, file: object = None) -> None:
        """Print the message to standard error."""
        from autograder.render.screen import say_error

        say_error(self.message)


@contextlib.contextmanager
def explained() -> Iterator[None]:
    """Stop with the message of an error that explains itself, or of a disk that takes nothing more."""
    try:
        yield
    except ExplainedError as error:
        raise Stop(str(error)) from error
    except OSError as error:
        if error.errno not in NO_ROOM:
            raise
        raise Stop(f"{error.filename or 'a file'} could not be written: {error.strerror}.") from error


def in_course(verb: Callable[..., None]) -> Callable[..., None]:
    """Give a verb the course's files, and stop with the message of an error that explains itself."""
    return click.make_pass_decorator(Workspace)(explained()(verb))


class Refusal(Stop):
    """Ends the command with a message; what was asked for was understood, and the answer is no."""

    exit_code = 1


def syllabus_of(workspace: Workspace) -> Syllabus:
    """Read the syllabus, or stop with a message."""
    try:
        return load(workspace.syllabus)
    except (OSError, ValueError) as error:
        from autograder.student.advice import way_to_exams

        raise Stop(f"{workspace.syllabus} cannot be read ({error}). {way_to_exams(workspace.root)}") from error


def next_step(syllabus: Syllabus, progress: "Progress") -> SyllabusStep:
    """Return the step that `attn` alone names as the next, or stop with a message."""
    if following := progress.next_step(syllabus):
        return following
    raise Stop("every step has passed, so there is no next one. Name the step that you mean; `attn list` shows all.")


def leave(code: int) -> NoReturn:
    """End the command with an exit code."""
    raise click.exceptions.Exit(code)
