"""Compute the final points of a class from its marks, the rules of its course and the adjustments.

The report and every export show these points, and no others.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from math import floor

from autograder.classroom.adjustments import Adjustment, near, work_of
from autograder.classroom.class_marks import ClassMarks
from autograder.classroom.lateness import lateness, read_time
from autograder.classroom.looks import looks_of, unreadable
from autograder.classroom.people import Person, entry_finder
from autograder.course.course import Counting
from autograder.exam.syllabus import SyllabusPart, SyllabusStep
from autograder.grading.results import Marks, PartMarks, StepMarks
from autograder.render.results import count_points
from autograder.submission.model import Look, Urgency


class State(StrEnum):
    """The state of a student's work on a part, in words for tables and messages."""

    HANDED_IN = "handed in"
    NOT_HANDED_IN = "not handed in"
    UNREADABLE = "not readable"
    EXCUSED = "excused"


@dataclass(frozen=True)
class StepGrade:
    """The points of a step. max_points: 0 for a bonus. marks: by `attn grade`. counts: weight in words."""

    step: SyllabusStep
    points: float
    max_points: float
    marks: StepMarks | None
    counts: str = ""


@dataclass(frozen=True)
class PartGrade:
    """The points of a part. points: None if the part is excused, or if a teacher has to decide first.

    max_points: 0 for an excused part. done: adjustments and deductions, in words. error: why the part
    is unreadable. late: how late the part was handed in, in words.
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
        """True if a teacher has to decide how many points the part gets."""
        return self.points is None and self.state != State.EXCUSED


@dataclass(frozen=True)
class StudentGrade:
    """The points of a student. name: the name of the entry in the class folder. person: from the roster.

    marks: by `attn grade`. looks: the flags that no adjustment has settled.
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
        """The sum of the parts' points; None if a part is undecided, or all parts are excused."""
        if any(part.undecided for part in self.parts) or all(part.points is None for part in self.parts):
            return None
        return _sum(part.points or 0.0 for part in self.parts)

    @property
    def max_points(self) -> float:
        """The sum of the maximum points of all parts that are not excused."""
        return _sum(part.max_points for part in self.parts)

    @property
    def done(self) -> tuple[str, ...]:
        """All adjustments and deductions, in words, each after the name of its part."""
        return tuple(f"{part.part.name}: {one}" for part in self.parts for one in part.done)

    @property
    def late(self) -> str:
        """The late parts in one line, each with its lateness."""
        return "; ".join(f"{part.part.name}: {part.late}" for part in self.parts if part.late)


@dataclass(frozen=True)
class Grades:
    """The points of a class. parts: the parts that count. max_points: by the name of a part.

    students: by entry. unknown: flags about adjustments that name nobody in the class, by that name.
    """

    parts: tuple[SyllabusPart, ...]
    max_points: Mapping[str, float]
    students: Mapping[str, StudentGrade]
    unknown: Mapping[str, tuple[Look, ...]] = field(default_factory=dict)

    @property
    def max_score(self) -> float:
        """The maximum points of a student who is not excused from any part."""
        return _sum(self.max_points.values())

    def looks(self, urgency: Urgency) -> dict[str, tuple[str, ...]]:
        """Return the messages of all flags of one urgency, by student."""
        everybody = {name: one.looks for name, one in self.students.items()} | dict(self.unknown)
        says = {name: tuple(one.says for one in own if one.urgency == urgency) for name, own in everybody.items()}
        return {name: found for name, found in says.items() if found}


def grade(marks: ClassMarks, counting: Counting, adjustments: Sequence[Adjustment] = ()) -> Grades:
    """Return the points of a class, with weights, deductions for late work and adjustments applied."""
    entry = entry_finder(marks.people, marks.students)
    own: dict[str, list[Adjustment]] = {name: [] for name in marks.students}
    unknown: dict[str, tuple[Look, ...]] = {}
    for one in adjustments:
        if name := entry(one.student):
            own[name].append(one)
        else:
            said = f"{one.where} names nobody of the class, or several{near(one.student, marks.students)}"
            unknown[one.student] = (*unknown.get(one.student, ()), Look(Urgency.MUST_ACT, said))
    students = {name: _student(name, marks, own[name], counting) for name in marks.students}
    most = {part.name: _sum(_most(step, counting) for step in part.steps) for part in marks.parts}
    return Grades(marks.parts, most, students, unknown)


def _student(name: str, marks: ClassMarks, own: Sequence[Adjustment], counting: Counting) -> StudentGrade:
    last = marks.students[name]
    parts = tuple(_part(part, last, _about(part, own), counting) for part in marks.parts)
    looks = tuple(_looks(last, parts, own, counting))
    return StudentGrade(name, marks.people.of(name) or Person(folder=name), last, parts, looks)


