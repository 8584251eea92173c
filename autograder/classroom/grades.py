"""Grades: the final points of a class, as a pure function of its marks, its course and the adjustments.

The report and every export show these points, and no others.
"""

import difflib
import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import MAXYEAR, MINYEAR, UTC, datetime, timedelta
from enum import StrEnum
from math import ceil, floor

from autograder.classroom.class_marks import ClassMarks, is_unreadable
from autograder.classroom.looks import looks_of, unreadable
from autograder.classroom.people import Person, entry_finder
from autograder.classroom.report.states import tried
from autograder.course.course import Counting, Late
from autograder.exam.syllabus import Syllabus, SyllabusPart, SyllabusStep
from autograder.grading.results import Marks, PartMarks, StepMarks
from autograder.submission.model import Look, Urgency

DAY = timedelta(days=1)
ZONE = re.compile(r"\s*(UTC|GMT|Z)$")


class State(StrEnum):
    """The state of a student's part."""

    HANDED_IN = "handed in"
    NOT_HANDED_IN = "not handed in"
    UNREADABLE = "not readable"
    EXCUSED = "excused"


@dataclass(frozen=True)
class Adjustment:
    """A decision of a person: one line of `adjustments.csv`.

    part, step: empty for all. points: replace the grader's. extension: days after the due date, or a
    new date. late: days of lateness. judged: the judged work, if known (see `work_of`).
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
    judged: str = ""

    @property
    def leaves_as_it_is(self) -> bool:
        """True if the line only confirms the marks."""
        return self.points is None and not self.excused and self.extension is None and self.late is None

    @property
    def settles(self) -> bool:
        """True if the line decides on whole parts, whatever was handed in."""
        return self.excused or self.leaves_as_it_is or (self.points is not None and not self.step)

    @property
    def is_on_work(self) -> bool:
        """True if a person has looked at the work, not only at its time."""
        return self.settles or self.points is not None

    def extended(self, due: datetime) -> datetime:
        """Return the due date after this extension. A time without a zone has the zone of `due`."""
        if self.extension is None:
            return due
        if isinstance(self.extension, timedelta):
            return due + self.extension
        return self.extension if self.extension.tzinfo else self.extension.replace(tzinfo=due.tzinfo)


@dataclass(frozen=True)
class StepGrade:
    """The points of a step. max_points: 0 for a bonus. marks: the grader's. counts: the weight in words."""

    step: SyllabusStep
    points: float
    max_points: float
    marks: StepMarks | None
    counts: str = ""


@dataclass(frozen=True)
class PartGrade:
    """The points of a part.

    points: None if the part is excused, or if a person has to decide first. max_points: 0 for an
    excused part. done: adjustments and deductions, in words. error: why the part is unreadable.
    late: how late the part was handed in, in words.
    """

    part: SyllabusPart
    state: State
    points: float | None
    max_points: float
    steps: tuple[StepGrade, ...]
    done: tuple[str, ...] = ()
    error: str = ""
    late: str = ""

    @property
    def undecided(self) -> bool:
        """True if a person has to decide on the points."""
        return self.points is None and self.state != State.EXCUSED

    @property
    def beyond_steps(self) -> float:
        """The points of the part minus the points of its steps; negative for a deduction."""
        return 0.0 if self.points is None else cents(self.points - sum(step.points for step in self.steps))


@dataclass(frozen=True)
class StudentGrade:
    """The points of a student.

    name: the name of the entry in the class folder. person: the row of the roster. marks: the
    grader's. looks: the flags that no person has settled yet.
    """

    name: str
    person: Person
    marks: Marks
    parts: tuple[PartGrade, ...]
    looks: tuple[Look, ...] = ()

    @property
    def called(self) -> str:
        """The name of the person, followed by the name of the entry if the two differ."""
        return f"{self.person.name} ({self.name})" if self.person.name not in ("", self.name) else self.name

    @property
    def points(self) -> float | None:
        """The points of all parts; None if one of them is undecided."""
        if any(part.undecided for part in self.parts):
            return None
        return _sum(part.points or 0.0 for part in self.parts)

    @property
    def max_points(self) -> float:
        """The maximum of all parts that are not excused."""
        return _sum(part.max_points for part in self.parts)

    @property
    def done(self) -> tuple[str, ...]:
        """All adjustments and deductions, in words."""
        return tuple(f"{part.part.name}: {one}" for part in self.parts for one in part.done)

    @property
    def late(self) -> str:
        """The lateness of each part, in one line."""
        return "; ".join(f"{part.part.name}: {part.late}" for part in self.parts if part.late)

    def part(self, name: str) -> PartGrade:
        """Return the grade of a part. Raises KeyError."""
        return {part.part.name: part for part in self.parts}[name]


