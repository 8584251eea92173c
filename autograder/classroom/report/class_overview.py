"""Numbers for the report on a class: the distribution of points, and the results of each step."""

from collections import Counter
from dataclasses import dataclass
from statistics import quantiles

from autograder.classroom.counted_causes import CountedCauses, cause_of
from autograder.classroom.grades import Grades, StudentGrade
from autograder.classroom.report.states import tried
from autograder.exam.syllabus import SyllabusStep
from autograder.grading.results import Marks

BINS = 10
MOST_CAUSES = 5


@dataclass(frozen=True)
class Scores:
    """The distribution of points. lower, upper: quartiles. bins: the lower end and the size of each."""

    lower: float
    median: float
    upper: float
    bins: tuple[tuple[float, int], ...]


@dataclass(frozen=True)
class Step:
    """The results of a step. right, tried, others: numbers of students; others have rarer causes.

    causes: the most common causes, each with its number of students. stuck: the students who tried
    this step and did not pass, but passed all earlier steps that they tried.
    """

    step: SyllabusStep
    right: int
    tried: int
    causes: tuple[tuple[str, int], ...]
    others: int
    stuck: tuple[str, ...]


def scores_of(grades: Grades) -> Scores:
    """Return the distribution of points. The points of partly excused students are scaled up."""
    scores = [
        student.points * (grades.max_score / student.max_points if student.max_points else 1)
        for student in grades.students.values()
        if student.points is not None and counts(student, grades)
    ]
    lower, median, upper = quantiles(scores, n=4, method="inclusive") if len(scores) > 1 else (scores or [0.0]) * 3
    found = Counter(min(int(BINS * score / (grades.max_score or 1)), BINS - 1) for score in scores)
    bins = tuple((round(grades.max_score * number / BINS, 2), found[number]) for number in range(BINS))
    return Scores(round(lower, 2), round(median, 2), round(upper, 2), bins)


def counts(student: StudentGrade, grades: Grades) -> bool:
    """Return False for a student who is excused from all parts."""
    return student.max_points > 0 or grades.max_score == 0


def steps_of(grades: Grades) -> dict[str, Step]:
    """Return the results of each step, by the path of the step."""
    stuck: dict[str | None, list[str]] = {}
    for name, student in grades.students.items():
        stuck.setdefault(_stuck_at(student.marks), []).append(name)
    marks = [student.marks for student in grades.students.values()]
    steps = [step for part in grades.parts for step in part.steps]
    return {step.path: _step(step, marks, tuple(stuck.get(step.path, ()))) for step in steps}


def _stuck_at(student: Marks) -> str | None:
    """Return the path of the first step that a student tried and did not pass."""
    steps = ((part.part, step) for part in student.parts if not part.error for step in part.steps)
    return next((f"{part}.{step.step}" for part, step in steps if tried(step) and not step.passed), None)


def _step(step: SyllabusStep, marks: list[Marks], stuck: tuple[str, ...]) -> Step:
    parts = (part for student in marks if (part := student.part(step.part)))
    found = [one for part in parts if (one := part.step(step.name))]
    counted = CountedCauses()
    for one in found:
        if cause := cause_of(one):
            counted.add(step.path, cause)
    causes = tuple((says, count) for _, says, count in counted.commonest(MOST_CAUSES))
    others = len(counted) - sum(count for _, count in causes)
    return Step(step, sum(one.passed for one in found), sum(map(tried, found)), causes, others, stuck)
