"""What a person has decided, in `adjustments.csv`: where it lies, and who handed in again since."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from autograder.cli.context import Stop

if TYPE_CHECKING:
    from autograder.classroom.adjustments import Adjustment
    from autograder.classroom.class_marks import ClassMarks
    from autograder.exam.syllabus import Syllabus

adjustments_option = click.option(
    "--adjustments",
    "adjusted_in",
    type=click.Path(path_type=Path, dir_okay=False),
    metavar="FILE",
    help="What you have decided: points, excuses, extensions.  [default: adjustments.csv in the folder of results]",
)


def adjustments_file(folder: Path, adjusted_in: Path | None) -> Path:
    """Return the file that was given, else that in the folder of results."""
    from autograder.classroom.adjustments import FILE

    return adjusted_in or folder / FILE


def adjustments_of(folder: Path, adjusted_in: Path | None, syllabus: Syllabus) -> tuple[Adjustment, ...]:
    """Read the adjustments. Raises BadAdjustments."""
    from autograder.classroom.adjustments import read_adjustments

    if adjusted_in and not adjusted_in.is_file():
        raise Stop(f"There is no file {adjusted_in}.")
    return read_adjustments(adjustments_file(folder, adjusted_in), syllabus)


def note_judged(folder: Path, adjusted_in: Path | None, syllabus: Syllabus) -> None:
    """Write down, before anything is marked, which hand-ins the adjustments have judged. Raises BadAdjustments."""
    from autograder.classroom.adjustments import note_hand_ins
    from autograder.classroom.final import hand_ins

    adjustments = adjustments_of(folder, adjusted_in, syllabus)
    if adjustments and (marks := _marks(folder, syllabus)):
        note_hand_ins(adjustments_file(folder, adjusted_in), adjustments, hand_ins(marks))


def tell_handed_in_again(folder: Path, adjusted_in: Path | None, syllabus: Syllabus) -> bool:
    """Say who has handed in again after a decision, and whom a line names that nobody is; return whether there is anything to say."""
    from autograder.classroom.final import beside_the_class, handed_in_again
    from autograder.drawing.screen import say_error

    adjustments = adjustments_of(folder, adjusted_in, syllabus)
    marks = _marks(folder, syllabus) if adjustments else None
    acts = [*beside_the_class(marks, adjustments), *handed_in_again(marks, adjustments)] if marks else []
    if acts:
        say_error("\n".join(f"must act: {act.student}: {act.says}" for act in acts))
    return bool(acts)


def looked_at(folder: Path, adjusted_in: Path | None, syllabus: Syllabus) -> set[str]:
    """Return the students of whom a person has decided something, and who have not handed in again since."""
    from autograder.classroom.final import looked_at as found

    adjustments = adjustments_of(folder, adjusted_in, syllabus)
    marks = _marks(folder, syllabus) if adjustments else None
    return found(marks, adjustments) if marks else set()


def _marks(folder: Path, syllabus: Syllabus) -> ClassMarks | None:
    """Read the marks of all who take part; None where nothing is marked yet."""
    from autograder.classroom.class_marks import NoMarks, read_class
    from autograder.cli.results_folder import people_of

    try:
        return read_class(folder, syllabus).of_all(people_of(folder, None))
    except NoMarks:
        return None
