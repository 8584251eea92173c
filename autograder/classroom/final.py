"""Final points: the grader's marks, as the course counts them, with what a person has decided and what late work loses.

The report and every export tell these, and no others.
"""

import difflib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field
from enum import StrEnum
from math import floor

from autograder.classroom.adjustments import Adjustment
from autograder.classroom.class_marks import ClassMarks
from autograder.classroom.lateness import days_late, read_time, share_left
from autograder.classroom.looks import unreadable
from autograder.classroom.people import Person, entry_finder
from autograder.course.counting import Counting, Weight
from autograder.exam.syllabus import SyllabusPart, SyllabusStep
from autograder.grading.results import Marks, PartMarks, StepMarks
from autograder.submission.model import Look, Urgency

LONGEST_HAND_IN = 32


class State(StrEnum):
    """What there is of a student's part."""

    HANDED_IN = "handed in"
    NOT_HANDED_IN = "not handed in"
    UNREADABLE = "not readable"
    EXCUSED = "excused"


@dataclass(frozen=True)
class FinalStep:
    """A step as it counts. max_points: 0 for a bonus, or if it is not counted. marks: the grader's; None if it was not marked.

    counts: how it counts, in words; empty where it counts as it is.
    """

    step: SyllabusStep
    points: float
    max_points: float
    marks: StepMarks | None
    counts: str = ""


@dataclass(frozen=True)
class FinalPart:
    """A part as it counts.

    points: None if it is excused, or if a person has to decide first. max_points: 0 if it is excused.
    done: what was decided or taken off, and why, in words. late: how late it came, in words; empty if in time, as far as is known.
    error: why it could not be read.
    """

    part: SyllabusPart
    state: State
    points: float | None
    max_points: float
    steps: tuple[FinalStep, ...]
    done: tuple[str, ...] = ()
    error: str = ""
    late: str = ""

    @property
    def undecided(self) -> bool:
        """Whether a person has to say what it is worth."""
        return self.points is None and self.state != State.EXCUSED

    @property
    def beyond_steps(self) -> float:
        """What was added to the points of its steps, or taken off."""
        return 0.0 if self.points is None else cents(self.points - sum(step.points for step in self.steps))


@dataclass(frozen=True)
class FinalStudent:
    """A student's final points.

    name: of their entry in the class folder. person: what the roster knows of them. marks: the grader's, of the hand-ins that count.
    """

    name: str
    person: Person
    marks: Marks
    parts: tuple[FinalPart, ...]

    @property
    def called(self) -> str:
        """The name as people write it, with that of the entry; the latter alone where the roster knows no other."""
        return f"{self.person.name} ({self.name})" if self.person.name not in ("", self.name) else self.name

    @property
    def is_absent(self) -> bool:
        """Whether they are in the roster, and handed in nothing at all."""
        return not self.marks.graded_at

    @property
    def points(self) -> float | None:
        """The points of all parts; None while one of them is undecided."""
        if any(part.undecided for part in self.parts):
            return None
        return cents(sum((part.points or 0.0 for part in self.parts), 0.0))

    @property
    def max_points(self) -> float:
        """The points that could be earned, without the parts that are excused."""
        return cents(sum((part.max_points for part in self.parts), 0.0))

    @property
    def done(self) -> tuple[str, ...]:
        """What was decided or taken off in any part."""
        return tuple(f"{part.part.name}: {one}" for part in self.parts for one in part.done)

    @property
    def late(self) -> str:
        """How late each part came that was late, in a line."""
        return "; ".join(f"{part.part.name}: {part.late}" for part in self.parts if part.late)

    def part(self, name: str) -> FinalPart:
        """Return a part that counts. Raises KeyError."""
        for part in self.parts:
            if part.part.name == name:
                return part
        raise KeyError(name)


@dataclass(frozen=True)
class MustAct:
    """What nobody but a person can decide, and about whom. in_marks: whether the marks alone tell it."""

    student: str
    says: str
    in_marks: bool = False


