"""What a class folder's list says of a submission: when its parts came, and what was handed in that cannot be read."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from autograder.classroom.collecting.handed_in import LATE, HandedIn
from autograder.course.answer import Failure
from autograder.course.verdicts import Verdict
from autograder.exam.syllabus import SyllabusPart
from autograder.submission.model import Look, Submission, Urgency
from autograder.submission.reading import read_hand_in, work_in


def as_listed(
    submission: Submission, rows: Sequence[HandedIn], folder: Path, parts: Sequence[SyllabusPart]
) -> Submission:
    """Return a submission with what the list says of it. rows: the student's. folder: of the class. parts: of the course.

    What was handed in for a part and cannot be read is a problem of the part; where nobody knows for which, a person must look. An
    untouched stub does not count beside either.
    """
    if not rows:
        return submission
    stubs = {
        part.name
        for part in parts
        if part.name in submission.modules and not work_in(submission.modules[part.name], part)
    }
    written = submission.modules.keys() - stubs
    times, problems, looks = dict(submission.submitted_at), dict(submission.problems), list(submission.looks)
    uncounted: set[str] = set()
    several = {part for part, count in Counter(row.part for row in rows).items() if count > 1}
    for row in rows:
        if row.part in written & several and not _can_be_read(row, folder, parts):
            said = f"Nothing of {row.part} can be read in {row.from_file}, which was handed in for it, too, and lies in {row.place}."
            looks.append(Look(Urgency.MUST_ACT, said, row.part))
            continue
        if row.part and (time := row.handed_in_at or (LATE if row.late == "yes" else "")):
            times[row.part] = time
        if row.part in written or _can_be_read(row, folder, parts):
            continue
        uncounted |= {row.part} if row.part else stubs
        if row.part:
            said = f"nothing of it can be read in {row.from_file}, which was handed in for it."
            problems.setdefault(row.part, Failure(Verdict.MISSING, said))
        elif submission.modules:
            looks.append(Look(Urgency.MUST_ACT, f"No part was found in {row.from_file}, which lies in {row.place}."))
    modules = {name: source for name, source in submission.modules.items() if name not in uncounted & stubs}
    return replace(submission, modules=modules, problems=problems, submitted_at=times, looks=tuple(looks))


def _can_be_read(row: HandedIn, folder: Path, parts: Sequence[SyllabusPart]) -> bool:
    """Return whether the part that was handed in is where it was put, or any part where it is not known which it is."""
    found = read_hand_in(folder / row.place, row.student, parts).modules
    return row.part in found if row.part else any(part.name in found for part in parts)