def _about(part: SyllabusPart, own: Sequence[Adjustment]) -> list[Adjustment]:
    """Return the adjustments that apply to a part. Those for all parts come last."""
    return sorted((one for one in own if one.part in ("", part.name)), key=lambda one: not one.part)


def _part(part: SyllabusPart, marks: Marks, own: Sequence[Adjustment], counting: Counting) -> PartGrade:
    found = marks.part(part.name)
    state, error = _state_of(found, marks)
    steps, done = _steps(part, found, own, counting)
    late = lateness(part.name, (found and found.submitted_at) or "", own, counting)
    earned = _sum(step.points for step in steps)
    kept = cents(earned * late.share)
    most = _sum(step.max_points for step in steps)
    if whole := next((one for one in own if one.points is not None and not one.step), None):
        done = (*done, _by_hand(whole, kept if state == State.HANDED_IN else None))
        return PartGrade(part, state, whole.points, most, steps, done, error, late.words)
    if excuse := next((one for one in own if one.excused), None):
        return PartGrade(part, State.EXCUSED, None, 0.0, (), (f"excused{excuse.because}",), error)
    if state == State.UNREADABLE:
        return PartGrade(part, state, None, most, steps, done, error, late.words)
    confirmed = (f"looked at, and left as it is{one.because}" for one in own if one.leaves_as_it_is)
    lost = (f"late work loses {cents(earned - kept):g} of {earned:g} points",) if kept != earned else ()
    return PartGrade(part, state, kept, most, steps, (*done, *confirmed, *late.reasons, *lost), late=late.words)


def _state_of(found: PartMarks | None, marks: Marks) -> tuple[State, str]:
    """Return the state of a part, and the reason if the part is unreadable, else an empty text."""
    if found:
        return (State.UNREADABLE, found.error) if found.error else (State.HANDED_IN, "")
    unread = [look.says for look in marks.looks if look.urgency == Urgency.MUST_ACT and not look.part]
    return (State.UNREADABLE, " ".join(unread)) if unread else (State.NOT_HANDED_IN, "")


def _steps(
    part: SyllabusPart, found: PartMarks | None, own: Sequence[Adjustment], counting: Counting
) -> tuple[tuple[StepGrade, ...], tuple[str, ...]]:
    """Return the points of a part's steps, and the adjustments of these steps in words."""
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


def _most(step: SyllabusStep, counting: Counting) -> float:
    weight = counting.weight(step.path)
    return 0.0 if weight.bonus else cents(step.points * weight.factor)


def _looks(marks: Marks, parts: Sequence[PartGrade], own: Sequence[Adjustment], counting: Counting) -> Iterator[Look]:
    yield from unreadable({part.part.name: part.error for part in parts if part.undecided}, len(parts))
    for part in parts:
        yield from _must_act_on(part, marks, _about(part.part, own), counting)
    seen = {one.part for one in own if one.is_on_work}
    unread = any(part.state == State.UNREADABLE for part in parts)
    for look in looks_of(marks):
        said_above = unread and look.urgency == Urgency.MUST_ACT and not look.part
        if not said_above and not ({"", look.part} & seen if look.part else seen):
            yield look


def _must_act_on(part: PartGrade, marks: Marks, own: Sequence[Adjustment], counting: Counting) -> Iterator[Look]:
    name, found, now = part.part.name, marks.part(part.part.name), work_of(marks, part.part.name)
    given = found.submitted_at if found and name in counting.due and part.points != 0 else None
    decided = any(one.late is not None or (one.is_on_work and not one.step) for one in own)
    if given and not read_time(given) and not decided:
        said = f"the time of {name} is unknown (“{given}”): write the days late in adjustments.csv"
        yield Look(Urgency.MUST_ACT, said, name)
    most = {step.name: cents(step.points * counting.weight(step.path).factor) for step in part.part.steps}
    for one in own:
        limit = most[one.step] if one.step else _sum(most.values())
        if one.points is not None and one.points > limit:
            said = f"gives {count_points(one.points)} for {one.step or name}, which is worth at most {limit:g}"
            urgency = Urgency.TOLD if one.reason else Urgency.MUST_ACT
            yield Look(urgency, f"{one.where} {said}{one.because or ': lower it, or give a reason'}", name)
        if one.judged.get(name, now) != now:
            said = "look again, and change the line, or its reason if the rest is right"
            yield Look(Urgency.MUST_ACT, f"a new attempt of {name} has come after {one.where}: {said}", name)


def _sum(points: Iterable[float]) -> float:
    return cents(sum(points, 0.0))


def cents(points: float) -> float:
    """Round points to hundredths. Half a hundredth rounds up, even if its float is slightly smaller."""
    return floor(round(points * 100, 6) + 0.5) / 100


def _by_hand(one: Adjustment, given: float | None) -> str:
    """Describe an adjustment of points. given: the points before this adjustment; None for none."""
    before = "" if given is None else f" in place of {given:g}"
    return f"{count_points(one.points or 0.0)} by hand{before}{one.because}"
