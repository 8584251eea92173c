"""The numbers of the report: scores, steps, causes, and who is stuck where."""

import pytest
from made_marks import class_of, handed_in, step, student

from autograder.classroom.adjustments import Adjustment
from autograder.classroom.class_marks import ClassMarks
from autograder.classroom.grades import Grades, grade
from autograder.classroom.report.class_overview import Step, scores_of, state_of, steps_of
from autograder.course.course import Counting
from autograder.exam.syllabus import Syllabus, SyllabusPart
from autograder.grading.results import PartMarks, StepMarks

SOFTMAX = "part1_simplified.softmax"


def with_scores(syllabus: Syllabus, *scores: float) -> Grades:
    marked = (PartMarks(syllabus.parts[0].name, None, (step("wrong_values", score),)) for score in scores)
    return class_of(syllabus, **{f"s{number}": [part] for number, part in enumerate(marked)})


# Scores


def test_median_and_quartiles_are_of_all_students(syllabus: Syllabus) -> None:
    scores = scores_of(with_scores(syllabus, 40, 0, 30, 10, 25))

    assert (scores.lower, scores.median, scores.upper) == (10, 25, 30)


def test_a_score_on_an_edge_counts_above_it_and_full_points_in_the_last_bin(syllabus: Syllabus) -> None:
    bins = scores_of(with_scores(syllabus, 0, 14.99, 15, 150)).bins

    assert [one for one in bins if one[1]] == [(0, 2), (15, 1), (135, 1)]


def test_who_is_excused_from_a_part_is_not_in_the_distribution(syllabus: Syllabus, first: SyllabusPart) -> None:
    marks = {name: student([handed_in(first)]) for name in ("ada", "bob")}

    found = scores_of(
        grade(ClassMarks(syllabus.parts, marks), Counting(), [Adjustment(2, "ada", first.name, excused=True)])
    )

    assert [one for one in found.bins if one[1]] == [(15, 1)]


@pytest.mark.parametrize(
    ("marks", "shown"),
    [
        (step("passed", 8.0), ("right", "✓", "passed")),
        (step("wrong_values", 3.5), ("half", "3.5", "wrong values")),
        (step("wrong_gradient", 0.5), ("little", "0.5", "wrong gradient")),
        (step("timed_out"), ("wrong", "✗", "timed out")),
        (step("not_attempted"), ("open", "·", "not attempted")),
        (step("missing"), ("open", "·", "missing")),
        (None, ("open", "·", "not marked")),
    ],
)
def test_the_state_of_a_step_is_a_sign_and_words(marks: StepMarks | None, shown: tuple[str, str, str]) -> None:
    state = state_of(marks)

    assert (state.name, state.sign, state.words) == shown


# Steps


def test_a_step_is_right_and_tried_by_so_many(syllabus: Syllabus, first: SyllabusPart, second: SyllabusPart) -> None:
    ada, bob = handed_in(first), handed_in(first, softmax=step("wrong_values", 1.0))
    eve = handed_in(first, softmax=step("not_attempted"))
    found = steps_of(class_of(syllabus, ada=[ada], bob=[bob], eve=[eve], dan=[handed_in(second)]))[SOFTMAX]

    assert (found.right, found.tried) == (1, 2)


def test_the_commonest_causes_come_first(syllabus: Syllabus, first: SyllabusPart) -> None:
    told = {"ada": "rare", "bob": "common", "eve": "common"}
    marks = {name: [handed_in(first, softmax=step("wrong_values", says=says))] for name, says in told.items()}

    found = steps_of(class_of(syllabus, **marks))[SOFTMAX]

    assert found.causes == (("common", 2), ("rare", 1))


def test_a_student_is_stuck_at_the_first_step_that_was_tried_and_is_not_right(
    syllabus: Syllabus, first: SyllabusPart, second: SyllabusPart
) -> None:
    ada = handed_in(first, dot_product=step("not_attempted"), softmax=step("raised"), context_vector=step("raised"))
    bob = handed_in(second, scale_scores=step("wrong_values", 0.5))

    found = steps_of(class_of(syllabus, ada=[ada], bob=[handed_in(first), bob]))

    assert _stuck(found) == {SOFTMAX: ("ada",), "part2_trainable.scale_scores": ("bob",)}


def _stuck(steps: dict[str, Step]) -> dict[str, tuple[str, ...]]:
    return {path: one.stuck for path, one in steps.items() if one.stuck}
