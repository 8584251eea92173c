"""Collect a download: each hand-in becomes an attempt in a class folder.

Hand-ins are copied without running any of their files and without following links.
"""

import hashlib
import itertools
import os
import shutil
import tempfile
import zipfile
from collections.abc import Mapping, Sequence
from dataclasses import astuple, dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path, PurePosixPath

from autograder.atomic_write import atomic_write
from autograder.classroom.attempts import STAMP, HandedIn, attempts_in, read_handed_in, write_handed_in
from autograder.classroom.class_folder import is_beside
from autograder.classroom.collecting.identity import Identity, read_roster, safe_name
from autograder.classroom.collecting.platforms import FOLDERS, BadDownload, Download, Upload, number_of, read_download
from autograder.classroom.people import COLUMNS, ROSTER, Person
from autograder.classroom.results import keep_out_of_git
from autograder.classroom.tables import to_table
from autograder.submission.archive import TIMESTAMP, is_junk, is_left_out
from autograder.submission.model import shown

BETWEEN_FILES = "; "


@dataclass
class Collected:
    """The result of a collection. Students are named by their entries in the class folder.

    added: students with a new attempt. late: those of `added` who are late. unchanged: students without
    new files. newcomers: people added to the roster. unmatched: people to add to the roster by hand,
    each with their files. absent: people without an entry. problems: messages about files that were not
    unpacked.
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
    """Add the hand-ins of a download to the class folder `out`.

    download: a folder or a zip archive. roster: the complete list of the class; if None, new people are
    added to `roster.csv` of the class folder. platform: one of PLATFORMS; empty to recognize the
    platform. part: the part that everybody handed in, if known. Raises BadDownload, BadRoster,
    BadHandedIn.
    """
    if out.resolve().is_relative_to(download.resolve()):
        raise BadDownload(f"{out} lies in the download: choose another place for --out.")
    out.mkdir(parents=True, exist_ok=True)
    _refuse_others(out)
    keep_out_of_git(out)
    with tempfile.TemporaryDirectory(dir=out, prefix=".collecting-") as folder:
        staging, problems = Path(folder), list[str]()
        if download.is_file():
            download = _unpacked(download, staging / ".download", problems)
        collected = Collected(read_download(download, platform), problems=problems)
        people, rows = read_roster(out, roster), read_handed_in(out)
        identity = Identity(people, is_complete=roster is not None)
        uploads = identity.by_entry(collected.download.uploads)
        for student, own in uploads.items():  # copy all before any is moved: a full disk shows here
            _copy_uploads(own, staging / student, keeps_time=collected.download.platform == FOLDERS)
        there = {student: place for student in uploads if (place := _place_of_same(out / student, staging / student))}
        placed = {student: _row(out, student, own, part, rows, there.get(student)) for student, own in uploads.items()}
        new = [student for student in placed if student not in there]
        known = {(row.place, row.part) for row in rows}
        again = [placed[student] for student, place in there.items() if part and (place, part) not in known]
        write_handed_in(out, [*rows, *again, *(placed[student] for student in new)])
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
    """Raise BadDownload if a class folder has entries that are not folders of attempts."""
    for path in sorted(out.iterdir()):
        is_collected = path.is_dir() and (attempts_in(path) or not any(path.iterdir()))
        if not (is_collected or is_junk(path.name) or is_beside(path)):
            raise BadDownload(
                f"{shown(str(path))} was not collected: a class folder holds folders STUDENT/ATTEMPT alone. Collect "
                f"what was put there by hand into another one: `attn collect {shown(str(out))} --from folders --out …`."
            )


def _unpacked(path: Path, folder: Path, problems: list[str]) -> Path:
    """Unpack a zip archive into a folder. Files that fail are named in `problems`. Raises BadDownload."""
    try:
        archive = zipfile.ZipFile(path)
    except Exception as error:  # zipfile raises many kinds of errors
        reason = f"{path} is no zip archive that can be read ({shown(str(error))})"
        raise BadDownload(f"{reason}. Give the folder or the zip that the platform gave.") from None
    for member in archive.infolist():
        try:
            archive.extract(member, folder)
        except Exception as error:
            problems.append(f"{shown(member.filename)} could not be unpacked ({shown(str(error))}).")
    return folder


def _copy_uploads(uploads: Sequence[Upload], folder: Path, keeps_time: bool) -> None:
    """Copy a student's uploads, without junk. keeps_time: True to copy nbgrader's `timestamp.txt`, too.

    Links are copied as links, so that no file outside the hand-in is read. Raises BadDownload.
    """

    def left_out(place: str, names: list[str]) -> list[str]:
        junk = (name for name in names if is_left_out(PurePosixPath(place, name), os.path.lexists))
        return [*junk, *(() if keeps_time else (TIMESTAMP,))]

    folder.mkdir()
    for upload in uploads:
        name = safe_name(upload.name)
        if upload.name and (folder / name).exists():  # two files of one name: this one keeps that of the download
            name = safe_name(upload.path.name)
        try:
            if not upload.name:
                shutil.copytree(upload.path, folder, symlinks=True, ignore=left_out, dirs_exist_ok=True)
            elif keeps_time or name != TIMESTAMP:
                shutil.copy2(upload.path, folder / name, follow_symlinks=False)
        except shutil.Error as error:
            source, _, why = error.args[0][0]
            raise BadDownload(f"{shown(source)} could not be copied: {why}.") from None


def _row(
    out: Path, student: str, uploads: Sequence[Upload], part: str, rows: Sequence[HandedIn], place: str | None
) -> HandedIn:
    """Return the line of `handed_in.csv` for a hand-in. place: the attempt's path if it exists already.

    A hand-in with a lower number from Canvas is older, so its attempt gets an earlier time.
    """
    times = [upload.time for upload in uploads if upload.time]
    number = max(upload.number for upload in uploads)
    newer = [row.place for row in rows if row.student == student and 0 < number < _number(row)]
    before = datetime.strptime(min(newer).rpartition("/")[2][:18], STAMP) - timedelta(seconds=1) if newer else None
    lateness = [upload.late for upload in uploads if upload.late is not None]
    return HandedIn(
        student,
        part,
        max(times).isoformat() if times else "",
        ("yes" if any(lateness) else "no") if lateness else "",
        BETWEEN_FILES.join(shown(upload.path.name).replace(";", "_") for upload in uploads),
        place or f"{student}/{_free(out / student, max(times, default=before or datetime.now(UTC)))}",
    )


def _number(row: HandedIn) -> int:
    return max(map(number_of, row.from_file.split(BETWEEN_FILES)))


def _free(entry: Path, time: datetime) -> str:
    stamp = f"{time:{STAMP}}"
    names = (stamp if number == 1 else f"{stamp}-{number}" for number in itertools.count(1))
    return next(name for name in names if not (entry / name).exists())


def _place_of_same(entry: Path, staged: Path) -> str:
    """Return `STUDENT/ATTEMPT` of an attempt with the same files; empty if there is none."""
    same = (attempt for attempt in attempts_in(entry) if _content(attempt) == _content(staged))
    return next((f"{entry.name}/{attempt.name}" for attempt in same), "")


def _content(folder: Path) -> dict[str, bytes]:
    files = (path for path in folder.rglob("*") if path.is_file() and not path.is_symlink())
    return {path.relative_to(folder).as_posix(): hashlib.sha256(path.read_bytes()).digest() for path in files}
