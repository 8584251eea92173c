"""Read `adjustments.csv`: each line is a decision of a teacher about points.

    student,part,step,points,excused,extension,late,reason
    ada,part1_basics,softmax,2.5,,,,right but for the type
    bob,part1_basics,,,yes,,,ill
    carol,,,,,7,,a week for all parts

All columns except `student` are optional. `docs/publish_grades.md` explains them.
"""

import difflib
import json
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from datetime import datetime, time, timedelta
from math import isfinite
from pathlib import Path
from typing import Any

from autograder.atomic_write import atomic_write
from autograder.classroom.class_marks import NoMarks, read_class
from autograder.classroom.people import entry_finder, people_in
from autograder.classroom.tables import read_rows
from autograder.course.errors import ExplainedError
from autograder.exam.syllabus import Syllabus
from autograder.grading.results import Marks

FILE, JUDGED = "adjustments.csv", "judged.json"
"""Names of files in a folder of results. JUDGED stores, for each adjustment, the result of `work_of`."""

COLUMNS = ("student", "part", "step", "points", "excused", "extension", "late", "reason")
YES = dict.fromkeys(("yes", "y", "true", "x", "1"), True)


class BadAdjustments(ExplainedError):
    """A file of adjustments is invalid. The message lists all errors, with their lines."""


@dataclass(frozen=True)
class Adjustment:
    """A decision of a teacher: one line of `adjustments.csv`.

    part, step: empty for all parts or steps. points: replace the computed points. extension: days after
    the due date, or a new due date. late: the days of lateness that count. judged: by part, the result
    of `work_of` when the teacher decided, if known.
    """

    line: int
    student: str
    part: str = ""
    step: str = ""
    points: float | None = None
    excused: bool = False
    extension: timedelta | datetime | None = None
    late: float | None = None
    reason: str = ""
    judged: Mapping[str, str] = field(default_factory=dict)

    @property
    def leaves_as_it_is(self) -> bool:
        """True if the adjustment only confirms the marks."""
        return self.points is None and not self.excused and self.extension is None and self.late is None

    @property
    def is_on_work(self) -> bool:
        """True if the adjustment is about the work itself, not only about its lateness."""
        return self.points is not None or self.excused or self.leaves_as_it_is

    @property
    def where(self) -> str:
        """The words for this line in messages, such as `line 3 of the adjustments`."""
        return f"line {self.line} of the adjustments"

    @property
    def because(self) -> str:
        """A colon and the reason; empty if there is no reason."""
        return f": {self.reason}" if self.reason else ""

    def extended(self, due: datetime) -> datetime:
        """Return the extended due date. A new date without a time zone has the zone of `due`."""
        if isinstance(self.extension, datetime):
            return self.extension.replace(tzinfo=self.extension.tzinfo or due.tzinfo)
        return due + (self.extension or timedelta())


def read_adjustments(folder: Path, syllabus: Syllabus, given: Path | None = None) -> tuple[Adjustment, ...]:
    """Read the adjustments of a folder of results, each with its `judged`. Raises BadAdjustments.

    given: the file of adjustments, by default FILE in the folder. If it is missing, there are none.
    """
    path, judged = given or folder / FILE, dict[str, str]()
    if not path.exists():
        return ()
    with suppress(OSError, ValueError):
        judged = json.loads((folder / JUDGED).read_bytes())
    header, rows = read_rows(path, BadAdjustments)
    wrong = [f"an unknown column `{name}`{near(name, COLUMNS)}" for name in header if name not in COLUMNS]
    if wrong := [*wrong, *([] if "student" in header else ["no column `student`"])]:
        raise BadAdjustments(f"{path} has {'; '.join(wrong)}. Its columns may be {', '.join(COLUMNS)}.")
    problems, found, lines = [], [], dict[tuple[str, ...], int]()
    for line, row in rows:
        cells = dict.fromkeys(COLUMNS, "") | row
        try:
            one = _adjustment(line, cells, syllabus)
        except ValueError as error:
            problems.append(f"line {line}: {error}")
            continue
        parts = [part.name for part in syllabus.parts if _key(one, part.name) in judged]
        found.append(replace(one, judged={part: judged[_key(one, part)] for part in parts}))
        for column in (column for column in READERS if cells[column]):
            before = lines.setdefault((one.student.casefold(), one.part, one.step, column), line)
            if before != line:
                problems.append(f"lines {before} and {line} both give {column} for the same: leave one of them")
    if problems:
        raise BadAdjustments("\n  ".join([f"{path} cannot be used:", *problems]))
    return tuple(found)


