"""`attn grade --gradebook`: what follows the marking, in nbgrader's gradebook and in the course directory that it belongs to."""

from __future__ import annotations

import importlib.util
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from autograder.cli.context import Refusal, Stop

if TYPE_CHECKING:
    from sqlalchemy import URL

    from autograder.classroom.class_folder import ClassFolder
    from autograder.classroom.gradebook.writing import Written
    from autograder.classroom.people import People
    from autograder.classroom.results import Results
    from autograder.exam.syllabus import Syllabus


@dataclass(frozen=True)
class Kept:
    """What has been written, and where. left_out: by reason, the students of whom a part is not in `autograded`."""

    place: str
    written: Written
    left_out: dict[str, list[str]]


def open_gradebook(given: str) -> URL:
    """Open the gradebook, made if there is none, before anything is marked. Raises CannotKeep."""
    require_nbgrader()
    from autograder.classroom.gradebook.database import read_url, transaction

    url = read_url(given)
    with transaction(url):
        return url


def require_nbgrader() -> None:
    """Stop if nbgrader is not installed, and say how to get it."""
    if not importlib.util.find_spec("nbgrader"):
        raise Stop(
            "The gradebook needs nbgrader, which is not installed: "
            "`python -m pip install -c requirements.lock -e '.[instructor]'`."
        )


def keep(
    url: URL, submissions: Path, folder: ClassFolder, people: People, results: Results, syllabus: Syllabus
) -> Kept:
    """Write the marks of this run into the gradebook, and restored notebooks beside nbgrader's `submitted`."""
    from autograder.classroom.class_marks import handed_in
    from autograder.classroom.gradebook.database import CannotKeep, copied, shown
    from autograder.classroom.gradebook.lateness import read_policy
    from autograder.classroom.gradebook.writing import write
    from autograder.classroom.nbgrader_notebooks import write_autograded
    from autograder.render.screen import make_console

    course = _course_directory(submissions)
    counted = handed_in(results.of_this_run())
    parts = [part for part in syllabus.parts if part.name in counted]
    with make_console(stderr=True).status("writing the gradebook …"):
        try:
            copied(url, results.superseded)
            written = write(url, results.of_this_run(), parts, read_policy(course) if course else None, people)
            left_out = write_autograded(course, folder.entries, results.of_this_run(), syllabus) if course else {}
        except CannotKeep as error:
            kept = f"The marks are in {results.marks}: the same command writes them into the gradebook later."
            raise Refusal(f"{error}\n{kept}") from error
    return Kept(shown(url), written, left_out)


def _course_directory(submissions: Path) -> Path | None:
    """Return the course directory of nbgrader's that a folder of submissions lies in, if it does."""
    place = submissions.resolve()
    return place.parent if place.name == "submitted" and (place.parent / "nbgrader_config.py").is_file() else None
