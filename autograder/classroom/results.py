"""Read and write a folder of results: a file of marks per submission, named by student and digest."""

import hashlib
import os
import re
from collections.abc import Iterable, Iterator
from pathlib import Path

import msgspec

from autograder.atomic_write import atomic_write
from autograder.exam.model import Exam
from autograder.grading.grade import digest
from autograder.grading.results import Marks, NotMarks, marks_from_json, marks_to_json
from autograder.submission.model import Submission

LONGEST_NAME = 120
"""The most bytes of a student's name in a file's name."""

UNUSUAL = re.compile(r"[^\w \-@+,'()]")


class Results:
    """Marks on disk, in files `marks/STUDENT.DIGEST.json`. Older marks are moved to `superseded/`.

    The digest covers all that decides the marks: the student, the work, the exam and the parts. If only
    some parts are marked, the file's name also lists them, and marks of other parts are not moved.
    """

    def __init__(self, folder: Path) -> None:
        self.marks = folder / "marks"
        self.summary = folder / "summary.csv"
        self.superseded = folder / "superseded"
        self.marks.mkdir(parents=True, exist_ok=True)
        keep_out_of_git(folder)

    def find(self, name: str) -> Marks | None:
        """Return the marks in the file of this name; None if the file is missing or unreadable."""
        try:
            return marks_from_json((self.marks / name).read_bytes())
        except (OSError, NotMarks):  # half written by a machine that lost its power: mark it again
            return None

    def write(self, name: str, content: bytes) -> None:
        """Write a file of marks; move older marks of the student to `superseded/`. Raises OSError."""
        atomic_write(self.marks / name, content)
        for path in list(self.marks.glob("*.json")):
            if path.name != name and _owner(path.name) == _owner(name):
                self.superseded.mkdir(exist_ok=True)
                path.replace(self.superseded / path.name)

    def read(self, names: Iterable[str]) -> Iterator[Marks]:
        """Read, one at a time, the marks in the files of these names."""
        for name in names:
            yield marks_from_json((self.marks / name).read_bytes())

    def others(self, students: Iterable[str]) -> list[str]:
        """Return students who have marks but are not in `students`, as written in file names."""
        there = {path.name.partition(".")[0] for path in self.marks.glob("*.json")}
        return sorted(there - {as_file_name(student) for student in students})


def keep_out_of_git(folder: Path) -> None:
    """Make git ignore a folder, unless the folder has a `.gitignore`. Raises OSError."""
    if not (place := folder / ".gitignore").exists():
        atomic_write(place, b"*\n")


def _owner(name: str) -> str:
    """Return the beginning of a file's name: the student and the parts, without the digest."""
    return name.rsplit(".", 2)[0]


def name_of(submission: Submission, exam: Exam, parts: tuple[str, ...]) -> str:
    """Return the name of the file for a submission's marks. parts: the parts to mark."""
    decisive = [submission.name, digest(submission.modules), exam.digest, *parts]
    decisive += [f"{part}: {problem.message}" for part, problem in sorted(submission.problems.items())]
    decisive += [f"{part} handed in at {time}" for part, time in sorted(submission.submitted_at.items())]
    decisive += [look.says for look in submission.looks]
    summary = hashlib.sha256("\0".join(decisive).encode("utf-8", "surrogateescape")).hexdigest()
    some = "" if len(parts) == len(exam.syllabus.parts) else "." + "+".join(parts)
    return f"{as_file_name(submission.name)}{some}.{summary[:16]}.json"


def to_bytes(marks: Marks) -> bytes:
    """Return marks as the content of a file."""
    return msgspec.json.encode(marks_to_json(marks))


def as_file_name(student: str) -> str:
    """Return a student's name as a file name, with dots and unusual signs escaped as in URLs.

    A name that is too long is cut, and gets a digest of the whole name at the end.
    """
    safe = UNUSUAL.sub(lambda found: "".join(f"%{byte:02X}" for byte in os.fsencode(found[0])), student)
    if len(safe.encode()) <= LONGEST_NAME:
        return safe
    digest = hashlib.sha256(os.fsencode(student)).hexdigest()[:8]
    return f"{safe.encode()[:LONGEST_NAME].decode(errors='ignore')}~{digest}"
