"""`attn grade --gradebook`: write the marks into nbgrader's gradebook and its course directory."""

from datetime import timedelta
from pathlib import Path

from sqlalchemy import URL

from autograder.classroom.class_folder import ClassFolder
from autograder.classroom.class_marks import handed_in
from autograder.classroom.gradebook import CannotKeep, copied, read_policy, read_url, shown, transaction, write
from autograder.classroom.nbgrader_notebooks import write_autograded
from autograder.classroom.people import People
from autograder.classroom.results import Results
from autograder.cli.context import Refusal, listed
from autograder.cli.summary import show_lines
from autograder.exam.syllabus import Syllabus
from autograder.render.screen import make_console


def open_gradebook(given: str) -> URL:
    """Return the gradebook's URL. Create the gradebook if it is missing. Raises CannotKeep."""
    url = read_url(given)
    with transaction(url):
        return url


def keep(
    url: URL, submissions: Path, folder: ClassFolder, people: People, results: Results, syllabus: Syllabus
) -> None:
    """Write this run's marks into the gradebook, and restored notebooks beside nbgrader's `submitted`.

    Print what was written, who was late and by how much, and what was left out.
    """
    place = submissions.resolve()
    course = place.parent if place.name == "submitted" and (place.parent / "nbgrader_config.py").is_file() else None
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
    lines = [
        f"\ngradebook: {shown(url)}, {written.submissions} submissions of parts",
        *written.outdated,
        *written.unclear,
    ]
    if written.waiting:
        lines.append(f"cells that wait for a grade by hand in formgrader: {listed([*dict.fromkeys(written.waiting)])}")
    lines += (f"not in autograded/: {listed(names)}, because {reason}" for reason, names in left_out.items())
    make_console().print("\n".join(lines), markup=False, soft_wrap=True)
    late = sorted(written.late.items(), key=lambda late: -late[1])
    show_lines("Late", ((student, str(timedelta(seconds=seconds))) for student, seconds in late))
