"""The folder of results: one file of marks per submission, named by what it was marked from, never half written."""

import hashlib
import os
from collections.abc import Iterable, Iterator
from itertools import groupby
from pathlib import Path
from typing import Any

import msgspec

from autograder.atomic_write import atomic_write
from autograder.classroom.class_marks import merged, read_marks
from autograder.classroom.out_of_git import keep_out_of_git
from autograder.classroom.superseded import FOLDER, Superseded
from autograder.classroom.tables import to_table
from autograder.classroom.tally import Tally
from autograder.exam.model import Exam
from autograder.exam.syllabus import Syllabus
from autograder.grading.grade import digest
from autograder.grading.results import Marks, NotMarks, marks_from_json, marks_to_json
from autograder.submission.model import Submission

LARGEST = 1_000_000
"""Bytes of a file of marks."""

LONGEST_NAME = 120
"""Bytes of a student's name in the name of a file."""


class Results:
    """Marks on disk: `marks/STUDENT.DIGEST.json`, and those that newer ones have replaced in `superseded/`.

    The digest is of everything that decides the marks: the student, what was handed in, the exam and the parts asked for. Where
    those are not all, they stand in the name too, and marks of other parts are not replaced.
    """

    def __init__(self, folder: Path) -> None:
        self.marks = folder / "marks"
        self.summary = folder / "summary.csv"
        self.superseded = folder / FOLDER
        self._earlier = Superseded(self.superseded)
        self.marks.mkdir(parents=True, exist_ok=True)
        keep_out_of_git(folder)
        self._kept: dict[str, set[str]] = {}
        self._of_this_run: list[str] = []
        for path in self.marks.glob("*.json"):
            self._kept.setdefault(_owner(path.name), set()).add(path.name)

    def find(self, name: str) -> Marks | None:
        """Return the marks of that file name; None if there are none that can be read."""
        if name not in self._kept.get(_owner(name), ()):
            return None
        try:
            found = marks_from_json((self.marks / name).read_bytes())
        except (OSError, NotMarks):  # half written by a machine that lost its power: mark it again
            return None
        self._of_this_run.append(name)
        return found

    def write(self, name: str, content: bytes) -> None:
        """Write a file of marks whole or not at all, and move away what was there of the same student.

        Wherever that is broken off, marks of the student count: those of before, or these.
        """
        owner = _owner(name)
        older = self._kept.get(owner, set())
        self._earlier.copy_here(self.marks / name)
        atomic_write(self.marks / name, content)
        self._earlier.move_here(self.marks / other for other in older - {name})
        self._kept[owner] = {name}
        self._of_this_run.append(name)

    def of_this_run(self) -> Iterator[Marks]:
        """Yield, one by one from the disk, the marks that were found or written so far."""
        for name in self._of_this_run:
            yield marks_from_json((self.marks / name).read_bytes())

    def students(self, syllabus: Syllabus) -> Iterator[Marks]:
        """Yield, one by one from the disk, the marks of each student of whom there are any, of whichever run. Raises NoMarks."""
        names = sorted((name for names in self._kept.values() for name in names), key=_student_of)
        for _, of_one in groupby(names, _student_of):
            yield merged([read_marks(self.marks / name) for name in of_one], syllabus)

    @property
    def names(self) -> set[str]:
        """Those of whom marks are here, as their files write them."""
        return {_student_of(owner) for owner in self._kept}

    def others(self, students: Iterable[str]) -> list[str]:
        """Return those of whom marks are here, as their files write them, and who are none of these students."""
        return sorted(self.names - {as_file_name(student) for student in students})

    def summarise(self, tally: Tally) -> None:
        """Write one line a submission: the student, points in all and by part, how late it came, and what somebody should look at."""
        parts = sorted({part for row in tally.rows for part in row.parts})
        rows = sorted(tally.rows, key=lambda row: row.student)
        lines = (
            [
                row.student,
                "" if row.score is None else row.score,
                *(row.parts.get(part, "") for part in parts),
                row.late,
                row.look,
            ]
            for row in rows
        )
        atomic_write(self.summary, to_table(["student", "score", *parts, "late", "look"], lines))


def _owner(name: str) -> str:
    """Return what files of the same student and the same parts have in common."""
    return name.rsplit(".", 2)[0]


def _student_of(name: str) -> str:
    return name.partition(".")[0]


def name_of(submission: Submission, exam: Exam, parts: tuple[str, ...]) -> str:
    """Return the name of the file for a submission's marks. parts: those that are marked."""
    decisive = [submission.name, digest(submission.modules), exam.digest, *parts]
    decisive += [f"{part}: {problem.message}" for part, problem in sorted(submission.problems.items())]
    decisive += [f"{part} handed in at {time}" for part, time in sorted(submission.submitted_at.items())]
    decisive += [look.says for look in submission.looks]
    summary = hashlib.sha256("\0".join(decisive).encode("utf-8", "surrogateescape")).hexdigest()
    some = "" if len(parts) == len(exam.syllabus.parts) else "." + "+".join(parts)
    return f"{as_file_name(submission.name)}{some}.{summary[:16]}.json"


def to_bytes(marks: Marks) -> bytes:
    """Return marks as the content of their file. If a student's texts make it too long, they are cut."""
    data = marks_to_json(marks)
    for longest in (None, 1_000, 200, 40):
        content = msgspec.json.encode(data if longest is None else _cut(data, longest))
        if len(content) <= LARGEST:
            break
    return content


def _cut(data: Any, longest: int) -> Any:
    if isinstance(data, dict):
        return {key: _cut(value, longest) for key, value in data.items()}
    if isinstance(data, list | tuple):
        return [_cut(value, longest) for value in data]
    return data[: longest - 1] + "…" if isinstance(data, str) and len(data) > longest else data


def as_file_name(student: str) -> str:
    """Return a name that every file system takes: letters and digits of any script, and a few signs; no dot.

    One that is too long is cut, and its digest tells it from others that begin alike.
    """
    written = tuple(_encoded(student))
    cut = len(written) < len(student)
    return "".join(written) + (f"~{hashlib.sha256(os.fsencode(student)).hexdigest()[:8]}" if cut else "")


def _encoded(student: str) -> Iterator[str]:
    length = 0
    for character in student:
        plain = character.isalnum() or character in " -_@+,'()"
        written = (
            character if plain else "".join(f"%{byte:02X}" for byte in character.encode("utf-8", "surrogateescape"))
        )
        length += len(written.encode())
        if length > LONGEST_NAME:
            return
        yield written
