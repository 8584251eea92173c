"""What the marks of a class add up to."""

import pytest

from autograder.classroom.tally import LONGEST_REASON, Tally
from autograder.course.verdicts import Verdict
from autograder.marking.marks import Diagnosis, Marks, PartMarks, StepMarks


def step(verdict: str = "passed", says: str = "") -> StepMarks:
    return StepMarks("softmax", Verdict(verdict), 0.0, 8.0, diagnosis=Diagnosis("mistake", "m", says) if says else None)


def marks(*steps: StepMarks, error: str | None = None, student: str = "ada", notes: tuple[str, ...] = ()) -> Marks:
    parts = (PartMarks("part1_simplified", error, steps),) if steps or error else ()
    return Marks(student, "", "", "", 0.0, "none", parts, notes)


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


@pytest.mark.parametrize("verdict", ["timed_out", "crashed", "out_of_memory"])
def test_a_step_that_died_needs_a_look(verdict: str) -> None:
    (look,) = tally_of(marks(step(), step(verdict))).looks

    assert look.student == "ada"
    assert look.look == f"part1_simplified.softmax {verdict.replace('_', ' ')}"


def test_a_part_that_could_not_be_loaded_needs_a_look() -> None:
    (look,) = tally_of(marks(error="SyntaxError in ada/part1_simplified.py, line 3\n  x = = 1")).looks

    assert look.look == "part1_simplified: SyntaxError in ada/part1_simplified.py, line 3"


def test_a_submission_without_a_part_needs_a_look() -> None:
    (look,) = tally_of(marks(notes=("No part was found.",))).looks

    assert look.look == "No part was found."


@pytest.mark.parametrize("verdict", ["passed", "not_attempted", "wrong_values", "raised", "forbidden"])
def test_what_the_student_alone_can_mend_needs_no_look(verdict: str) -> None:
    assert tally_of(marks(step(verdict))).looks == []


def test_a_reason_is_bounded() -> None:
    (look,) = tally_of(marks(error="x" * 10_000)).looks

    assert len(look.look) == LONGEST_REASON


def test_what_a_reader_should_know_of_the_files_needs_a_look() -> None:
    (look,) = tally_of(marks(step(), notes=("ada/part1.py was taken for part1_simplified.py.",))).looks

    assert look.look == "ada/part1.py was taken for part1_simplified.py."


def test_a_student_who_handed_in_only_other_parts_needs_no_look() -> None:
    assert tally_of(marks()).looks == []
