"""`attn grade --gradebook`: write the marks into nbgrader's gradebook and its course directory."""

from pathlib import Path

from autograder.classroom.class_folder import ClassFolder
from autograder.classroom.class_marks import handed_in
from autograder.classroom.gradebook import CONFIG, CannotKeep, copied, read_policy, shown, write
from autograder.classroom.nbgrader_notebooks import write_autograded
from autograder.classroom.people import People
from autograder.classroom.results import Results
from autograder.cli.context import Refusal, listed, print_lines
from autograder.cli.summary import show_lines
from autograder.exam.syllabus import Syllabus
from autograder.render.screen import make_console


def keep(
    gradebook: str, submissions: Path, folder: ClassFolder, people: People, results: Results, syllabus: Syllabus
) -> None:
    """Write this run's marks into the gradebook. In a course directory, also write marked notebooks.

    Print what was written, who was late and by how much, and which notebooks were left out.
    """
    place = submissions.resolve()
    course = place.parent if place.name == "submitted" and (place.parent / CONFIG).is_file() else None
    counted = handed_in(results.of_this_run())
    parts = [part for part in syllabus.parts if part.name in counted]
    with make_console(stderr=True).status("writing the gradebook …"):
        try:
            policy = read_policy(course) if course else None
            copied(gradebook, results.superseded)
            written = write(gradebook, results.of_this_run(), parts, policy, people)
        except CannotKeep as error:
            kept = f"The marks are in {results.marks}. To write them into the gradebook, run the same command again."
            raise Refusal(f"{error}\n{kept}") from error
        left_out = write_autograded(course, folder.entries, results.of_this_run(), syllabus) if course else {}
    lines = [f"\ngradebook: {shown(gradebook)}, {written.submissions} submissions of parts"]
    if written.waiting:
        lines.append(
            f"scores by hand are missing, or were given for other work: {listed(written.waiting)}. See formgrader"
        )
    why = "not handed in as a readable notebook, or not in release/"
    lines += [f"{part} was not written into autograded/ for {listed(names)}: {why}" for part, names in left_out.items()]
    print_lines(*lines)
    show_lines("Late", written.late)