@dataclass(frozen=True)
class Grades:
    """The points of a class. parts: the parts that count. max_points: by part. students: by name.

    unknown: flags about adjustments that name nobody in the class, by the name in the adjustments.
    """

    parts: tuple[SyllabusPart, ...]
    max_points: Mapping[str, float]
    students: Mapping[str, StudentGrade]
    unknown: Mapping[str, tuple[Look, ...]] = field(default_factory=dict)

    @property
    def max_score(self) -> float:
        """The maximum of a student who is not excused from any part."""
        return _sum(self.max_points.values())

    def looks(self, urgency: Urgency) -> dict[str, tuple[str, ...]]:
        """Return the messages of the flags that have an urgency, by student."""
        everybody = {name: one.looks for name, one in self.students.items()} | dict(self.unknown)
        found = {
            name: tuple(look.says for look in looks if look.urgency == urgency) for name, looks in everybody.items()
        }
        return {name: says for name, says in found.items() if says}


def grade(marks: ClassMarks, counting: Counting, adjustments: Sequence[Adjustment] = ()) -> Grades:
    """Return the points of a class, after weights, lateness and adjustments."""
    entry = entry_finder(marks.people, marks.students)
    own: dict[str, list[Adjustment]] = {name: [] for name in marks.students}
    unknown: dict[str, tuple[Look, ...]] = {}
    for one in adjustments:
        if name := entry(one.student):
            own[name].append(one)
        else:
            near = difflib.get_close_matches(one.student, marks.students, n=1)
            hint = f"; did you mean `{near[0]}`?" if near else ""
            said = f"line {one.line} of the adjustments names nobody of the class, or several{hint}"
            unknown[one.student] = (*unknown.get(one.student, ()), Look(Urgency.MUST_ACT, said))
    students = {name: _student(name, marks, own[name], counting) for name in marks.students}
    points = {part.name: _max_points(part, counting) for part in marks.parts}
    return Grades(marks.parts, points, students, unknown)


def _student(name: str, marks: ClassMarks, own: Sequence[Adjustment], counting: Counting) -> StudentGrade:
    last = marks.students[name]
    parts = tuple(_part(part, last, _about(part, own), counting) for part in marks.parts)
    looks = (*_must_act(last, parts, own, counting), *_unseen(last, own))
    return StudentGrade(name, marks.people.of(name) or Person(folder=name), last, parts, looks)


def _about(part: SyllabusPart, own: Sequence[Adjustment]) -> list[Adjustment]:
    """Return the adjustments that apply to a part. Those for all parts come last."""
    return sorted((one for one in own if one.part in ("", part.name)), key=lambda one: not one.part)


def _part(part: SyllabusPart, marks: Marks, own: Sequence[Adjustment], counting: Counting) -> PartGrade:
    found = marks.part(part.name)
    state, error = state_of(marks, part.name)
    steps, done = _steps(part, found, own, counting)
    max_points = _max_points(part, counting)
    share, late, why = _late(part, found, own, counting)
    points = _sum(step.points for step in steps)
    kept = cents(points * share)
    if whole := next((one for one in own if one.points is not None and not one.step), None):
        said = _by_hand(whole, kept if state == State.HANDED_IN else None)
        return PartGrade(part, state, whole.points, max_points, steps, (*done, said), error, late)
    if excuse := next((one for one in own if one.excused), None):
        return PartGrade(part, State.EXCUSED, None, 0.0, (), (f"excused{_because(excuse)}",), error)
    if state == State.UNREADABLE:
        return PartGrade(part, state, None, max_points, steps, done, error, late)
    confirmed = (f"looked at, and left as it is{_because(one)}" for one in own if one.leaves_as_it_is)
    lost = (f"late work loses {cents(points - kept):g} of {points:g} points",) if kept != points else ()
    return PartGrade(part, state, kept, max_points, steps, (*done, *confirmed, *why, *lost), late=late)