@dataclass(frozen=True)
class FinalPoints:
    """The final points of a class.

    parts: those that count. max_points: of each part, by name. students: by name. looked_at: by student, of which parts a person has looked at the work and
    decided something; an empty name is all parts.
    """

    parts: tuple[SyllabusPart, ...]
    max_points: Mapping[str, float]
    students: Mapping[str, FinalStudent]
    must_act: tuple[MustAct, ...] = ()
    looked_at: Mapping[str, Set[str]] = field(default_factory=dict)

    @property
    def max_score(self) -> float:
        """The points that can be earned by a student who is excused from nothing."""
        return cents(sum(self.max_points.values()))

    def undecided_looks(self, student: str, looks: Iterable[Look]) -> Iterator[Look]:
        """Yield what there is to look at of a student besides what must be acted on, without what somebody has looked at."""
        parts = self.looked_at.get(student, frozenset())
        for look in looks:
            seen = not parts.isdisjoint({"", look.part}) if look.part else parts
            if look.urgency != Urgency.MUST_ACT and not seen:
                yield look


def final_points(marks: ClassMarks, counting: Counting, adjustments: Sequence[Adjustment] = ()) -> FinalPoints:
    """Return the final points of a class."""
    own = _by_student(marks, adjustments)
    students: dict[str, FinalStudent] = {}
    for name, last in marks.students.items():
        counted = tuple(_part(part, last, _about(part, own.get(name, ())), counting) for part in marks.parts)
        students[name] = FinalStudent(name, marks.people.of(name) or Person(folder=name), last, counted)
    points = {part.name: _max_points(part, counting) for part in marks.parts}
    undecided = (act for one in students.values() for act in _undecided(one))
    unclear = (act for one in students.values() for act in _unclear(one, own.get(one.name, ())))
    untimed = _without_time(students, counting, own)
    again = handed_in_again(marks, adjustments)
    doubtful = _doubtful(students, own, counting)
    acts = (*beside_the_class(marks, adjustments), *undecided, *unclear, *untimed, *doubtful, *again)
    return FinalPoints(marks.parts, points, students, acts, looked_at(marks, adjustments))


def handed_in_again(marks: ClassMarks, adjustments: Sequence[Adjustment]) -> Iterator[MustAct]:
    """Yield the decisions on a hand-in, or on none, after which there came another."""
    parts = {part.name for part in marks.parts}
    for name, own in _by_student(marks, adjustments).items():
        for one in (one for one in own if one.judges and one.hand_in and one.part in parts):
            now = _hand_in(marks.students[name], one.part)
            if not _is_of(one.hand_in, now):
                yield MustAct(
                    name,
                    f"another hand-in of {one.part} counts now ({now}) than line {one.line} of the adjustments was decided for "
                    f"({one.hand_in}): look again, correct the line, and empty its `hand_in`",
                )


def looked_at(marks: ClassMarks, adjustments: Sequence[Adjustment]) -> dict[str, Set[str]]:
    """Return by student the parts of which a person has decided something on the work, unless they have handed in again since."""
    again = {act.student for act in handed_in_again(marks, adjustments)}
    return {
        name: {one.part for one in own if one.is_on_work}
        for name, own in _by_student(marks, adjustments).items()
        if name not in again
    }


def beside_the_class(marks: ClassMarks, adjustments: Sequence[Adjustment]) -> Iterator[MustAct]:
    """Yield the decisions on nobody of the class."""
    entry = entry_finder(marks.people, marks.students)
    for one in adjustments:
        if not entry(one.student) and len(called := marks.people.called(one.student)) > 1:
            names = ", ".join(person.entry for person in called)
            said = f"{len(called)} are called that: {names}; write which of these names is meant"
            yield MustAct(one.student, f"line {one.line} of the adjustments does not tell who is meant: {said}")
        elif not entry(one.student):
            near = difflib.get_close_matches(one.student, marks.students, n=1)
            hint = f"; did you mean `{near[0]}`?" if near else ""
            yield MustAct(one.student, f"line {one.line} of the adjustments names nobody of the class{hint}")


def hand_ins(marks: ClassMarks) -> Callable[[Adjustment], str]:
    """Return what tells for an adjustment the hand-in that it is about, or that there is none."""
    entry = entry_finder(marks.people, marks.students)

    def of(one: Adjustment) -> str:
        name = entry(one.student)
        return _hand_in(marks.students[name], one.part) if name else State.NOT_HANDED_IN

    return of


def _hand_in(marks: Marks, part: str) -> str:
    """Return what tells one hand-in of a part from another: when it came, if that is known, and what it is, or that nothing or nothing readable is there."""
    found = marks.part(part)
    time = found.submitted_at if found and found.submitted_at and read_time(found.submitted_at) else ""
    state, _ = _state(marks, found)
    known = found.digest if found else ""
    what = known or (marks.digest if state == State.HANDED_IN else state)
    return " ".join(one[:LONGEST_HAND_IN] for one in (time, what) if one)


