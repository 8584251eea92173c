"""`attn collect`: turn a download of a learning platform into a class folder."""

from collections.abc import Iterator
from pathlib import Path

import click

from autograder.classroom.collecting.collect import Collected
from autograder.classroom.collecting.collect import collect as collect_into
from autograder.classroom.collecting.platforms import PLATFORMS
from autograder.classroom.people import COLUMNS
from autograder.classroom.tables import to_table
from autograder.cli.context import leave, listed, print_lines
from autograder.cli.options import FILE, FOLDER, PATH, in_course, out_option
from autograder.student.targets import find_steps, syllabus_of
from autograder.workspace import Workspace

MOST_FILES = 3
UNMATCHED = 3


@click.command()
@click.argument("download", type=PATH)
@out_option(type=FOLDER, help="The class folder.")
@click.option(
    "--roster",
    type=FILE,
    help="Who takes part: a table with name, id, login, email, folder, or Moodle's grading worksheet. Nobody else is collected.  [default: roster.csv of the class folder, to which new names are added]",
)
@click.option(
    "--from",
    "platform",
    type=click.Choice(list(PLATFORMS)),
    help="Whose download it is; folders: an entry a student, under the student's name.  [default: found by the names]",
)
@click.option("--part", metavar="PART", help="All have handed in this part.  [default: found in what they handed in]")
@in_course
def collect(
    workspace: Workspace, download: Path, out: Path, roster: Path | None, platform: str | None, part: str | None
) -> None:
    """Add a download of a learning platform to a class folder.

    DOWNLOAD is Canvas's or Moodle's download, as a zip or unpacked, or a folder of git clones. Each hand-in becomes a folder
    CLASS/STUDENT/ATTEMPT, which is never changed. Exit code 3 if somebody's row in the roster is unknown.
    """
    only_part = find_steps(syllabus_of(workspace), (part,))[0].part if part else ""
    collected = collect_into(download, out, roster, platform or "", only_part)
    print_lines(*_lines(collected, out))
    leave(UNMATCHED if collected.unmatched else 0)


def _lines(collected: Collected, out: Path) -> Iterator[str]:
    download = collected.download
    there = len(collected.added) + len(collected.unchanged)
    before = f", {len(collected.unchanged)} as before" if collected.unchanged else ""
    yield f"{out}: {there} student{'s' if there != 1 else ''} of a download of {download.platform}{before}"
    newcomers = [person.entry for person in collected.newcomers] if collected.absent or collected.unchanged else []
    for heading, names in {
        "Late, by the platform": collected.late,
        "Ignored, no student's files": download.ignored,
        "Handed in nothing so far": collected.absent,
        f"Added to {out / 'roster.csv'}": newcomers,
        "Not copied": collected.problems,
    }.items():
        if names:
            yield f"{heading}: {listed(names)}"
    if collected.unmatched:
        yield "Unmatched, so not collected. Add the row to the roster, or its id or sis_id to the row of the person, and collect again:"
        yield f"  {','.join(COLUMNS)}"
    for person, files in collected.unmatched.items():
        row = to_table([getattr(person, column) for column in COLUMNS], ()).decode().strip()
        yield f"  {row}  ({', '.join(files[:MOST_FILES])})"
