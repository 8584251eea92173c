"""Collect a download: each hand-in becomes an attempt in a class folder."""

import hashlib
import shutil
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import astuple, dataclass, field, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

from autograder.atomic_write import atomic_write
from autograder.classroom.attempts import STAMP, HandedIn, attempts_in, read_handed_in, write_handed_in
from autograder.classroom.class_folder import is_beside
from autograder.classroom.collecting.commit_time import commit_time
from autograder.classroom.collecting.copying import copy_uploads, unpacked
from autograder.classroom.collecting.identity import Identity, read_roster
from autograder.classroom.collecting.platforms import FOLDERS, BadDownload, Download, Upload, number_of, read_download
from autograder.classroom.out_of_git import keep_out_of_git
from autograder.classroom.people import COLUMNS, ROSTER, Person
from autograder.classroom.tables import to_table
from autograder.submission.archive import is_junk
from autograder.submission.model import shown

BETWEEN_FILES = "; "


@dataclass
class Collected:
    """The result of a collection. Students are named by their entries.

    added: students with a new attempt, of whom `late` are late. unchanged: students with no new files.
    newcomers: rows that were added to the roster. unmatched: rows to add to it by hand, each with its
    files. absent: students without any entry yet. problems: messages about files that were not copied.
    """

    download: Download
    added: list[str] = field(default_factory=list)
    unchanged: list[str] = field(default_factory=list)
    late: list[str] = field(default_factory=list)
    newcomers: list[Person] = field(default_factory=list)
    unmatched: Mapping[Person, list[str]] = field(default_factory=dict)
    absent: list[str] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)


def collect(download: Path, out: Path, roster: Path | None = None, platform: str = "", part: str = "") -> Collected:
    """Add the hand-ins of a download to a class folder.

    download: a folder or a zip. roster: the complete list of the class; without one, newcomers are
    added to `roster.csv` of the class folder. platform: one of PLATFORMS; empty to recognize it.
    part: the part that everybody handed in, if known. Raises BadDownload, BadRoster, BadHandedIn.
    """
    if out.resolve().is_relative_to(download.resolve()):
        raise BadDownload(f"{out} lies in the download: choose another place for --out.")
    out.mkdir(parents=True, exist_ok=True)
    _refuse_others(out)
    keep_out_of_git(out)
    with tempfile.TemporaryDirectory(dir=out, prefix=".collecting-") as folder:
        staging, problems = Path(folder), list[str]()
        if download.is_file():
            download = unpacked(download, staging / ".download", problems)
        collected = Collected(read_download(download, platform), problems=problems)
        people = read_roster(out, roster)
        rows = read_handed_in(out)
        identity = Identity(people, is_complete=roster is not None)
        uploads = identity.by_entry(collected.download.uploads)
        keeps_time = collected.download.platform == FOLDERS
        for student, own in uploads.items():  # copy all before any is moved: a full disk shows here
            problems += (f"{student}: {said}" for said in copy_uploads(own, staging / student, keeps_time))
        placed = {student: _row(out, student, own, part, rows) for student, own in uploads.items()}
        there = {student: place for student in placed if (place := _place_of_same(out / student, staging / student))}
        new = [student for student in placed if student not in there]
        again = {(place, part) for place in there.values()} - {(row.place, row.part) for row in rows}
        of_part = [
            replace(placed[student], place=place) for student, place in there.items() if part and (place, part) in again
        ]
        write_handed_in(out, [*rows, *of_part, *(placed[student] for student in new)])
        for student in new:
            (out / student).mkdir(exist_ok=True)
            shutil.move(staging / student, out / placed[student].place)
    collected.added += new
    collected.unchanged += there
    collected.late += [student for student in new if placed[student].late == "yes"]
    collected.newcomers += identity.newcomers
    collected.unmatched = {person: [shown(one.path.name) for one in own] for person, own in identity.unmatched.items()}
    collected.absent += sorted(person.entry for person in identity.people.all if not (out / person.entry).exists())
    if identity.people != people or roster or not (out / ROSTER).exists():
        atomic_write(out / ROSTER, to_table(COLUMNS, map(astuple, identity.people.all)))
    return collected


def _refuse_others(out: Path) -> None:
    """Raise BadDownload if a class folder holds links, or entries that are no folders of attempts."""
    for path in sorted(out.iterdir()):
        if path.is_symlink() or not (path.is_dir() or path.is_file()):
            said = "is a link or a pipe: remove it, a class folder holds files and folders alone."
            raise BadDownload(f"{shown(str(path))} {said}")
        is_collected = path.is_dir() and (attempts_in(path) or not any(path.iterdir()))
        if not (is_collected or is_junk(path.name) or is_beside(path)):
            raise BadDownload(
                f"{shown(str(path))} was not collected: a class folder holds folders STUDENT/ATTEMPT alone. Collect "
                f"what was put there by hand into another one: `attn collect {shown(str(out))} --from folders --out …`."
            )


def _row(out: Path, student: str, uploads: Sequence[Upload], part: str, rows: Sequence[HandedIn]) -> HandedIn:
    """Return the line of `handed_in.csv` for a hand-in. A lower number of Canvas's means an older one."""
    times = [time for upload in uploads if not upload.name and (time := commit_time(upload.path))]
    number = max(upload.number for upload in uploads)
    newer = [row.place for row in rows if row.student == student and 0 < number < _number(row)]
    before = datetime.strptime(min(newer).rpartition("/")[2][:18], STAMP) - timedelta(seconds=1) if newer else None
    name = _free(out / student, max(times, default=before or datetime.now(UTC)))
    lateness = [upload.late for upload in uploads if upload.late is not None]
    return HandedIn(
        student,
        part,
        max(times).isoformat() if times else "",
        ("yes" if any(lateness) else "no") if lateness else "",
        BETWEEN_FILES.join(shown(upload.path.name).replace(";", "_") for upload in uploads),
        f"{student}/{name}",
    )


def _number(row: HandedIn) -> int:
    return max(map(number_of, row.from_file.split(BETWEEN_FILES)))


def _free(entry: Path, time: datetime) -> str:
    """Return an unused name for an attempt at this time."""
    name = stamp = f"{time:{STAMP}}"
    number = 1
    while (entry / name).exists():
        number += 1
        name = f"{stamp}-{number}"
    return name


def _place_of_same(entry: Path, staged: Path) -> str:
    """Return `STUDENT/ATTEMPT` of an attempt with the same files; empty if there is none."""
    content = _content(staged)
    same = (attempt for attempt in attempts_in(entry) if _content(attempt) == content)
    return next((f"{entry.name}/{attempt.name}" for attempt in same), "")


def _content(folder: Path) -> dict[str, bytes]:
    """Return the digests of the files in a folder, by path."""
    files = (path for path in folder.rglob("*") if path.is_file() and not path.is_symlink())
    return {path.relative_to(folder).as_posix(): _digest(path) for path in files}


def _digest(path: Path) -> bytes:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").digest()
