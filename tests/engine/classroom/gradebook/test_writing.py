"""Grades in nbgrader's gradebook, on SQLite and on PostgreSQL, as nbgrader itself then sees them."""

from dataclasses import replace

import postgres
import pytest
from graded import PART, SAYS, Open, marks_of, put, tables
from nbgrader.api import Gradebook

from autograder.classroom.gradebook import CannotKeep, literally
from autograder.classroom.people import Person
from autograder.course.verdicts import Verdict
from autograder.exam.syllabus import Syllabus
from autograder.grading.results import PartMarks, StepMarks

OTHER = "part2_trainable"


def test_scores_and_comments_are_there(url: str, syllabus: Syllabus, opened: Open) -> None:
    put(url, syllabus, marks_of(syllabus, "ada"))

    book = opened(url)
    assert book.find_grade("test_softmax", PART, PART, "ada").score == 4.0
    assert book.find_comment("softmax", PART, PART, "ada").comment == literally(SAYS)
    assert book.find_comment("dot_product", PART, PART, "ada").comment is None
    assert (book.find_submission(PART, "ada").score, book.find_assignment(PART).max_score) == (21.0, 25.0)
    assert not book.find_submission(PART, "ada").needs_manual_grade


def test_a_part_that_was_not_handed_in_counts_zero(sqlite: str, syllabus: Syllabus, opened: Open) -> None:
    put(sqlite, syllabus, marks_of(syllabus, "ada", parts=[PART, OTHER]), marks_of(syllabus, "bob", parts=[OTHER]))

    students = {student.id: (student.score, student.max_score) for student in opened(sqlite).students}
    assert [one.student.id for one in opened(sqlite).assignment_submissions(PART)] == ["ada"]
    assert students["bob"] == (25.0, 50.0)


def test_a_rerun_changes_nothing(url: str, syllabus: Syllabus) -> None:
    marks = [marks_of(syllabus, "ada", submitted_at="2026-11-20 12:00:00 UTC"), marks_of(syllabus, "bob", ())]
    put(url, syllabus, *marks)
    before = tables(url)

    put(url, syllabus, *marks)

    assert tables(url) == before


def test_a_step_that_passes_now_has_its_points_and_no_comment(sqlite: str, syllabus: Syllabus, opened: Open) -> None:
    put(sqlite, syllabus, marks_of(syllabus, "ada"))

    put(sqlite, syllabus, marks_of(syllabus, "ada", ()))

    assert opened(sqlite).find_grade("test_softmax", PART, PART, "ada").score == 8.0
    assert opened(sqlite).find_comment("softmax", PART, PART, "ada").comment is None


def test_what_a_human_has_entered_is_kept(url: str, syllabus: Syllabus, opened: Open) -> None:
    put(url, syllabus, marks_of(syllabus, "ada"))
    book = opened(url)
    grade, comment = book.find_grade("test_softmax", PART, PART, "ada"), book.find_comment("softmax", PART, PART, "ada")
    grade.manual_score, grade.extra_credit, comment.manual_comment = 7.0, 0.5, "Nearly."
    book.find_submission_notebook(PART, PART, "ada").late_submission_penalty = 2.0
    book.db.commit()

    put(url, syllabus, marks_of(syllabus, "ada", ()))

    later = opened(url)
    assert later.find_grade("test_softmax", PART, PART, "ada").score == 7.5
    assert later.find_comment("softmax", PART, PART, "ada").comment == "Nearly."
    assert later.find_submission(PART, "ada").late_submission_penalty == 2.0


def test_a_student_is_called_as_in_the_roster_else_like_the_entry(
    sqlite: str, syllabus: Syllabus, opened: Open
) -> None:
    marks = [marks_of(syllabus, name) for name in ("ada", "bob")]
    put(sqlite, syllabus, *marks)
    assert names(opened(sqlite)) == {"ada": ("", "ada"), "bob": ("", "bob")}

    put(sqlite, syllabus, *marks, people=(Person("Lovelace, Ada", login="ADA"), Person(login="bob")))
    assert names(opened(sqlite)) == {"ada": ("Ada", "Lovelace"), "bob": ("", "bob")}