def state_of(marks: Marks, part: str) -> tuple[State, str]:
    """Return the state of a part, and why it is unreadable."""
    if found := marks.part(part):
        return (State.UNREADABLE, found.error) if found.error else (State.HANDED_IN, "")
    if unread := [look.says for look in marks.looks if look.urgency == Urgency.MUST_ACT and not look.part]:
        return State.UNREADABLE, " ".join(unread)
    return State.NOT_HANDED_IN, ""


def work_of(marks: Marks, part: str) -> str:
    """Return a text that identifies a student's work on a part: its digest, or else its state."""
    found = marks.part(part)
    return (found.digest if found else "") or state_of(marks, part)[0]


def _steps(
    part: SyllabusPart, found: PartMarks | None, own: Sequence[Adjustment], counting: Counting
) -> tuple[tuple[StepGrade, ...], tuple[str, ...]]:
    """Return the points of steps, and the adjustments of steps in words."""
    by_hand = {one.step: one for one in own if one.step and one.points is not None}
    steps, done = [], []
    for step in part.steps:
        marks, weight = found.step(step.name) if found else None, counting.weight(step.path)
        points = cents(marks.score * weight.factor) if marks else 0.0
        if one := by_hand.get(step.name):
            done.append(f"{step.name}: {_by_hand(one, points)}")
            points = one.points or 0.0
        steps.append(StepGrade(step, points, _most(step, counting), marks, weight.words))
    return tuple(steps), tuple(done)


def _max_points(part: SyllabusPart, counting: Counting) -> float:
    return _sum(_most(step, counting) for step in part.steps)


def _most(step: SyllabusStep, counting: Counting) -> float:
    weight = counting.weight(step.path)
    return 0.0 if weight.bonus else cents(step.points * weight.factor)


def _late(
    part: SyllabusPart, found: PartMarks | None, own: Sequence[Adjustment], counting: Counting
) -> tuple[float, str, tuple[str, ...]]:
    """Return the share of points that a part keeps, its lateness, and the reasons in words."""
    for one in own:
        if one.late is not None:
            said = f"{_days(one.late)} late by hand{_because(one)}"
            return share_left(one.late, counting.late), said if one.late else "", (said,)
    given = (found and found.submitted_at) or ""
    handed_in, due = read_time(given), counting.due.get(part.name)
    late, done = "" if handed_in else given, []
    if due is None:
        return 1.0, late, ()
    if longer := next((one for one in own if one.extension is not None), None):
        due = longer.extended(due)
        done.append(f"due {due:%Y-%m-%d %H:%M}{_because(longer)}")
    days = days_late(handed_in, due, counting.late) if handed_in else 0
    if handed_in and days:
        late = f"{_days(days)} late, handed in {handed_in.astimezone(due.tzinfo):%Y-%m-%d %H:%M}"
        done.append(late)
    return share_left(days, counting.late), late, tuple(done)


def read_time(text: str) -> datetime | None:
    """Read a time in ISO 8601. A time without a zone is in UTC. Returns None for any other text."""
    try:
        moment = datetime.fromisoformat(ZONE.sub("+00:00", text.strip()))
    except ValueError:
        return None
    in_range = MINYEAR < moment.year < MAXYEAR  # so that it can be converted to every zone
    return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)) if in_range else None


def days_late(handed_in: datetime, due: datetime, late: Late) -> int:
    """Return the days since the end of the due date's grace. A day that has begun counts."""
    return max(0, ceil((handed_in - due - timedelta(minutes=late.grace_minutes)) / DAY))


def share_left(days: float, late: Late) -> float:
    """Return the share of points, from 0 to 1, that work keeps after days of lateness."""
    if days > late.at_most_days:
        return 0.0
    return max(0.0, 1 - min(late.percent_per_day * days, late.at_most_percent) / 100)


def _must_act(
    marks: Marks, parts: Sequence[PartGrade], own: Sequence[Adjustment], counting: Counting
) -> Iterator[Look]:
    """Yield the flags that only a person can settle, and nobody has settled."""
    yield from unreadable({part.part.name: part.error for part in parts if part.undecided}, len(parts))
    settled = {one.part for one in own if one.settles}
    unread = any(part.state == State.UNREADABLE for part in parts)
    for look in marks.looks:
        decided = {"", look.part} & settled if look.part else settled or unread
        if look.urgency == Urgency.MUST_ACT and not decided:
            yield look
    for part in parts:
        yield from _must_act_on(part, marks, _about(part.part, own), counting)


