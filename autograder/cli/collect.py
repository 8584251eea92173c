"""`attn collect`: what a learning platform gives becomes a class folder. Its imports come after the command line is parsed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from autograder.cli.context import Stop, in_course, syllabus_of
from autograder.student.targets import find_steps
from autograder.workspace import Workspace

if TYPE_CHECKING:
    from autograder.classroom.collecting.collected import Collected

PLATFORMS = ("canvas", "moodle", "clones", "folders")
MOST_NAMED = 20


@click.command()
@click.argument("download", type=click.Path(path_type=Path))
@click.option("--out", type=click.Path(path_type=Path, file_okay=False), required=True, help="The class folder.")
@click.option(
    "--roster",
    type=click.Path(path_type=Path, dir_okay=False),
    help="Who takes part: a table with name, id, login, email, folder.  [default: roster.csv of the class folder, which is written]",
)
@click.option(
    "--from",
    "platform",
    type=click.Choice(PLATFORMS),
    default=None,
    help="Whose download it is; folders: an entry a student, under the student's name.  [default: found by the names]",
)
@click.option("--part", metavar="PART", help="All have handed in this part.  [default: found in what they handed in]")
@in_course
def collect(
    workspace: Workspace, download: Path, out: Path, roster: Path | None, platform: str | None, part: str | None
) -> None:
    """Make a class folder of what a learning platform gives.

    DOWNLOAD is Canvas's or Moodle's download, as a zip or unpacked, or a folder of git clones. The class folder gets one entry
    per student, and `handed_in.csv`. A later download brings later hand-ins; the earlier ones are kept in `.earlier`.
    """
    from autograder.classroom.collecting.collect import collect as collect_into
    from autograder.render.screen import make_console

    syllabus = syllabus_of(workspace)
    only_part = find_steps(syllabus, (part,))[0].part if part else ""
    try:
        collected = collect_into(download, out, syllabus.parts, roster, platform or "", only_part)
    except OSError as error:
        raise Stop(f"{error.filename or out} could not be written: {error.strerror}.") from error
    console = make_console()
    for line in _told(collected, out):
        console.print(line, markup=False, soft_wrap=True)


def _told(collected: Collected, out: Path) -> Iterator[str]:
    download = collected.download
    there = len({*collected.added, *collected.replaced, *collected.unchanged, *collected.older, *collected.untouched})
    yield f"{out}: {there} student{'s' if there != 1 else ''} of a download of {download.platform}"
    if collected.unchanged or collected.replaced:
        yield from _listed("Handed in for the first time", collected.added)
    yield from _listed("Late, by the platform", collected.late)
    yield from _listed("No part of the course was found in what they handed in", collected.partless)
    yield from _listed(f"In place of an earlier hand-in, which is in {out / '.earlier'}", collected.replaced)
    yield from _listed(
        "A part under another number of Moodle's than the one that is there, which counts: look whose it is. To take it, remove that one, and collect again",
        collected.renumbered,
    )
    yield from _listed("As before", [str(len(collected.unchanged))] if collected.unchanged else [])
    yield from _listed(f"Older than what is there, so put into {out / '.earlier'}", collected.older)
    yield from _listed(f"Nothing but stubs of what is there, so put into {out / '.earlier'}", collected.untouched)
    yield from _listed("Texts and links in place of files, ignored", download.not_files)
    yield from _listed("Names that tell no student, ignored", download.nobodys)
    yield from _listed("Not in the roster", collected.strangers)
    for part, names in sorted(collected.lacking.items()):
        yield from _listed(f"So far nothing of {part}" if part else "Handed in nothing so far", names)
    yield from _listed("Not copied", collected.problems)


def _listed(what: str, names: Sequence[str]) -> Iterator[str]:
    if names:
        more = f" and {len(names) - MOST_NAMED:,} more" if len(names) > MOST_NAMED else ""
        yield f"{what}: {'; '.join(names[:MOST_NAMED])}{more}"


VERBS = (collect,)
