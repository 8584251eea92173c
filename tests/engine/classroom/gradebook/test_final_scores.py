"""The final scores of nbgrader's gradebook, as every export tells them."""

from pathlib import Path

import pytest
from graded import PART, Open, marks_of, put
from nbgrader.api import Gradebook

from autograder.classroom.class_marks import ClassMarks
from autograder.classroom.final import FinalPart, FinalPoints, final_points
from autograder.classroom.gradebook.database import CannotKeep, read_url
from autograder.classroom.gradebook.final_scores import final_scores
from autograder.course.counting import Counting
from autograder.exam.syllabus import Syllabus
from autograder.grading.results import Marks


def ours(syllabus: Syllabus, *marks: Marks) -> FinalPoints:
    return final_points(ClassMarks((syllabus.part(PART),), {one.submission: one for one in marks}), Counting())


def ada(book: str, final: FinalPoints) -> FinalPart:
    return final_scores(read_url(book), final).students["ada"].parts[0]


def decide(book: Gradebook, **entered: float) -> None:
    """Enter a grade by hand for softmax."""
    grade = book.find_grade("test_softmax", PART, PART, "ada")
    for name, value in entered.items():
        setattr(grade, name, value)
    grade.needs_manual_grade = False
    book.db.commit()


def test_what_nobody_has_touched_is_what_the_grader_found(url: str, syllabus: Syllabus) -> None:
    marks = marks_of(syllabus, "ada")
    put(url, syllabus, marks)

    part = ada(url, ours(syllabus, marks))

    assert (part.points, part.max_points, part.done) == (21, 25, ())


@pytest.mark.parametrize(("entered", "points"), [({"manual_score": 7.0}, 24), ({"extra_credit": 1.5}, 22.5)])
def test_a_grade_by_hand_and_extra_credit_count(
    sqlite: str, syllabus: Syllabus, opened: Open, entered: dict[str, float], points: float
) -> None:
    marks = marks_of(syllabus, "ada")
    put(sqlite, syllabus, marks)
    decide(opened(sqlite), **entered)

    part = ada(sqlite, ours(syllabus, marks))

    assert (part.points, part.done) == (points, (f"{points:g} points in the gradebook",))
    assert sum(step.points for step in part.steps) == points


def test_a_penalty_is_taken_off(sqlite: str, syllabus: Syllabus, opened: Open) -> None:
    marks = marks_of(syllabus, "ada")
    put(sqlite, syllabus, marks)
    book = opened(sqlite)
    book.find_submission_notebook(PART, PART, "ada").late_submission_penalty = 4.0
    book.db.commit()

    part = ada(sqlite, ours(syllabus, marks))

    assert (part.points, part.beyond_steps) == (17, -4)
    assert part.done[0] == "late work loses 4 points in the gradebook"


def test_who_is_not_in_the_gradebook_has_handed_in_nothing(sqlite: str, syllabus: Syllabus) -> None:
    put(sqlite, syllabus, marks_of(syllabus, "bob"))

    assert ada(sqlite, ours(syllabus, marks_of(syllabus, "ada", parts=()))).points == 0


def test_what_could_not_be_read_has_no_points_until_somebody_has_graded_it(
    sqlite: str, syllabus: Syllabus, opened: Open
) -> None:
    marks = marks_of(syllabus, "ada", error="not a zip")
    put(sqlite, syllabus, marks)
    before = final_scores(read_url(sqlite), ours(syllabus, marks))

    decide(opened(sqlite), manual_score=5.0)
    after = final_scores(read_url(sqlite), ours(syllabus, marks))

    assert (before.students["ada"].points, [act.student for act in before.must_act]) == (None, ["ada"])
    assert (after.students["ada"].points, after.must_act) == (5, ())


def test_what_waits_for_a_grade_by_hand_must_be_acted_on(sqlite: str, syllabus: Syllabus, opened: Open) -> None:
    marks = marks_of(syllabus, "ada")
    put(sqlite, syllabus, marks)
    book = opened(sqlite)
    book.find_grade("test_softmax", PART, PART, "ada").needs_manual_grade = True
    book.db.commit()

    final = final_scores(read_url(sqlite), ours(syllabus, marks))

    assert [act.says for act in final.must_act] == [f"{PART} waits for a grade by hand in formgrader"]
    assert final.students["ada"].points is None


def test_reading_changes_nothing_and_makes_no_gradebook(tmp_path: Path, syllabus: Syllabus) -> None:
    missing = tmp_path / "none.db"

    with pytest.raises(CannotKeep, match="There is no gradebook"):
        final_scores(read_url(str(missing)), ours(syllabus, marks_of(syllabus, "ada")))
    assert not missing.exists()


def test_a_part_that_is_not_in_the_gradebook_is_named(sqlite: str, syllabus: Syllabus) -> None:
    put(sqlite, syllabus, marks_of(syllabus, "ada", parts=["part2_trainable"]))

    with pytest.raises(CannotKeep, match=f"has no assignment {PART}"):
        final_scores(read_url(sqlite), ours(syllabus, marks_of(syllabus, "ada")))


def test_who_is_in_the_gradebook_alone_has_a_row_and_the_name_that_stands_there(
    sqlite: str, syllabus: Syllabus, opened: Open
) -> None:
    marks = marks_of(syllabus, "ada")
    put(sqlite, syllabus, marks)
    book = opened(sqlite)
    book.add_student("bob", first_name="Bob", last_name="Burns", email="bob@uni.example")
    book.update_or_create_student("ada", first_name="Ada", last_name="Lovelace")

    students = final_scores(read_url(sqlite), ours(syllabus, marks)).students

    assert {name: (one.called, one.points, one.max_points) for name, one in students.items()} == {
        "ada": ("Lovelace, Ada (ada)", 21, 25),
        "bob": ("Burns, Bob (bob)", 0, 25),
    }
    assert students["bob"].person.email == "bob@uni.example"


def test_who_is_in_the_gradebook_by_another_name_of_theirs_is_nobody_else(
    sqlite: str, syllabus: Syllabus, opened: Open
) -> None:
    marks = marks_of(syllabus, "ada")
    put(sqlite, syllabus, marks)
    opened(sqlite).add_student("ADA@uni.example")

    assert list(final_scores(read_url(sqlite), ours(syllabus, marks)).students) == ["ada"]
