"""The class at a glance, as plain data: scores, a map of students and steps, what is hard, and who is stuck where."""

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from statistics import quantiles
from urllib.parse import quote

from autograder.classroom.counted_causes import CountedCauses, cause_of
from autograder.classroom.grades import Grades, PartGrade, StudentGrade
from autograder.classroom.grades import State as Handed
from autograder.classroom.report.states import State, state_of, tried
from autograder.classroom.results import as_file_name
from autograder.exam.syllabus import SyllabusPart, SyllabusStep
from autograder.grading.results import Marks, StepMarks
from autograder.submission.model import Urgency

BINS = 10
MOST_CAUSES = 5
UNMARKED = State("open", "·", "not marked")


@dataclass(frozen=True)
class Link:
    """A student, and where their own page lies."""

    student: str
    href: str


@dataclass(frozen=True)
class Bin:
    """How many students have from `start` to less than `end` points; in the last bin, up to all points."""

    start: float
    end: float
    count: int


@dataclass(frozen=True)
class Scores:
    """How the points of a class are spread. lower, upper: a quarter of the class has no more, a quarter no less."""

    lower: float
    median: float
    upper: float
    max_score: float
    bins: tuple[Bin, ...]

    @property
    def most(self) -> int:
        """The number of students in the fullest bin."""
        return max(one.count for one in self.bins) or 1


@dataclass(frozen=True)
class Stretch:
    """What a student's row says of one part: how each step went, or in a word why there is nothing of it."""

    width: int
    states: tuple[State, ...] = ()
    absent: str = ""


@dataclass(frozen=True)
class Row:
    """One student in the map, with a stretch for each part. score: None while somebody has to decide, or if all parts are excused."""

    link: Link
    score: float | None
    stretches: tuple[Stretch, ...]


@dataclass(frozen=True)
class Told:
    """A cause, in words that hold for all students who have it, and how many these are."""

    says: str
    count: int


@dataclass(frozen=True)
class Step:
    """How a step went. right, tried: numbers of students. told: the most common causes. others: students who have others.

    stuck: those for whom it is the first step that they tried and did not pass.
    """

    step: SyllabusStep
    right: int
    tried: int
    told: tuple[Told, ...]
    others: int
    stuck: tuple[Link, ...]


@dataclass(frozen=True)
class Part:
    """One part of the course and how its steps went."""

    part: SyllabusPart
    steps: tuple[Step, ...]


@dataclass(frozen=True)
class Said:
    """What is said of a student: what somebody must decide or check, or has decided. href: empty for a name that nobody has."""

    student: str
    href: str
    says: tuple[str, ...]


@dataclass(frozen=True)
class Overview:
    """What the report on a class shows.

    marked: the day of the last marks. must_act, check, told: what there is to look at, by urgency. adjusted: what was decided or taken off.
    """

    count: int
    marked: str
    scores: Scores
    parts: tuple[Part, ...]
    rows: tuple[Row, ...]
    must_act: tuple[Said, ...]
    check: tuple[Said, ...]
    told: tuple[Said, ...]
    adjusted: tuple[Said, ...]

    @property
    def stuck(self) -> list[Step]:
        """The steps at which somebody is stuck, in the order of the course."""
        return [step for part in self.parts for step in part.steps if step.stuck]


def file_name_of(student: str) -> str:
    """Return the name of the file of a student's page."""
    return f"{as_file_name(student)}.html"


def overview_of(grades: Grades, folder: str) -> Overview:
    """Return the report on a class. folder: the name of the one beside the report in which the students' pages lie."""
    marks = [student.marks for student in grades.students.values()]
    links = {
        name: Link(student.called, quote(f"{folder}/{file_name_of(name)}")) for name, student in grades.students.items()
    }
    stuck: dict[str, list[Link]] = {}
    for name, student in grades.students.items():
        if path := _stuck_at(student.marks):
            stuck.setdefault(path, []).append(links[name])
    return Overview(
        count=len(marks),
        marked=max(one.graded_at for one in marks)[:10],
        scores=_scores([*_comparable(grades)], grades.max_score),
        parts=tuple(
            Part(part, tuple(_step(step, marks, tuple(stuck.get(step.path, ()))) for step in part.steps))
            for part in grades.parts
        ),
        rows=tuple(
            Row(links[name], student.points if _counts(student, grades) else None, tuple(map(_stretch, student.parts)))
            for name, student in grades.students.items()
        ),
        must_act=_said(grades.looks(Urgency.MUST_ACT), links),
        check=_said(grades.looks(Urgency.CHECK), links),
        told=_said(grades.looks(Urgency.TOLD), links),
        adjusted=_said({name: student.done for name, student in grades.students.items() if student.done}, links),
    )


def _said(says: Mapping[str, tuple[str, ...]], links: Mapping[str, Link]) -> tuple[Said, ...]:
    """Return texts by student, with the student's page if there is one."""
    nobody = {name: Link(name, "") for name in says} | dict(links)
    return tuple(Said(nobody[name].student, nobody[name].href, texts) for name, texts in says.items())


def _stuck_at(student: Marks) -> str | None:
    """Return the path of the first step that a student tried and did not pass."""
    steps = ((part.part, step) for part in student.parts if not part.error for step in part.steps)
    return next((f"{part}.{step.step}" for part, step in steps if tried(step) and not step.passed), None)


def _counts(student: StudentGrade, grades: Grades) -> bool:
    """Return whether a student is not excused from all that can be earned."""
    return student.max_points > 0 or grades.max_score == 0


def _comparable(grades: Grades) -> Iterator[float]:
    """Yield the points of the students: of one who is excused from some parts, the same share of the points of all parts."""
    for student in grades.students.values():
        if student.points is not None and _counts(student, grades):
            yield student.points * (grades.max_score / student.max_points if student.max_points else 1)


def _scores(scores: list[float], max_score: float) -> Scores:
    lower, median, upper = quantiles(scores, n=4, method="inclusive") if len(scores) > 1 else (scores or [0.0]) * 3
    counts = Counter(min(int(BINS * score / (max_score or 1)), BINS - 1) for score in scores)
    edges = [round(max_score * number / BINS, 2) for number in range(BINS + 1)]
    bins = tuple(Bin(edges[number], edges[number + 1], counts[number]) for number in range(BINS))
    return Scores(round(lower, 2), round(median, 2), round(upper, 2), max_score, bins)


def _step(step: SyllabusStep, marks: list[Marks], stuck: tuple[Link, ...]) -> Step:
    found = [one for student in marks if (one := _step_marks(student, step))]
    causes = CountedCauses()
    for one in found:
        if cause := cause_of(one):
            causes.add(step.path, cause)
    commonest = tuple(Told(says, count) for _, says, count in causes.commonest(MOST_CAUSES))
    return Step(
        step=step,
        right=sum(one.passed for one in found),
        tried=sum(map(tried, found)),
        told=commonest,
        others=len(causes) - sum(one.count for one in commonest),
        stuck=stuck,
    )


def _step_marks(student: Marks, step: SyllabusStep) -> StepMarks | None:
    part = student.part(step.part)
    return part.step(step.name) if part else None


def _stretch(part: PartGrade) -> Stretch:
    width = len(part.part.steps)
    if part.state != Handed.HANDED_IN:
        return Stretch(width, absent=part.state.value)
    return Stretch(width, tuple(state_of(step.marks) if step.marks else UNMARKED for step in part.steps))
