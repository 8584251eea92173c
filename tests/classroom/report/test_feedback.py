"""One student's marks, as data for a page: what is told of each step, and its picture as tables."""

import numpy as np
import pytest
from made_marks import class_of, handed_in, step

from autograder.classroom.report.feedback import Cell, Figure, StepFeedback, feedback_of, file_name_of
from autograder.course.answer import Array
from autograder.exam.syllabus import Syllabus, SyllabusPart
from autograder.marking.marks import Picture
from autograder.marking.pictures import to_json, view_of

EXPECTED = np.array([[0.1, 0.2], [0.3, 0.4]])


class Told:
    """What a student is told of the step softmax, given its marks."""

    def __init__(self, syllabus: Syllabus, part: SyllabusPart) -> None:
        self._syllabus = syllabus
        self._part = part

    def of(self, marks: dict[str, object]) -> StepFeedback:
        found = class_of(self._syllabus, ada=[handed_in(self._part, softmax=marks)])
        return feedback_of(found, "ada").parts[0].steps[2]

    def drawn(self, expected: Array, yours: Array, *dims: str, tokens: tuple[str, ...] = ()) -> Figure:
        picture = to_json(view_of(Picture("keys", expected, yours, dims, tokens)))
        failed = {"case": "journey", "check": "values", "passed": False, "message": "no", "picture": picture}
        figure = self.of(step("wrong_values", checks=[failed])).figure
        assert figure
        return figure


@pytest.fixture
def told(syllabus: Syllabus, first: SyllabusPart) -> Told:
    return Told(syllabus, first)


def texts(rows: tuple[tuple[str, tuple[Cell, ...]], ...]) -> list[list[str]]:
    return [[label, *(cell.text for cell in cells)] for label, cells in rows]


def test_a_matrix_is_three_tables_with_tokens_and_columns(told: Told) -> None:
    figure = told.drawn(EXPECTED, EXPECTED * 2, "tq", "tk", tokens=("Your", "step"))

    assert figure.heading == "keys"
    assert [table.title for table in figure.tables] == ["expected", "yours", "difference"]
    assert [(table.corner, table.columns) for table in figure.tables] == [("tq/tk", (0, 1))] * 3
    assert texts(figure.tables[1].rows) == [["Your", "0.20", "0.40"], ["step", "0.60", "0.80"]]


def test_a_vector_is_one_table_of_three_rows(told: Told) -> None:
    (table,) = told.drawn(np.array([1.0, 2.0]), np.array([1.0, 3.0]), "t").tables

    assert texts(table.rows) == [["expected", "1.00", "2.00"], ["yours", "1.00", "3.00"], ["difference", "·", "1.00"]]


def test_wrong_numbers_are_marked_in_yours_and_in_the_difference_alone(told: Told) -> None:
    figure = told.drawn(EXPECTED, EXPECTED + np.array([[0, 0.5], [0, 0]]), "tq", "tk")

    wrong = [[[cell.wrong for cell in cells] for _, cells in table.rows] for table in figure.tables]
    marked = [[False, True], [False, False]]
    assert wrong == [[[False, False], [False, False]], marked, marked]


def test_booleans_are_words_and_their_difference_a_sign(told: Told) -> None:
    figure = told.drawn(np.array([[True, False]]), np.array([[True, True]]), "tq", "tk")

    assert [texts(table.rows)[0][1:] for table in figure.tables] == [["True", "False"], ["True", "True"], ["·", "✗"]]


def test_numbers_that_are_none_are_written(told: Told) -> None:
    yours = np.array([[np.nan, -np.inf], [0.3, 0.4]])

    assert texts(told.drawn(EXPECTED, yours, "tq", "tk").tables[1].rows)[0] == ["0", "nan", "-inf"]


def test_marks_from_before_there_were_pictures_are_told_without(told: Told) -> None:
    assert told.of(step("wrong_values")).figure is None


def test_a_wrong_step_has_message_diagnosis_hint_traceback_and_printed_text(told: Told) -> None:
    found = told.of(step("raised", 1.0, "You divide.", hint="look", printed="hello", traceback="line 3"))

    assert (found.case, found.message, found.diagnosis) == ("journey", "it raised", "You divide.")
    assert (found.hint, found.printed, found.traceback) == ("look", "hello", "line 3")


def test_a_step_that_was_not_attempted_has_a_hint_and_no_message(told: Told) -> None:
    found = told.of(step("not_attempted", hint="look"))

    assert (found.message, found.hint) == ("", "look")


def test_every_part_of_the_class_is_there_handed_in_or_not(syllabus: Syllabus, first: SyllabusPart) -> None:
    found = feedback_of(class_of(syllabus, ada=[handed_in(first, error="SyntaxError")]), "ada")

    assert [(part.error, len(part.steps)) for part in found.parts] == [("SyntaxError", 5), *[("", 0)] * 5]
    assert (found.score, found.max_score) == (0, 150)


@pytest.mark.parametrize("name", ["../../etc/passwd", "a/b", "C:\\x", "..", "x" * 300, "é\n"])
def test_a_file_is_named_by_its_student_and_lies_in_its_folder(name: str) -> None:
    found = file_name_of(name)

    assert found.endswith(".html")
    assert not set(found.removesuffix(".html")) & set("/\\.:\n")
    assert len(found.encode()) < 200
