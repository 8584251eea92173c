"""What a person has decided about points: `adjustments.csv`, a decision a line, beside the marks and never in them.

    student,part,step,points,excused,extension,late,reason,hand_in
    ada,part1_basics,softmax,2.5,,,,right but for the type,
    bob,part1_basics,,,yes,,,ill,
    carol,,,,,7,,a week for all parts,

student and one decision are needed, every other column may be missing.

part: empty for all parts; its number or the beginning of its name is enough. step: empty for the whole part.
points: in place of the grader's, as they count: with the step's factor, and for a whole part after what late work loses.
excused: `yes` where a part does not count for this student, neither its points nor its maximum.
extension: how much later it is due: days, a date (its end) or a time.
late: how many days late it counts as, whatever was measured; 0 for not late.
reason: why. With a part and nothing else: somebody has looked at it, and it stays as it is.
hand_in: which hand-in was judged, or that there was none. `attn grade` fills it in, so that whoever hands in again is noticed.
"""

import difflib
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime, time, timedelta
from itertools import islice
from math import isfinite
from pathlib import Path
from typing import TypeVar

from autograder.atomic_write import atomic_write
from autograder.classroom.tables import NotTable, Table, harmless, read_table
from autograder.course.errors import ExplainedError
from autograder.exam.syllabus import Syllabus, SyllabusPart

FILE = "adjustments.csv"
"""Its name in a folder of results."""

HAND_IN = "hand_in"
COLUMNS = ("student", "part", "step", "points", "excused", "extension", "late", "reason", HAND_IN)
MOST_PROBLEMS = 20
"""So many are told at once."""
YES, NO = ("yes", "y", "true", "x", "1"), ("", "no", "n", "false", "0")

Extension = timedelta | datetime

Cell = TypeVar("Cell")


class BadAdjustments(ExplainedError):
    """The adjustments cannot be used. The message names the lines and says what to do."""


@dataclass(frozen=True)
class Adjustment:
    """One line. part, step: empty for all of them. extension: how much later, or until when. late: days."""

    line: int
    student: str
    part: str = ""
    step: str = ""
    points: float | None = None
    excused: bool = False
    extension: Extension | None = None
    late: float | None = None
    reason: str = ""
    hand_in: str = ""

    @property
    def judges(self) -> bool:
        """Whether it is about one hand-in, so that another one calls for another look."""
        return bool(self.part) and (self.points is not None or self.late is not None or self.leaves_as_it_is)

    @property
    def leaves_as_it_is(self) -> bool:
        """Whether it says no more than that somebody has looked, and why nothing is to be changed."""
        return self.points is None and not self.excused and self.extension is None and self.late is None

    @property
    def is_on_work(self) -> bool:
        """Whether somebody has looked at the work, and not only at when it came."""
        return self.points is not None or self.excused or self.leaves_as_it_is

    @property
    def settles(self) -> bool:
        """Whether it says what whole parts are worth, whatever was handed in."""
        return self.excused or (self.points is not None and not self.step)

    def extended(self, due: datetime) -> datetime:
        """Return until when the work is due for this student. A time without a zone is in that of the due date."""
        if self.extension is None:
            return due
        if isinstance(self.extension, timedelta):
            return due + self.extension
        return self.extension if self.extension.tzinfo else self.extension.replace(tzinfo=due.tzinfo)


def read_adjustments(path: Path, syllabus: Syllabus) -> tuple[Adjustment, ...]:
    """Read the adjustments in a file; none where there is no file. Raises BadAdjustments."""
    table = _open(path)
    if table is None:
        return ()
    problems, found = list(_problems_of_header(table)), []
    for row, line in zip(table.rows, table.lines, strict=True) if not problems else ():
        if len(problems) == MOST_PROBLEMS:
            problems.append("and maybe others: mend these first")
            break
        try:
            found.append(_adjustment(table, row, line, syllabus))
        except ValueError as error:
            problems.append(f"line {line}: {error}")
    problems += islice(_contradictions(found), MOST_PROBLEMS)
    if problems:
        raise BadAdjustments("\n".join([f"{path} cannot be used:", *(f"  {problem}" for problem in problems)]))
    return tuple(found)


def note_hand_ins(path: Path, adjustments: Iterable[Adjustment], of: Callable[[Adjustment], str]) -> None:
    """Write into the file which hand-in each line has judged, where it does not say so yet. Raises BadAdjustments.

    of: names the hand-in that the marks of now are of, or says that there is none.
    """
    noted = {one.line: of(one) for one in adjustments if one.judges and not one.hand_in}
    table = _open(path)
    if not noted or table is None:
        return
    header = table.header if HAND_IN in _names(table) else [*table.header, HAND_IN]
    column = [name.strip().lower() for name in header].index(HAND_IN)
    rows = [row + [""] * (len(header) - len(row)) for row in table.rows]
    for row, line in zip(rows, table.lines, strict=True):
        row[column] = noted.get(line, row[column])
    try:
        atomic_write(path, table.to_bytes([header, *rows]))
    except OSError as error:
        raise BadAdjustments(f"{path} could not be written: {error.strerror}.") from error


def _open(path: Path) -> Table | None:
    try:
        return read_table(path.read_bytes())
    except FileNotFoundError:
        return None
    except OSError as error:
        raise BadAdjustments(f"{path} cannot be read: {error.strerror}.") from error
    except NotTable as error:
        raise BadAdjustments(f"{path}: {error}") from None


