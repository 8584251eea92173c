"""The final scores of nbgrader's gradebook, in place of our own final points: with grades by hand, extra credit and penalties."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from nbgrader.api import Gradebook, MissingEntry, Student, SubmittedAssignment, SubmittedNotebook
from nbgrader.plugins import LateSubmissionPlugin
from sqlalchemy import URL

from autograder.classroom.class_marks import ClassMarks, nothing_of
from autograder.classroom.final import FinalPart, FinalPoints, FinalStudent, MustAct, State, cents, final_points
from autograder.classroom.gradebook.database import CannotKeep, shown, transaction
from autograder.classroom.gradebook.entries import first_and_last, student_id
from autograder.classroom.gradebook.lateness import penalty
from autograder.classroom.people import People, last_first
from autograder.classroom.tables import harmless
from autograder.course.counting import Counting

NOT_FINAL = "its points are not final yet"

Submissions = dict[str, SubmittedAssignment]
"""What was handed in for an assignment, by nbgrader's ids of students."""


def final_scores(url: URL, ours: FinalPoints, policy: LateSubmissionPlugin | None = None) -> FinalPoints:
    """Return the gradebook's points for the same parts, of the same students and of all others who are in it. Raises CannotKeep.

    ours: before any decision. policy: what late submissions cost; None if it is not known.
    """
    if url.get_backend_name() == "sqlite" and url.database and not Path(url.database).is_file():
        raise CannotKeep(f"There is no gradebook {url.database}. `attn grade --gradebook` writes one.")
    with transaction(url) as book:
        most, submissions = {}, {}
        for part in ours.parts:
            most[part.name], submissions[part.name] = _assignment(book, part.name, url)
        everybody = _everybody(ours, book.students)
        students = {name: _student(student, most, submissions, policy) for name, student in everybody.items()}
        waiting = [act for name in students for act in _must_act(name, submissions, policy)]
    undecided = [act for act in ours.must_act if act.student not in students or students[act.student].points is None]
    return FinalPoints(ours.parts, most, students, (*undecided, *waiting))


def _everybody(ours: FinalPoints, enrolled: Sequence[Student]) -> dict[str, FinalStudent]:
    """Return our students and those who are in the gradebook alone."""
    known = {student_id(name) for name in ours.students}
    people = People(tuple(student.person for student in ours.students.values()))
    others = [one.id for one in enrolled if one.id not in known and not people.of(one.id)]
    nothing = ClassMarks(ours.parts, {name: nothing_of(name) for name in others})
    by_id = {one.id: one for one in enrolled}
    return {
        name: _called(student, by_id.get(student_id(name)))
        for name, student in sorted({**ours.students, **final_points(nothing, Counting()).students}.items())
    }


def _called(student: FinalStudent, enrolled: Student | None) -> FinalStudent:
    """Return a student with the name and address that the gradebook has, where no roster gives others."""
    if enrolled is None:
        return student
    person, halves = student.person, (enrolled.first_name or "", enrolled.last_name or "")
    name = "" if halves == first_and_last(student.name) else harmless(last_first(*halves))
    email = harmless(enrolled.email or "")
    return replace(student, person=replace(person, name=person.name or name, email=person.email or email))


def _assignment(book: Gradebook, name: str, url: URL) -> tuple[float, Submissions]:
    """Return the points of an assignment, and what was handed in for it."""
    try:
        found = book.find_assignment(name)
    except MissingEntry:
        raise CannotKeep(
            f"The gradebook {shown(url)} has no assignment {name}. `attn grade --gradebook` writes the marks into it."
        ) from None
    return cents(found.max_score), {one.student_id: one for one in found.submissions}


def _student(
    ours: FinalStudent,
    most: dict[str, float],
    submissions: dict[str, Submissions],
    policy: LateSubmissionPlugin | None,
) -> FinalStudent:
    own = student_id(ours.name)
    parts = (_part(part, most[part.part.name], submissions[part.part.name].get(own), policy) for part in ours.parts)
    return replace(ours, parts=tuple(parts))


def _part(
    ours: FinalPart, most: float, found: SubmittedAssignment | None, policy: LateSubmissionPlugin | None
) -> FinalPart:
    if found is None:
        return replace(ours, max_points=most)
    cells = {grade.name: grade for notebook in found.notebooks for grade in notebook.grades}
    if ours.undecided and all(grade.manual_score is None for grade in cells.values()):
        return replace(ours, max_points=most)  # the 0 that stands there is ours: nobody has looked yet
    steps = tuple(
        replace(step, points=grade.score, max_points=grade.max_score)
        if (grade := cells.get(step.step.test_cell))
        else step
        for step in ours.steps
    )
    if any(_waits(found, policy)):
        return replace(ours, state=State.WAITING, points=None, max_points=most, steps=steps, done=(NOT_FINAL,))
    penalty = found.late_submission_penalty or 0.0
    points = cents(max(0.0, found.score - penalty))
    done = [f"late work loses {penalty:g} points in the gradebook"] if penalty else []
    if points != ours.points:
        done.append(f"{points:g} points in the gradebook")
    return replace(ours, state=State.HANDED_IN, points=points, max_points=most, steps=steps, done=tuple(done))


def _must_act(name: str, submissions: dict[str, Submissions], policy: LateSubmissionPlugin | None) -> Iterator[MustAct]:
    for part, by_student in submissions.items():
        if found := by_student.get(student_id(name)):
            yield from (MustAct(name, f"{part} {said}") for said in _waits(found, policy))


def _waits(found: SubmittedAssignment, policy: LateSubmissionPlugin | None) -> Iterator[str]:
    """Yield for what a part waits, in words."""
    if found.needs_manual_grade:
        yield "waits for a grade by hand in formgrader"
    if policy and any(_is_outdated(own, policy) for own in found.notebooks):
        yield "has a penalty for another score or due date than it has now: `attn grade --gradebook` again"


def _is_outdated(own: SubmittedNotebook, policy: LateSubmissionPlugin) -> bool:
    """Return whether score or due date have changed since the penalty was set, which nbgrader leaves as it was."""
    return not math.isclose(own.late_submission_penalty or 0.0, penalty(policy, own) or 0.0, abs_tol=0.005)