def _is_of(noted: str, now: str) -> bool:
    """Return whether the hand-in of now is the one that was noted, be it by its time alone, as was usual."""
    return f"{now} ".startswith(f"{noted} ")


def _by_student(marks: ClassMarks, adjustments: Sequence[Adjustment]) -> dict[str, list[Adjustment]]:
    """Return the adjustments by the names of the marks."""
    entry = entry_finder(marks.people, marks.students)
    found: dict[str, list[Adjustment]] = {}
    for one in adjustments:
        if name := entry(one.student):
            found.setdefault(name, []).append(one)
    return found


def _about(part: SyllabusPart, own: Sequence[Adjustment]) -> list[Adjustment]:
    """Return the adjustments that concern a part: what was decided on it alone goes before what was on all."""
    return sorted((one for one in own if one.part in ("", part.name)), key=lambda one: not one.part)


def _part(part: SyllabusPart, marks: Marks, own: Sequence[Adjustment], counting: Counting) -> FinalPart:
    found = marks.part(part.name)
    state, error = _state(marks, found)
    steps, done = _steps(part, found, own, counting)
    max_points = _max_points(part, counting)
    share, late, why = _late(part, found, own, counting)
    excuse = next((one for one in own if one.excused), None)
    whole = next((one for one in own if one.points is not None and not one.step), None)
    points = _sum(step.points for step in steps)
    kept = cents(points * share)
    if whole:
        said = _by_hand(whole, kept if state == State.HANDED_IN else None)
        return FinalPart(part, state, whole.points, max_points, steps, (*done, said), error, late)
    if excuse:
        return FinalPart(part, State.EXCUSED, None, 0.0, (), (f"excused{_because(excuse)}",), error)
    if state == State.UNREADABLE:
        return FinalPart(part, state, None, max_points, steps, done, error, late)
    done = (*done, *(f"looked at, and left as it is{_because(one)}" for one in own if one.leaves_as_it_is))
    if kept != points:
        why = (*why, f"late work loses {cents(points - kept):g} of {points:g} points")
    return FinalPart(part, state, kept, max_points, steps, (*done, *why), late=late)


def _state(marks: Marks, found: PartMarks | None) -> tuple[State, str]:
    """Return what there is of a part, and why it could not be read."""
    if found:
        return (State.UNREADABLE, found.error) if found.error else (State.HANDED_IN, "")
    if unread := [look.says for look in marks.looks if look.urgency == Urgency.MUST_ACT and not look.part]:
        return State.UNREADABLE, " ".join(unread)
    return State.NOT_HANDED_IN, ""


def _steps(
    part: SyllabusPart, found: PartMarks | None, own: Sequence[Adjustment], counting: Counting
) -> tuple[tuple[FinalStep, ...], tuple[str, ...]]:
    """Return the steps of a part as they count, and what a person has decided on them."""
    decided = {one.step: one for one in own if one.step and one.points is not None}
    steps, done = [], []
    for step in part.steps:
        marks, weight = found.step(step.name) if found else None, counting.weight(step.path)
        points = cents(marks.score * weight.factor) if marks else 0.0
        if one := decided.get(step.name):
            done.append(f"{step.name}: {_by_hand(one, points)}")
            points = one.points or 0.0
        steps.append(FinalStep(step, points, _most(step, weight), marks, weight.words))
    return tuple(steps), tuple(done)


def _max_points(part: SyllabusPart, counting: Counting) -> float:
    return _sum(_most(step, counting.weight(step.path)) for step in part.steps)


def _most(step: SyllabusStep, weight: Weight) -> float:
    return 0.0 if weight.bonus else cents(step.points * weight.factor)