def _names(table: Table) -> list[str]:
    return [harmless(name).lower() for name in table.header]


def _problems_of_header(table: Table) -> Iterator[str]:
    names = _names(table)
    if "student" not in names:
        yield f"the first line has no column `student`; its columns may be {', '.join(COLUMNS)}"
    for name in names:
        if name not in COLUMNS:
            yield f"the first line has a column `{name}`, which there is not{_near(name, COLUMNS)}"
        elif names.count(name) > 1:
            yield f"the first line has the column `{name}` twice"


def _adjustment(table: Table, row: list[str], line: int, syllabus: Syllabus) -> Adjustment:
    """Return what a line says. Raises ValueError with all that is wrong in its cells, else with what does not fit together."""
    if any(cell.strip() for cell in row[len(table.header) :]):
        raise ValueError('it has more cells than the first line: a text with a comma needs quotes, "so, for example"')
    cells = dict.fromkeys(COLUMNS, "") | {name: harmless(cell) for name, cell in zip(_names(table), row, strict=False)}
    problems: list[str] = []
    part = _noting(problems, lambda: _part(cells["part"], syllabus), None)
    found = Adjustment(
        line=line,
        student=cells["student"],
        part=part.name if part else "",
        step="" if problems else _noting(problems, lambda: _step(cells["step"], part), ""),
        points=_noting(problems, lambda: _number("points", cells["points"]), None),
        excused=_noting(problems, lambda: _yes(cells["excused"]), False),
        extension=_noting(problems, lambda: _extension(cells["extension"]), None),
        late=_noting(problems, lambda: _number("late", cells["late"]), None),
        reason=cells["reason"],
        hand_in=cells[HAND_IN],
    )
    if problems := problems or [*_problems(found)][:1]:
        raise ValueError("; ".join(problems))
    return found


def _noting(problems: list[str], read: Callable[[], Cell], otherwise: Cell) -> Cell:
    """Return what a cell says; note what is wrong with it, and go on with something else."""
    try:
        return read()
    except ValueError as error:
        problems.append(str(error))
        return otherwise


def _problems(found: Adjustment) -> Iterator[str]:
    rest = found.excused or found.extension is not None or found.late is not None
    if not found.student:
        yield "it names no student"
    if found.leaves_as_it_is and not (found.part and found.reason):
        yield "it decides nothing: give points, excused, extension or late, or a part that you have looked at and a reason to leave it as it is"
    if found.points is not None and not found.part:
        yield "points need a part, and a step if they are not the whole part's"
    if found.step and rest:
        yield "excused, extension and late are of a whole part: leave `step` empty, or give points for the step"
    if found.excused and found.points is not None:
        yield "a part that is excused has no points: give one of the two"


def _part(name: str, syllabus: Syllabus) -> SyllabusPart | None:
    if not name:
        return None
    if part := syllabus.part_meant(name):
        return part
    raise ValueError(f"there is no part `{name}`{_near(name, [part.name for part in syllabus.parts])}")


def _step(name: str, part: SyllabusPart | None) -> str:
    if not name:
        return ""
    if part is None:
        raise ValueError(f"the step `{name}` needs its part")
    names = [step.name for step in part.steps]
    if name not in names:
        raise ValueError(f"{part.name} has no step `{name}`{_near(name, names)}")
    return name


def _number(column: str, text: str) -> float | None:
    if not text:
        return None
    try:
        number = float(text.replace(",", "."))
    except ValueError:
        number = -1.0
    if not isfinite(number) or number < 0 or text.startswith("+"):
        raise ValueError(f"{column} is `{text}`; a number from 0 on was expected, without a sign")
    return number


def _yes(text: str) -> bool:
    if text.lower() not in (*YES, *NO):
        raise ValueError(f"excused is `{text}`; `yes` was expected, or nothing. A reason has a column of its own")
    return text.lower() in YES


def _extension(text: str) -> Extension | None:
    if not text:
        return None
    try:
        return timedelta(days=float(text.replace(",", ".")))
    except (ValueError, OverflowError):
        pass
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        said = "days (7), a date (2026-10-08) or a time (2026-10-08T12:00:00+02:00) was expected"
        raise ValueError(f"extension is `{text}`; {said}") from None
    return datetime.combine(moment.date(), time(23, 59, 59)) if len(text) <= len("2026-10-08") else moment


def _contradictions(found: Iterable[Adjustment]) -> Iterator[str]:
    """Yield the lines of which each says something else about the same."""
    lines: dict[tuple[str, ...], int] = {}
    for one in found:
        given = {"points": one.points, "excused": one.excused or None, "extension": one.extension, "late": one.late}
        for column in (column for column, value in given.items() if value is not None):
            about = (one.student.casefold(), one.part, one.step, column)
            if about in lines:
                yield f"lines {lines[about]} and {one.line} both give {column} for the same: leave one of them"
            lines[about] = one.line
    for (student, part, step, column), line in lines.items():
        if column == "points" and step and (whole := lines.get((student, part, "", "points"))):
            yield f"line {whole} gives points for the whole part, and line {line} for one of its steps: leave one of them"


def _near(name: str, known: Iterable[str]) -> str:
    near = difflib.get_close_matches(name, list(known), n=1)
    return f"; did you mean `{near[0]}`?" if near else ""