def names(book: Gradebook) -> dict[str, tuple[str, str]]:
    return {one.id: (one.first_name, one.last_name) for one in book.students}


def test_cells_of_the_instructors_own_are_kept_and_wait_for_a_human(
    sqlite: str, syllabus: Syllabus, opened: Open
) -> None:
    book = opened(sqlite)
    book.add_assignment(PART, duedate="2026-11-20 12:00:00 UTC")
    book.add_notebook(PART, PART)
    book.add_grade_cell("essay", PART, PART, max_score=5, cell_type="markdown")
    book.add_solution_cell("essay", PART, PART)

    assert put(sqlite, syllabus, marks_of(syllabus, "ada")).waiting == ["ada"]

    later = opened(sqlite)
    essay = later.find_grade("essay", PART, PART, "ada")
    assert (essay.auto_score, essay.needs_manual_grade) == (None, True)
    assert (later.find_submission(PART, "ada").score, later.find_assignment(PART).max_score) == (21.0, 30.0)


def test_points_that_an_instructor_has_changed_are_given_in_proportion(
    sqlite: str, syllabus: Syllabus, opened: Open
) -> None:
    book = opened(sqlite)
    book.add_assignment(PART)
    book.add_notebook(PART, PART)
    book.add_grade_cell("test_softmax", PART, PART, max_score=2, cell_type="code")

    put(sqlite, syllabus, marks_of(syllabus, "ada"))

    assert opened(sqlite).find_grade("test_softmax", PART, PART, "ada").score == 1.0


@pytest.mark.parametrize("name", ["Lovelace, Ada", "Zoë O'Brien", "../ada", '<script>"\\', "x" * 250])
def test_any_name_has_a_row(url: str, syllabus: Syllabus, opened: Open, name: str) -> None:
    put(url, syllabus, marks_of(syllabus, name), marks_of(syllabus, "bob"))

    assert [one.score for one in opened(url).students] == [21.0, 21.0]


def test_a_failure_in_the_middle_leaves_nothing_behind(sqlite: str, syllabus: Syllabus) -> None:
    put(sqlite, syllabus, marks_of(syllabus, "ada"))
    before = tables(sqlite)
    unknown = PartMarks(PART, None, (StepMarks("a step that is not there", Verdict.PASSED, 1.0, 1.0),))
    broken = replace(marks_of(syllabus, "bob"), parts=(unknown,))

    with pytest.raises(CannotKeep, match="KeyError"):
        put(sqlite, syllabus, *(marks_of(syllabus, f"s{number}") for number in range(20)), broken)

    assert tables(sqlite) == before


@pytest.mark.slow
@pytest.mark.world
def test_a_wrong_password_is_told_and_not_shown(server: postgres.Server, syllabus: Syllabus) -> None:
    with pytest.raises(CannotKeep, match="password authentication failed") as caught:
        put(server.url("postgres", password="wr0ng-one"), syllabus, marks_of(syllabus, "ada"))

    assert "wr0ng-one" not in str(caught.value)


def test_a_manual_score_is_to_be_looked_at_again_where_the_work_was_handed_in_anew(
    url: str, syllabus: Syllabus, opened: Open
) -> None:
    put(url, syllabus, marks_of(syllabus, "ada", submitted_at="2026-11-20 12:00:00 UTC"))
    book = opened(url)
    grade = book.find_grade("test_softmax", PART, PART, "ada")
    grade.manual_score, grade.needs_manual_grade = 7.0, False
    book.db.commit()

    put(url, syllabus, marks_of(syllabus, "ada", submitted_at="2026-11-20 13:00:00 UTC"))

    again = opened(url).find_grade("test_softmax", PART, PART, "ada")
    assert (again.manual_score, again.needs_manual_grade) == (7.0, True)
    assert not opened(url).find_grade("test_dot_product", PART, PART, "ada").needs_manual_grade
