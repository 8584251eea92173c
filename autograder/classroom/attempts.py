"""Read attempts: folders `class/STUDENT/ATTEMPT/`, one for each hand-in, named by a time.

An attempt never changes. For each part, the newest attempt with code counts. `handed_in.csv` in the
class folder has attempts' times, if known. A student's entry without attempts is read as one
hand-in.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import astuple, dataclass, fields, replace
from functools import cached_property
from pathlib import Path

from autograder.atomic_write import atomic_write
from autograder.classroom.tables import read_rows, to_table
from autograder.course.answer import Failure
from autograder.course.errors import ExplainedError
from autograder.course.verdicts import Verdict
from autograder.exam.syllabus import SyllabusPart
from autograder.submission.archive import is_junk
from autograder.submission.model import Look, Submission, Urgency
from autograder.submission.reading import read_hand_in, unparsed, work_in

ATTEMPT = re.compile(r"\d{4}-\d\d-\d\dT\d{6}Z(-\d+)?")
STAMP = "%Y-%m-%dT%H%M%SZ"
"""The format of an attempt's name: the time of the hand-in's last commit, or else of `attn collect`."""

HANDED_IN = "handed_in.csv"
LATE = "late, the platform does not tell when"


class BadHandedIn(ExplainedError):
    """`handed_in.csv` is invalid. The message has the reason."""


@dataclass(frozen=True)
class HandedIn:
    """A line of `handed_in.csv`: when a student handed in an attempt, or one part of an attempt.

    part: empty for all parts. handed_in_at: a time in ISO 8601; empty if unknown. late: `yes`, `no`, or
    empty if unknown. from_file: the names of the downloaded files. place: the attempt's path in the
    class folder.
    """

    student: str
    part: str
    handed_in_at: str
    late: str
    from_file: str
    place: str

    @property
    def time(self) -> str:
        """The time for the marks: `handed_in_at`; if unknown, LATE for late work, else an empty text."""
        return self.handed_in_at or (LATE if self.late == "yes" else "")


COLUMNS = tuple(field.name for field in fields(HandedIn))


def read_handed_in(folder: Path) -> list[HandedIn]:
    """Read `handed_in.csv` of a class folder. Returns no lines if it is missing. Raises BadHandedIn."""
    path = folder / HANDED_IN
    if not path.exists():
        return []
    header, rows = read_rows(path, BadHandedIn)
    if missing := [column for column in COLUMNS if column not in header]:
        raise BadHandedIn(f"{path} has no column `{missing[0]}`: its first row was {','.join(COLUMNS)}.")
    return [HandedIn(**{column: row[column] for column in COLUMNS}) for _, row in rows]


def write_handed_in(folder: Path, rows: Iterable[HandedIn]) -> None:
    """Write `handed_in.csv` in a class folder, with its lines sorted. Raises OSError."""
    atomic_write(folder / HANDED_IN, to_table(COLUMNS, sorted({astuple(row) for row in rows})))


def attempts_in(entry: Path) -> list[Path]:
    """Return the folders of attempts in an entry, newest first; none if it holds anything else."""
    if not entry.is_dir() or entry.is_symlink():
        return []
    found = [path for path in entry.iterdir() if not is_junk(path.name)]
    are_attempts = all(ATTEMPT.fullmatch(path.name) and path.is_dir() and not path.is_symlink() for path in found)
    return sorted(found, reverse=True) if are_attempts else []


def read_entry(
    entry: Path, student: str, parts: Sequence[SyllabusPart], only_part: str = "", rows: Sequence[HandedIn] = ()
) -> Submission:
    """Read the work that counts in a student's entry. rows: the student's lines of `handed_in.csv`."""
    attempts = attempts_in(entry)
    if not attempts:
        read = read_hand_in(entry, student, parts, only_part)
        return replace(read, submitted_at=read.submitted_at | {row.part: row.time for row in rows if row.time})
    named, found = {part.name: part for part in parts}, []
    for path in attempts:
        own = [row for row in rows if row.place == f"{entry.name}/{path.name}"]
        found.append(_Attempt(path.name, read_hand_in(path, student, parts, only_part), named, own))
    return _merged(student, found, list(named))


@dataclass(frozen=True, eq=False)
class _Attempt:
    """An attempt, and the submission read from it. rows: the attempt's lines of `handed_in.csv`."""

    name: str
    read: Submission
    parts: Mapping[str, SyllabusPart]
    rows: Sequence[HandedIn]

    @cached_property
    def written(self) -> dict[str, int]:
        """For each part with code of the student, the number of steps that have such code."""
        read = ((part, self.read.modules.get(part.name)) for part in self.parts.values())
        work = ((part, work_in(source, part)) for part, source in read if source)
        return {part.name: sum(step.name in code for step in part.steps) for part, code in work if code}

    @property
    def is_empty(self) -> bool:
        return self.parts.keys().isdisjoint(self.read.modules)

    @cached_property
    def lost(self) -> str:
        """The reason why nothing is readable, if it is unknown which part was handed in; else empty."""
        has_part = any(row.part for row in self.rows) or 0 < len(self.read.problems) < len(self.parts)
        if has_part or not self.is_empty:
            return ""
        reasons = [failure.message for failure in self.read.problems.values()]
        reasons += [look.says for look in self.read.looks if look.urgency == Urgency.MUST_ACT]
        return f"{self.name}: {reasons[0] if reasons else 'no part was found.'}"

    def problem(self, part: str) -> Look | None:
        """Return why no step of a part that was handed in can be read; None for any other part."""
        if source := self.read.modules.get(part):
            error = unparsed(source, self.parts[part])
            return Look(Urgency.CHECK, f"no step can be parsed; {error}.", part) if error else None
        known = {row.part: row.from_file for row in self.rows if row.part}
        problem = self.read.problems.get(part)
        says = problem.message if problem else ""
        if part in known:
            says = says or f"nothing of it can be read in {known[part]}, which was handed in for it."
        elif self.lost or problem in map(self.read.problems.get, known):  # unreadable as a whole
            return None
        return Look(Urgency.MUST_ACT, says, part) if says else None

    @property
    def looks(self) -> list[Look]:
        """The flags. If no part is readable, flags that are MUST_ACT and name no part are left out."""
        unread = Urgency.MUST_ACT if self.is_empty else None
        return [look for look in self.read.looks if look.part or look.urgency != unread]

    def time(self, part: str) -> str:
        """Return the time at which a part was handed in."""
        times = {row.part: row.time for row in self.rows}
        return times.get(part) or next(filter(None, times.values()), "") or self.read.submitted_at.get(part, "")


