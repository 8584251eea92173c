"""A download becomes a class folder, or adds to one."""

import tempfile
from collections.abc import Sequence
from pathlib import Path

from autograder.classroom.collecting.class_list import read_class_list
from autograder.classroom.collecting.collected import Collected
from autograder.classroom.collecting.copying import copy_uploads, unpacked
from autograder.classroom.collecting.handed_in import write_handed_in
from autograder.classroom.collecting.names import Names
from autograder.classroom.collecting.placing import Placing
from autograder.classroom.collecting.platforms import FOLDERS, BadDownload, read_download
from autograder.classroom.out_of_git import keep_out_of_git
from autograder.exam.syllabus import SyllabusPart


def collect(
    download: Path, out: Path, parts: Sequence[SyllabusPart], roster: Path | None, platform: str = "", part: str = ""
) -> Collected:
    """Bring a download into a class folder.

    download: a folder, or the zip as the platform gives it. roster: who takes part, which is kept as `roster.csv` of the class folder;
    where none ever was given, that says who is who, and is written. platform: one of PLATFORMS, or empty. part: the name of the one that all have
    handed in, if nothing else; found in what they handed in if empty. Raises BadDownload, BadRoster, BadHandedIn.
    """
    if out.resolve().is_relative_to(download.resolve()):
        raise BadDownload(f"{out} lies in the download: choose another place for --out.")
    out.mkdir(parents=True, exist_ok=True)
    keep_out_of_git(out)
    with tempfile.TemporaryDirectory(dir=out, prefix=".collecting-") as folder:
        staging, problems = Path(folder), list[str]()
        if download.is_file():
            download = unpacked(download, staging / ".download", problems)
        collected = Collected(read_download(download, platform), problems=problems)
        placing = Placing(out, parts, part, collected)
        class_list = read_class_list(out, roster)
        names = Names(class_list, collected.download, placing.rows)
        uploads = names.by_entry(collected.download.uploads)
        keeps_time = collected.download.platform == FOLDERS
        for student, own in uploads.items():  # all, before anything is placed: here a full disk shows
            problems += (f"{student}: {said}" for said in copy_uploads(own, staging / student, keeps_time))
        for student, own in uploads.items():
            placing.add(student, own, staging / student)
        placing.settle()
        write_handed_in(out, placing.rows)
        collected.strangers.extend(names.strangers)
        collected.tell_lacking(names.all, placing.rows, parts)
        class_list.write(names.people(collected.renumbered))
    return collected