def _late(
    part: SyllabusPart, found: PartMarks | None, own: Sequence[Adjustment], counting: Counting
) -> tuple[float, str, tuple[str, ...]]:
    """Return what share of its points a part keeps, how late it came, and what there is to say."""
    by_hand = next((one for one in own if one.late is not None), None)
    if by_hand and by_hand.late is not None:
        said = f"{_days(by_hand.late)} late by hand{_because(by_hand)}"
        return share_left(by_hand.late, counting.late), said if by_hand.late else "", (said,)
    given = found.submitted_at if found and found.submitted_at else ""
    handed_in = read_time(given)
    late = "" if handed_in else given
    due = counting.due.get(part.name)
    if due is None:
        return 1.0, late, ()
    done = []
    if longer := next((one for one in own if one.extension is not None), None):
        due = longer.extended(due)
        done.append(f"due {due:%Y-%m-%d %H:%M}{_because(longer)}")
    days = days_late(handed_in, due, counting.late) if handed_in else 0
    if handed_in and days:
        late = f"{_days(days)} late, handed in {handed_in.astimezone(due.tzinfo):%Y-%m-%d %H:%M}"
        done.append(late)
    return share_left(days, counting.late), late, tuple(done)


def _undecided(student: FinalStudent) -> Iterator[MustAct]:
    """Yield each reason for which parts of a student's could not be read."""
    reasons = {part.part.name: part.error for part in student.parts if part.undecided}
    for look in unreadable(reasons, len(student.parts)):
        yield MustAct(student.name, look.says, in_marks=True)


def _unclear(student: FinalStudent, own: Sequence[Adjustment]) -> Iterator[MustAct]:
    """Yield what is unclear of parts of which nobody has decided what they are worth, or that they stay as they are."""
    deciding = [one for one in own if one.settles or one.leaves_as_it_is]
    unreadable = any(
        part.state == State.UNREADABLE for part in student.parts
    )  # which tells what is about no part alone
    for look in student.marks.looks:
        decided = any(one.part in ("", look.part) for one in deciding) if look.part else deciding or unreadable
        if look.urgency == Urgency.MUST_ACT and not decided:
            yield MustAct(student.name, look.says, in_marks=True)


def _without_time(
    students: Mapping[str, FinalStudent], counting: Counting, own: Mapping[str, Sequence[Adjustment]]
) -> Iterator[MustAct]:
    """Yield the parts of which nobody knows how late they are, because their time is none."""
    for name, student in students.items():
        for part in (one.part for one in student.parts):
            found = student.marks.part(part.name)
            given = found.submitted_at if found and part.name in counting.due else None
            known = any(about.late is not None or about.settles for about in _about(part, own.get(name, ())))
            earned = part.points != 0
            if given and earned and not read_time(given) and not known:
                yield MustAct(
                    name,
                    f"nobody knows how late {part.name} is (“{given}”): say in the adjustments how many days `late` it counts as",
                )


def _doubtful(
    students: Mapping[str, FinalStudent], own: Mapping[str, Sequence[Adjustment]], counting: Counting
) -> Iterator[MustAct]:
    """Yield the points by hand that may be mistyped: more than there are, or fewer than the grader gave and no reason."""
    by_hand = ((name, one, one.points) for name, decided in own.items() for one in decided)
    for name, one, points in by_hand:
        steps = [
            (step, counting.weight(step.step.path).factor)
            for part in students[name].parts
            if part.part.name == one.part
            for step in part.steps
            if one.step in ("", step.step.name)
        ]
        if points is None or not steps:
            continue
        most = _sum(step.step.points * factor for step, factor in steps)
        given = _sum(step.marks.score * factor for step, factor in steps if step.marks)
        said = f"line {one.line} of the adjustments gives {_points(points)} for {one.step or one.part}"
        if points > most:
            yield MustAct(name, f"{said}, which counts {most:g}: correct it")
        elif points < given and not one.reason:
            why = "and no reason: write one, or the points that it is worth in all"
            yield MustAct(name, f"{said} in place of {given:g}, {why}")


def _sum(points: Iterable[float]) -> float:
    return cents(sum(points, 0.0))


def cents(points: float) -> float:
    """Return points to the cent; half a cent counts for the student. What binary fractions miss is not missing."""
    return floor(round(points * 100, 6) + 0.5) / 100


def _by_hand(one: Adjustment, given: float | None) -> str:
    """Say what was decided, in place of what the grader gave."""
    before = "" if given is None else f" in place of {given:g}"
    return f"{_points(one.points or 0.0)} by hand{before}{_because(one)}"


def _points(points: float) -> str:
    return f"{points:g} point{'s' if points != 1 else ''}"


def _because(one: Adjustment) -> str:
    return f": {one.reason}" if one.reason else ""


def _days(days: float) -> str:
    return f"{days:g} day{'s' if days != 1 else ''}"