def work_of(marks: Marks, part: str) -> str:
    """Return the digest of a student's work on a part; if it has none, `not readable` or `not handed in`."""
    found = marks.part(part)
    return (found.digest or "not readable") if found else "not handed in"


def note_judged(folder: Path, syllabus: Syllabus, given: Path | None = None, older: Path | None = None) -> bool:
    """Write each adjustment's `judged` to JUDGED before marking; if it is empty, the present `work_of`.

    given: see `read_adjustments`. older: results whose decisions are copied first if the folder has
    none; then return True. Raises BadAdjustments, BadRoster, OSError.
    """
    source = older if older and not given and (older / FILE).exists() and not (folder / FILE).exists() else folder
    for name in (FILE, JUDGED) if source != folder else ():
        if (source / name).exists():
            atomic_write(folder / name, (source / name).read_bytes())
    adjustments = read_adjustments(folder, syllabus, given)
    with suppress(NoMarks):
        marks = read_class(source, syllabus).of_all(people_in(folder))
        entry = entry_finder(marks.people, marks.students)
        noted = {
            _key(one, part.name): one.judged.get(part.name) or work_of(marks.students[student], part.name)
            for one in adjustments
            for part in syllabus.parts
            if one.part in ("", part.name) and (one.excused or (one.part and not one.extension))
            if (student := entry(one.student))
        }
        if noted:
            atomic_write(folder / JUDGED, json.dumps(noted, indent=1, ensure_ascii=False).encode() + b"\n")
    return source != folder


def near(name: str, known: Iterable[str]) -> str:
    """Return the question whether a similar known name was meant; empty if no known name is similar."""
    found = difflib.get_close_matches(name, list(known), n=1)
    return f"; did you mean `{found[0]}`?" if found else ""


def _key(one: Adjustment, part: str) -> str:
    decided = [one.student, part, one.step, one.points, one.late, one.reason]
    return json.dumps([*decided, "excused"] if one.excused else decided, ensure_ascii=False)


def _adjustment(line: int, cells: Mapping[str, str], syllabus: Syllabus) -> Adjustment:
    part = syllabus.part_meant(cells["part"])
    if cells["part"] and not part:
        raise ValueError(f"there is no part `{cells['part']}`{near(cells['part'], (p.name for p in syllabus.parts))}")
    steps = [step.name for step in part.steps] if part else []
    if cells["step"] and cells["step"] not in steps:
        of = f"{part.name} has no step `{cells['step']}`" if part else f"the step `{cells['step']}` needs its part"
        raise ValueError(f"{of}{near(cells['step'], steps)}")
    decided = {column: _read(column, cells[column]) for column in READERS if cells[column]}
    found = Adjustment(
        line, cells["student"], part.name if part else "", cells["step"], **decided, reason=cells["reason"]
    )
    wrong = {
        "it names no student": not found.student,
        "it decides nothing: give points, excused, extension or late, or a part that you have looked at and a reason "
        "to leave it as it is": found.leaves_as_it_is and not (found.part and found.reason),
        "points need a part, and a step if they are not the whole part's": found.points is not None and not found.part,
        "excused, extension and late are of a whole part: leave `step` empty, or give points for the step": found.step
        and decided.keys() - {"points"},
        "an excused part has no points: give `excused` or points": found.excused and found.points is not None,
    }
    if said := next((said for said, is_so in wrong.items() if is_so), ""):
        raise ValueError(said)
    return found


def _read(column: str, text: str) -> Any:
    read, expected = READERS[column]
    with suppress(ValueError, OverflowError, KeyError):
        return read(text)
    raise ValueError(f"{column} is `{text}`; {expected} was expected")


def _number(text: str) -> float:
    number = float(text.replace(",", "."))
    if not isfinite(number) or number < 0 or text.startswith("+"):  # `+1` may mean one point more
        raise ValueError(text)
    return number


def _extension(text: str) -> timedelta | datetime:
    with suppress(ValueError):
        return timedelta(days=float(text.replace(",", ".")))
    moment = datetime.fromisoformat(text)
    return datetime.combine(moment.date(), time(23, 59, 59)) if len(text) <= len("2026-10-08") else moment


READERS: Mapping[str, tuple[Callable[[str], Any], str]] = {
    "points": (_number, "a number from 0 on, without a sign,"),
    "excused": (lambda text: YES[text.lower()], "`yes` or nothing"),
    "extension": (_extension, "days (7), a date (2026-10-08) or a time (2026-10-08T12:00:00+02:00)"),
    "late": (_number, "a number of days from 0 on, without a sign,"),
}
"""For each column, the function that reads a cell or raises an error, and what it expects, in words."""