def _merged(student: str, attempts: Sequence[_Attempt], parts: Sequence[str]) -> Submission:
    """Join attempts, the newest first, into one submission with the code that counts for each part."""
    chosen: dict[str, _Attempt] = {}
    problems: dict[str, Failure] = {}
    looks: list[Look] = []
    times: dict[str, str] = {}
    for part in parts:
        works = [attempt for attempt in attempts if part in attempt.written]
        unread = {attempt: look for attempt in attempts if (look := attempt.problem(part))}
        works = [attempt for attempt in works if attempt not in unread] or works
        if works:
            chosen[part] = _first_with_same_code(works, part)
            for attempt, look in unread.items():
                if attempt.name > works[0].name:
                    looks.append(replace(look, says=f"{attempt.name} is newer than what was marked: {look.says}"))
            fullest = max(works, key=lambda attempt: attempt.written[part])
            if (most := fullest.written[part]) > (fewer := works[0].written[part]):
                said = (
                    f"{fullest.name} has work in {most} steps, and {chosen[part].name}, which was marked, in {fewer}."
                )
                looks.append(Look(Urgency.CHECK, said, part))
        elif unread:
            newest = next(iter(unread))
            problems[part], times[part] = Failure(Verdict.MISSING, unread[newest].says), newest.time(part)
        elif not any(attempt.lost for attempt in attempts):  # else a stub may stand for lost work
            stubs = [attempt for attempt in attempts if part in attempt.read.modules]
            chosen |= {part: stubs[0]} if stubs else {}
    modules = {part: attempt.read.modules[part] for part, attempt in chosen.items()}
    times |= {part: attempt.time(part) for part, attempt in chosen.items()}
    used = [attempt for attempt in attempts if attempt in chosen.values() or attempt is attempts[0]]
    for attempt in used:
        own = {part for part, other in chosen.items() if other is attempt}
        for name, source in attempt.read.modules.items():
            if name not in parts:  # a helper; of the same name, each has a key of its own
                modules.setdefault(name if name not in modules else f"{attempt.name}/{name}", source)
        looks += [look for look in attempt.looks if look.part in {"", *own} or look.part not in chosen]
    last_work = max((attempt.name for attempt in attempts if attempt.written), default="")
    for attempt in (attempt for attempt in attempts if attempt.lost):  # any part without work may be in it
        if attempt.name > last_work:
            looks.append(Look(Urgency.MUST_ACT, attempt.lost))
        else:
            lost = Failure(Verdict.MISSING, attempt.lost)
            problems = {part: lost for part in parts if part not in modules} | problems
    notes = tuple(dict.fromkeys(note for attempt in used for note in attempt.read.notes if not attempt.lost))
    return Submission(
        student, modules, problems, notes, {part: time for part, time in times.items() if time}, tuple(looks)
    )


def _first_with_same_code(works: Sequence[_Attempt], part: str) -> _Attempt:
    """Return the oldest attempt since which the code of a part is the same. works: newest first."""
    codes = [{name: source.text for name, source in one.read.code_of(part).items()} for one in works]
    return works[next((place for place, code in enumerate(codes) if code != codes[0]), len(codes)) - 1]
