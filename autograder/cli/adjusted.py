"""What a person has decided, in `adjustments.csv`: where it lies, what it was decided for, and what becomes of it in the summary."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from autograder.cli.context import Stop, syllabus_of

if TYPE_CHECKING:
    from autograder.classroom.adjustments import Adjustment
    from autograder.classroom.class_marks import ClassMarks
    from autograder.classroom.final import FinalPoints
    from autograder.classroom.results import Results
    from autograder.exam.syllabus import Syllabus
    from autograder.workspace import Workspace

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


def summarise_all(workspace: Workspace, results: Results, folder: Path, adjusted_in: Path | None) -> FinalPoints | None:
    """Write the summary of all marks in a folder of results, with what was decided; return the final points, None where nothing is marked.

    Where two names mean one person, that is said, and there are none either. Raises BadAdjustments, and OSError.
    """
    from autograder.classroom.counted_parts import parts_with_work
    from autograder.classroom.final import final_points
    from autograder.classroom.people import BadRoster
    from autograder.classroom.tally import tally_of
    from autograder.render.screen import say_error

    syllabus = syllabus_of(workspace)
    tally = tally_of(results.students(syllabus))
    try:
        adjustments, marks = adjustments_of(folder, adjusted_in, syllabus), _marks(folder, syllabus)
        marks = marks.only(parts_with_work(marks)) if marks else None
        final = final_points(marks, workspace.course.counting, adjustments) if marks else None
        if final:
            tally.add_decisions(final)
        return final
    except BadRoster as error:  # report and exports refuse it
        say_error(str(error))
        return None
    finally:
        results.summarise(tally)


def _marks(folder: Path, syllabus: Syllabus) -> ClassMarks | None:
    """Read the marks of all who take part; None where nothing is marked yet."""
    from autograder.classroom.class_marks import NoMarks, read_class
    from autograder.cli.results_folder import people_of

    try:
        return read_class(folder, syllabus).of_all(people_of(folder, None))
    except NoMarks:
        return None
