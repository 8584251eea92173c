"""Numbers for the report on a class: the distribution of points, and the results of each step."""

from collections import Counter
from dataclasses import dataclass
from statistics import quantiles

from autograder.classroom.class_marks import tried
from autograder.classroom.counted_causes import causes_of
from autograder.classroom.grades import Grades
from autograder.exam.syllabus import SyllabusStep
from autograder.grading.results import StepMarks

BINS = 10
MOST_CAUSES = 5


@dataclass(frozen=True)
class Scores:
    """The distribution of points. lower, upper: quartiles. bins: lower ends and numbers of students."""

    lower: float
    median: float
    upper: float
    bins: tuple[tuple[float, int], ...]


@dataclass(frozen=True)
class Step:
    """The results of a step. right: how many students passed. tried: how many students wrote code.

    causes: causes of wrong code, each with its number of students. stuck: the students who tried this
    step and did not pass, but passed all earlier steps that they tried.
    """

    step: SyllabusStep
    right: int
    tried: int
    causes: tuple[tuple[str, int], ...]
    stuck: tuple[str, ...]


@dataclass(frozen=True)
class State:
    """A step in the report. name: its style, such as `right`. sign: a character, or the points."""

    name: str
    sign: str
    words: str


def scores_of(grades: Grades) -> Scores:
    """Return the distribution of the final points of students who are not excused from any part."""
    points = (one.points for one in grades.students.values() if one.max_points == grades.max_score)
    scores = [one for one in points if one is not None]
    lower, median, upper = quantiles(scores, n=4, method="inclusive") if len(scores) > 1 else (scores or [0.0]) * 3
    found = Counter(min(int(BINS * score / (grades.max_score or 1)), BINS - 1) for score in scores)
    bins = tuple((round(grades.max_score * number / BINS, 2), found[number]) for number in range(BINS))
    return Scores(round(lower, 2), round(median, 2), round(upper, 2), bins)


def steps_of(grades: Grades) -> dict[str, Step]:
    """Return the results of each step, by the path of the step."""
    right, attempted = Counter[str](), Counter[str]()
    stuck: dict[str, list[str]] = {}
    for name, student in grades.students.items():
        steps = [(f"{part.part}.{step.step}", step) for part in student.marks.parts for step in part.steps]
        right.update(path for path, step in steps if step.passed)
        attempted.update(path for path, step in steps if tried(step))
        if first := next((path for path, step in steps if tried(step) and not step.passed), ""):
            stuck.setdefault(first, []).append(name)
    causes = causes_of(student.marks for student in grades.students.values())

    def results(step: SyllabusStep) -> Step:
        path, own = step.path, [(says, count) for path, says, count in causes if path == step.path]
        return Step(step, right[path], attempted[path], tuple(own[:MOST_CAUSES]), tuple(stuck.get(path, ())))

    return {step.path: results(step) for part in grades.parts for step in part.steps}


def state_of(step: StepMarks | None) -> State:
    """Return how the report shows a step. If there are no marks (None), the step is `not marked`."""
    if step is None:
        return State("open", "·", "not marked")
    if step.passed:
        return State("right", "✓", step.words)
    if not tried(step):
        return State("open", "·", step.words)
    if step.score > 0:
        name = "half" if step.score >= step.max_score / 4 else "little"
        return State(name, f"{step.score:g}", step.words)
    return State("wrong", "✗", step.words)
