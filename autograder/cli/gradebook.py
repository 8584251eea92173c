"""`attn grade --gradebook`: what follows the marking, in nbgrader's gradebook and in the course directory that it belongs to."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from autograder.cli.context import Refusal, Stop

if TYPE_CHECKING:
    from autograder.classroom.gradebook.address import Address
    from autograder.classroom.gradebook.writing import Written
    from autograder.classroom.results import Results
    from autograder.classroom.roster import Roster
    from autograder.exam.syllabus import Syllabus


@dataclass(frozen=True)
class Kept:
    """What has been written. left_out: by reason, the students of whom a part is not in `autograded`."""

    address: Address
    written: Written
    left_out: dict[str, list[str]]


def address_of(given: str | None) -> Address | None:
    """Read what `--gradebook` says, or stop with a message before anything is marked."""
    from autograder.classroom.gradebook.address import CannotKeep, read_address

    try:
        return read_address(given) if given else None
    except CannotKeep as error:
        raise Stop(str(error)) from error


def keep(address: Address, submissions: Path, roster: Roster, results: Results, syllabus: Syllabus) -> Kept:
    """Write the marks of this run into the gradebook, and restored notebooks beside nbgrader's `submitted`."""
    from autograder.classroom.gradebook.address import CannotKeep
    from autograder.cli.screen import make_console

    with make_console(stderr=True).status("writing the gradebook …"):
        try:
            return _keep(address, _course_directory(submissions), roster, results, syllabus)
        except CannotKeep as error:
            kept = f"The marks are in {results.marks}: the same command writes them into the gradebook later."
            raise Refusal(f"{error}\n{kept}") from error


def _keep(address: Address, course: Path | None, roster: Roster, results: Results, syllabus: Syllabus) -> Kept:
    from autograder.classroom.autograded import write_autograded
    from autograder.classroom.class_marks import handed_in
    from autograder.classroom.gradebook.grades import grades_of
    from autograder.classroom.gradebook.lateness import read_policy
    from autograder.classroom.gradebook.writing import write

    policy = read_policy(course) if course else None
    counted = handed_in(results.of_this_run())
    parts = [part for part in syllabus.parts if part.name in counted]
    written = write(address, grades_of(results.of_this_run(), parts), policy)
    left_out = write_autograded(course, roster.entries, results.of_this_run(), syllabus) if course else {}
    return Kept(address, written, left_out)


def _course_directory(submissions: Path) -> Path | None:
    """Return the course directory of nbgrader's that a folder of submissions lies in, if it does."""
    place = submissions.resolve()
    return place.parent if place.name == "submitted" and (place.parent / "nbgrader_config.py").is_file() else None
