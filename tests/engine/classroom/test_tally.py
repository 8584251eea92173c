"""What the marks of a class add up to."""

from dataclasses import replace

from autograder.classroom.final import FinalPoints, FinalStudent, MustAct
from autograder.classroom.people import Person
from autograder.classroom.tally import LONGEST_REASON, MOST_LOOKS, Tally
from autograder.course.verdicts import Verdict
from autograder.grading.results import Diagnosis, Marks, PartMarks, StepMarks
from autograder.submission.model import Look, Urgency


def step(verdict: str = "passed", says: str = "") -> StepMarks:
    return StepMarks("softmax", Verdict(verdict), 0.0, 8.0, diagnosis=Diagnosis("mistake", "m", says) if says else None)


def marks(*steps: StepMarks, student: str = "ada", looks: tuple[Look, ...] = ()) -> Marks:
    return Marks(student, "", "", "", 0.0, "none", (PartMarks("part1_simplified", None, steps),), looks=looks)


def tally_of(*all_marks: Marks) -> Tally:
    tally = Tally()
    for one in all_marks:
        tally.add(one)
    return tally


def test_verdicts_are_counted_over_all_steps() -> None:
    tally = tally_of(marks(step(), step("raised")), marks(step()))

    assert tally.submissions == 2
    assert tally.verdicts == {"passed": 2, "raised": 1}


def test_causes_are_counted_by_step() -> None:
    tally = tally_of(*[marks(step("wrong_values", "divided by d_k"))] * 3, marks(step("wrong_values", "transposed")))

    assert tally.causes.commonest(1) == [("part1_simplified.softmax", "divided by d_k", 3)]


def test_a_student_is_listed_with_each_urgency_of_which_there_is_something() -> None:
    bob = marks(student="bob", looks=(Look(Urgency.CHECK, "gc"), Look(Urgency.MUST_ACT, "Which?")))

    tally = tally_of(bob, marks(student="ada", looks=(Look(Urgency.CHECK, "open"),)))

    assert [row.student for row in tally.to_look_at(Urgency.MUST_ACT)] == ["bob"]
    assert [(row.student, row.says(Urgency.CHECK)) for row in tally.to_look_at(Urgency.CHECK)] == [
        ("ada", "open"),
        ("bob", "gc"),
    ]


def test_reasons_are_bounded_in_length_and_number() -> None:
    (row,) = tally_of(marks(looks=(Look(Urgency.CHECK, "x" * 10_000),) * 100)).rows

    assert [len(look.says) for look in row.looks[:-1]] == [LONGEST_REASON] * MOST_LOOKS
    assert row.looks[-1].says == f"and {100 - MOST_LOOKS} more, in the report"


def test_what_there_is_to_look_at_is_that_of_the_final_points() -> None:
    ask = MustAct("ada", "Which file counts?", in_marks=True)
    unread = Look(Urgency.MUST_ACT, "as the marks say it", "part1_simplified")
    tally = tally_of(*(marks(step("crashed"), student=student, looks=(unread,)) for student in ("ada", "bob")))
    marked = replace(marks(), graded_at="2026-10-01T12:00:00Z")
    students = {name: FinalStudent(name, Person(), marked, ()) for name in ("ada", "bob")}

    tally.add_decisions(FinalPoints((), {}, students, (ask,), {"bob": {"part1_simplified"}}))

    assert [(row.student, row.look) for row in tally.rows] == [
        ("ada", "must act: Which file counts?; check: part1_simplified.softmax crashed"),
        ("bob", ""),
    ]
