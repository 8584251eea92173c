"""Whoever has the right values and lost something else is told where to look."""

from autograder.exam.model import Exam
from autograder.grading.points import explained
from autograder.workspace import COURSE


def test_every_criterion_has_a_hint(practice: Exam) -> None:
    without = {
        criterion.name for step in practice.syllabus.steps for criterion in step.criteria[1:] if not criterion.hint
    }
    assert without == set()


def test_the_card_of_a_step_that_takes_a_batch_says_what_code_for_one_sentence_earns(practice: Exam) -> None:
    told = {
        explained(step, COURSE.course.criteria)
        for step in practice.syllabus.steps
        if any(criterion.name == "batch" for criterion in step.criteria)
    }
    assert told
    assert all("one sentence" in text and "all other points" in text for text in told)