def _must_act_on(part: PartGrade, marks: Marks, own: Sequence[Adjustment], counting: Counting) -> Iterator[Look]:
    name, found = part.part.name, marks.part(part.part.name)
    given = found.submitted_at if found and name in counting.due and part.points != 0 else None
    if given and not read_time(given) and not any(one.late is not None or one.settles for one in own):
        said = "say in the adjustments how many days `late` it counts as"
        yield Look(Urgency.MUST_ACT, f"nobody knows how late {name} is (“{given}”): {said}", name)
    most = {step.name: cents(step.points * counting.weight(step.path).factor) for step in part.part.steps}
    for one in (one for one in own if one.part):
        of = f"line {one.line} of the adjustments"
        limit = most[one.step] if one.step else _sum(most.values())
        if one.points is not None and one.points > limit:
            said = f"{of} gives {_points(one.points)} for {one.step or name}, which counts {limit:g}: correct it"
            yield Look(Urgency.MUST_ACT, said, name)
        if one.judged and one.judged != work_of(marks, name):
            said = "look again, and change the line, or its reason if the rest is right"
            yield Look(Urgency.MUST_ACT, f"a new attempt of {name} has come after {of}: {said}", name)


def _unseen(marks: Marks, own: Sequence[Adjustment]) -> Iterator[Look]:
    """Yield the other flags, except those about work that a person has looked at."""
    seen = {one.part for one in own if one.is_on_work}
    for look in looks_of(marks):
        if look.urgency != Urgency.MUST_ACT and not ({"", look.part} & seen if look.part else seen):
            yield look


# Which parts count


@dataclass(frozen=True)
class CountedParts:
    """The parts that count, and the reason. others: how many handed in each other part."""

    parts: tuple[SyllabusPart, ...]
    why: str
    others: Mapping[str, int]

    def __str__(self) -> str:
        said = f"parts that count: {', '.join(part.name for part in self.parts)} ({self.why})"
        others = ", ".join(f"{name}, handed in by {count}" for name, count in self.others.items())
        return f"{said}; not {others}" if others else said


def counted_parts(
    marks: ClassMarks, syllabus: Syllabus, named: Collection[str], due: Mapping[str, datetime], now: datetime
) -> CountedParts:
    """Return the named parts; else those due; else those that most students handed in; else all.

    marks: the marks of all parts. named: the parts that a person has asked for. due: dates by part.
    """
    work = [found for one in marks.students.values() if (found := _with_work(one))]
    count = Counter(part for found in work for part in found)
    ways: tuple[tuple[Collection[str], str], ...] = (
        (named, "named with --part"),
        ([part for part, time in due.items() if time <= now], "their due date has passed"),
        (
            [part for part in count if 2 * count[part] > len(work)],
            "more than half of those who handed in anything handed them in",
        ),
        ([part.name for part in marks.parts], "somebody handed them in; no part was handed in by more than half"),
    )
    names, why = next((way for way in ways if way[0]), ways[-1])
    others = {part.name: count[part.name] for part in marks.parts if part.name not in names and count[part.name]}
    return CountedParts(tuple(part for part in syllabus.parts if part.name in names), why, others)


def parts_with_work(marks: ClassMarks) -> tuple[SyllabusPart, ...]:
    """Return the parts in which anybody has written code; all parts if nobody has."""
    names = {part for one in marks.students.values() for part in _with_work(one)}
    return tuple(part for part in marks.parts if part.name in names) or marks.parts


def _with_work(marks: Marks) -> set[str]:
    """Return the parts in which a student has written code, or whose file is unreadable."""
    parts = () if is_unreadable(marks) else marks.parts
    return {part.part for part in parts if part.error or any(map(tried, part.steps))}


# Points and words


def _sum(points: Iterable[float]) -> float:
    return cents(sum(points, 0.0))


def cents(points: float) -> float:
    """Round points to hundredths, a half upward, as if the points were exact decimals."""
    return floor(round(points * 100, 6) + 0.5) / 100


def _by_hand(one: Adjustment, given: float | None) -> str:
    """Return an adjustment of points in words. given: the grader's points."""
    before = "" if given is None else f" in place of {given:g}"
    return f"{_points(one.points or 0.0)} by hand{before}{_because(one)}"


def _points(points: float) -> str:
    return f"{points:g} point{'s' if points != 1 else ''}"


def _because(one: Adjustment) -> str:
    return f": {one.reason}" if one.reason else ""


def _days(days: float) -> str:
    return f"{days:g} day{'s' if days != 1 else ''}"
