"""Read `adjustments.csv`: each line is a decision of a teacher about points.

    student,part,step,points,excused,extension,late,reason
    ada,part1_basics,softmax,2.5,,,,right but for the type
    bob,part1_basics,,,yes,,,ill
    carol,,,,,7,,a week for all parts

All columns except `student` are optional. `docs/publish_grades.md` explains them.
"""

import difflib
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import datetime, time, timedelta
from math import isfinite
from pathlib import Path

from autograder.atomic_write import atomic_write
from autograder.classroom.class_marks import ClassMarks
from autograder.classroom.grades import Adjustment, work_of
from autograder.classroom.people import entry_finder
from autograder.classroom.tables import NotTable, Table, harmless, read_table
from autograder.course.errors import ExplainedError
from autograder.exam.syllabus import Syllabus, SyllabusPart

FILE, JUDGED = "adjustments.csv", "judged.json"
"""Files in a folder of results. JUDGED notes which work each adjustment is about (see `work_of`)."""

COLUMNS = ("student", "part", "step", "points", "excused", "extension", "late", "reason")
YES = ("yes", "y", "true", "x", "1")
MOST_PROBLEMS = 20


class BadAdjustments(ExplainedError):
    """The adjustments are invalid. The message names each line and its error."""


def read_adjustments(path: Path, syllabus: Syllabus) -> tuple[Adjustment, ...]:
    """Read the adjustments in a file. A missing file has none. Raises BadAdjustments."""
    try:
        table = read_table(path.read_bytes())
    except FileNotFoundError:
        return ()
    except OSError as error:
        raise BadAdjustments(f"{path} cannot be read: {error.strerror}.") from error
    except NotTable as error:
        raise BadAdjustments(f"{path}: {error}") from None
    names = [harmless(name).lower() for name in table.header]
    problems, found = list(_problems_of_header(names)), []
    for row, line in zip(table.rows, table.lines, strict=True) if not problems else ():
        try:
            found.append(_adjustment(table, names, row, line, syllabus))
        except ValueError as error:
            problems.append(f"line {line}: {error}")
    problems += _contradictions(found)
    if more := problems[MOST_PROBLEMS:]:
        problems[MOST_PROBLEMS:] = [f"and {len(more)} more"]
    if problems:
        raise BadAdjustments("\n".join([f"{path} cannot be used:", *(f"  {problem}" for problem in problems)]))
    return tuple(found)


def with_judged(adjustments: Sequence[Adjustment], folder: Path) -> tuple[Adjustment, ...]:
    """Return the adjustments with `judged` set to the work that `note_judged` noted for each."""
    noted = _noted(folder)
    return tuple(replace(one, judged=noted.get(_key(one), "")) for one in adjustments)


def note_judged(adjustments: Iterable[Adjustment], marks: ClassMarks, folder: Path) -> None:
    """Write to JUDGED the work that each adjustment judges. Work noted before stays. Raises OSError."""
    entry, noted, now = entry_finder(marks.people, marks.students), _noted(folder), dict[str, str]()
    for one in adjustments:
        judges = one.points is not None or one.late is not None or one.leaves_as_it_is
        if one.part and judges and (name := entry(one.student)):
            now[_key(one)] = noted.get(_key(one)) or work_of(marks.students[name], one.part)
    if now != noted:
        atomic_write(folder / JUDGED, json.dumps(now, indent=1, ensure_ascii=False).encode() + b"\n")


def _noted(folder: Path) -> Mapping[str, str]:
    with suppress(OSError, ValueError):
        noted = json.loads((folder / JUDGED).read_bytes())
        return {str(key): str(work) for key, work in noted.items()} if isinstance(noted, dict) else {}
    return {}


def _key(one: Adjustment) -> str:
    return json.dumps([one.student, one.part, one.step, one.points, one.late, one.reason], ensure_ascii=False)


def _problems_of_header(names: Sequence[str]) -> Iterator[str]:
    if "student" not in names:
        yield f"the first line has no column `student`; its columns may be {', '.join(COLUMNS)}"
    for name in names:
        if name not in COLUMNS:
            yield f"the first line has a column `{name}`, which there is not{_near(name, COLUMNS)}"
        elif names.count(name) > 1:
            yield f"the first line has the column `{name}` twice"


