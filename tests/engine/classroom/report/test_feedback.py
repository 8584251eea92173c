"""One student's marks, as data for a page: what is told of each step."""

from typing import Any

import pytest
from made_marks import class_of, handed_in, step

from autograder.classroom.report.feedback import StepFeedback, feedback_of, file_name_of
from autograder.exam.syllabus import Syllabus, SyllabusPart
from autograder.grading.results import Check, StepMarks


class Told:
    """What a student is told of the step softmax, given its marks."""

    def __init__(self, syllabus: Syllabus, part: SyllabusPart) -> None:
        self._syllabus = syllabus
        self._part = part

    def of(self, marks: StepMarks) -> StepFeedback:
        found = class_of(self._syllabus, ada=[handed_in(self._part, softmax=marks)])
        return feedback_of(found, "ada").parts[0].steps[2]

    def failed(self, **drawn: Any) -> StepFeedback:
        return self.of(step("wrong_values", checks=(Check("journey", "values", False, "no", **drawn),)))


@pytest.fixture
def told(syllabus: Syllabus, first: SyllabusPart) -> Told:
    return Told(syllabus, first)


def test_a_headline_takes_the_place_of_the_verdict(told: Told) -> None:
    assert told.failed(headline="nothing returned").state.words == "nothing returned"


def test_a_step_comes_with_its_marks(told: Told) -> None:
    marks = step("raised", 1.0, "You divide.", hint="look", printed="hello", traceback="line 3")

    assert told.of(marks).marks == marks


def test_every_part_of_the_class_is_there_handed_in_or_not(syllabus: Syllabus, first: SyllabusPart) -> None:
    found = feedback_of(class_of(syllabus, ada=[handed_in(first, error="SyntaxError")]), "ada")

    assert [(part.error, len(part.steps)) for part in found.parts] == [("SyntaxError", 5), *[("", 0)] * 5]
    assert (found.score, found.max_score) == (None, 150)


@pytest.mark.parametrize("name", ["../../etc/passwd", "a/b", "C:\\x", "..", "x" * 300, "é\n"])
def test_a_file_is_named_by_its_student_and_lies_in_its_folder(name: str) -> None:
    found = file_name_of(name)

    assert found.endswith(".html")
    assert not set(found.removesuffix(".html")) & set("/\\.:\n")
    assert len(found.encode()) < 200