def _adjustment(table: Table, names: Sequence[str], row: list[str], line: int, syllabus: Syllabus) -> Adjustment:
    """Return the adjustment of a line. Raises ValueError."""
    if any(cell.strip() for cell in row[len(table.header) :]):
        raise ValueError('it has more cells than the first line: a text with a comma needs quotes, "so, for example"')
    cells = dict.fromkeys(COLUMNS, "") | {name: harmless(cell) for name, cell in zip(names, row, strict=False)}
    part = _part(cells["part"], syllabus)
    found = Adjustment(
        line=line,
        student=cells["student"],
        part=part.name if part else "",
        step=_step(cells["step"], part),
        points=_number("points", cells["points"]),
        excused=_yes(cells["excused"]),
        extension=_extension(cells["extension"]),
        late=_number("late", cells["late"]),
        reason=cells["reason"],
    )
    rest = found.excused or found.extension is not None or found.late is not None
    wrong = {
        "it names no student": not found.student,
        "it decides nothing: give points, excused, extension or late, or a part that you have looked at and a reason "
        "to leave it as it is": found.leaves_as_it_is and not (found.part and found.reason),
        "points need a part, and a step if they are not the whole part's": found.points is not None and not found.part,
        "excused, extension and late are of a whole part: leave `step` empty, or give points for the step": bool(
            found.step and rest
        ),
        "a part that is excused has no points: give one of the two": found.excused and found.points is not None,
    }
    if said := next((said for said, is_so in wrong.items() if is_so), ""):
        raise ValueError(said)
    return found


def _part(name: str, syllabus: Syllabus) -> SyllabusPart | None:
    if name and not syllabus.part_meant(name):
        raise ValueError(f"there is no part `{name}`{_near(name, [part.name for part in syllabus.parts])}")
    return syllabus.part_meant(name)


def _step(name: str, part: SyllabusPart | None) -> str:
    if name and part is None:
        raise ValueError(f"the step `{name}` needs its part")
    names = [step.name for step in part.steps] if part else []
    if name and part and name not in names:
        raise ValueError(f"{part.name} has no step `{name}`{_near(name, names)}")
    return name


def _number(column: str, text: str) -> float | None:
    number = -1.0
    with suppress(ValueError):
        number = float(text.replace(",", ".")) if text else 0.0
    if not isfinite(number) or number < 0 or text.startswith("+"):
        raise ValueError(f"{column} is `{text}`; a number from 0 on was expected, without a sign")
    return number if text else None


def _yes(text: str) -> bool:
    if text and text.lower() not in YES:
        raise ValueError(f"excused is `{text}`; `yes` was expected, or nothing. A reason has a column of its own")
    return bool(text)


def _extension(text: str) -> timedelta | datetime | None:
    if not text:
        return None
    with suppress(ValueError, OverflowError):
        return timedelta(days=float(text.replace(",", ".")))
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        said = "days (7), a date (2026-10-08) or a time (2026-10-08T12:00:00+02:00) was expected"
        raise ValueError(f"extension is `{text}`; {said}") from None
    return datetime.combine(moment.date(), time(23, 59, 59)) if len(text) <= len("2026-10-08") else moment


def _contradictions(found: Iterable[Adjustment]) -> Iterator[str]:
    """Yield a message for each pair of lines that set the same value twice."""
    lines: dict[tuple[str, ...], int] = {}
    for one in found:
        given = {"points": one.points, "excused": one.excused or None, "extension": one.extension, "late": one.late}
        for column in (column for column, value in given.items() if value is not None):
            about = (one.student.casefold(), one.part, one.step, column)
            if about in lines:
                yield f"lines {lines[about]} and {one.line} both give {column} for the same: leave one of them"
            lines[about] = one.line
    for (student, part, step, column), line in lines.items():
        if step and (whole := lines.get((student, part, "", column))):
            yield f"line {whole} gives points for the whole part, and line {line} for one of its steps: leave one of them"


def _near(name: str, known: Iterable[str]) -> str:
    near = difflib.get_close_matches(name, list(known), n=1)
    return f"; did you mean `{near[0]}`?" if near else ""
