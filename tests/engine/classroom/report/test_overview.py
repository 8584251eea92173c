"""The class at a glance, as data: scores, signs, diagnoses, and who is stuck where."""

from dataclasses import replace

import pytest
from made_marks import class_of, grades_of, handed_in, step, student

from autograder.classroom.class_marks import ClassMarks
from autograder.classroom.grades import Adjustment, Grades, grade
from autograder.classroom.report.class_overview import Bin, Overview, Said, Step, Told, overview_of
from autograder.course.course import Counting
from autograder.exam.syllabus import Syllabus, SyllabusPart
from autograder.grading.results import PartMarks, StepMarks
from autograder.submission.model import Look, Urgency


def of(final: Grades) -> Overview:
    return overview_of(final, "report_students")


def with_scores(syllabus: Syllabus, *scores: float) -> Grades:
    marked = (PartMarks(syllabus.parts[0].name, None, (step("wrong_values", score),)) for score in scores)
    return class_of(syllabus, **{f"s{number}": [part] for number, part in enumerate(marked)})


def step_named(overview: Overview, name: str) -> Step:
    return next(one for part in overview.parts for one in part.steps if one.step.name == name)


# Scores


def test_median_and_quartiles_are_of_all_students(syllabus: Syllabus) -> None:
    scores = of(with_scores(syllabus, 40, 0, 30, 10, 25)).scores

    assert (scores.lower, scores.median, scores.upper, scores.max_score) == (10, 25, 30, 150)


def test_a_score_on_an_edge_counts_above_it_and_full_points_in_the_last_bin(syllabus: Syllabus) -> None:
    bins = of(with_scores(syllabus, 0, 14.99, 15, 150)).scores.bins

    assert [one for one in bins if one.count] == [Bin(0, 15, 2), Bin(15, 30, 1), Bin(135, 150, 1)]


def test_who_is_excused_counts_by_their_share_of_the_rest_or_not_at_all(
    syllabus: Syllabus, first: SyllabusPart
) -> None:
    marks = {name: student([handed_in(first, softmax=step("wrong_values", 5.5))]) for name in ("ada", "bob", "eve")}
    excused = [Adjustment(line, "ada", part.name, excused=True) for line, part in enumerate(syllabus.parts[1:], 2)]
    everything = Adjustment(9, "bob", excused=True)

    found = of(grade(ClassMarks(syllabus.parts, marks), Counting(), [*excused, everything]))

    assert [(one.start, one.count) for one in found.scores.bins if one.count] == [(15, 1), (135, 1)]
    assert {row.link.student: row.score for row in found.rows} == {"ada": 22.5, "bob": None, "eve": 22.5}


# The map


@pytest.mark.parametrize(
    ("marks", "shown"),
    [
        (step("passed", 8.0), ("right", "✓", "passed")),
        (step("wrong_values", 3.5), ("half", "3.5", "wrong values")),
        (step("wrong_gradient", 0.5), ("little", "0.5", "wrong gradient")),
        (step("timed_out"), ("wrong", "✗", "timed out")),
        (step("not_attempted"), ("open", "·", "not attempted")),
        (step("missing"), ("open", "·", "missing")),
    ],
)
def test_how_a_step_went_is_told_by_sign_and_words(
    syllabus: Syllabus, first: SyllabusPart, marks: StepMarks, shown: tuple[str, str, str]
) -> None:
    row = of(class_of(syllabus, ada=[handed_in(first, softmax=marks)])).rows[0]

    state = row.stretches[0].states[2]
    assert (state.name, state.sign, state.words) == shown


@pytest.mark.parametrize(
    ("name", "href"),
    [
        ("ada", "report_students/ada.html"),
        ("../../etc/passwd", "report_students/%252E%252E%252F%252E%252E%252Fetc%252Fpasswd.html"),
        ("javascript:alert(1)", "report_students/javascript%253Aalert%281%29.html"),
        ("Zoë\n", "report_students/Zo%C3%AB%250A.html"),
    ],
)
def test_a_link_stays_in_the_folder_whatever_the_student_is_called(syllabus: Syllabus, name: str, href: str) -> None:
    assert of(class_of(syllabus, **{name: []})).rows[0].link.href == href


# Steps


def test_a_step_is_right_and_tried_by_so_many(syllabus: Syllabus, first: SyllabusPart, second: SyllabusPart) -> None:
    ada, bob = handed_in(first), handed_in(first, softmax=step("wrong_values", 1.0))
    eve = handed_in(first, softmax=step("not_attempted"))
    found = step_named(of(class_of(syllabus, ada=[ada], bob=[bob], eve=[eve], dan=[handed_in(second)])), "softmax")

    assert (found.right, found.tried) == (1, 2)


def test_the_commonest_causes_come_first(syllabus: Syllabus, first: SyllabusPart) -> None:
    told = {"ada": "rare", "bob": "common", "eve": "common"}
    marks = {name: [handed_in(first, softmax=step("wrong_values", says=says))] for name, says in told.items()}

    found = step_named(of(class_of(syllabus, **marks)), "softmax")

    assert found.told == (Told("common", 2), Told("rare", 1))
    assert found.others == 0


# Stuck


def stuck(overview: Overview) -> dict[str, list[str]]:
    return {one.step.path: [link.student for link in one.stuck] for one in overview.stuck}


def test_a_student_is_stuck_at_the_first_step_that_was_tried_and_is_not_right(
    syllabus: Syllabus, first: SyllabusPart, second: SyllabusPart
) -> None:
    ada = handed_in(first, dot_product=step("not_attempted"), softmax=step("raised"), context_vector=step("raised"))
    bob = handed_in(second, scale_scores=step("wrong_values", 0.5))

    found = stuck(of(class_of(syllabus, ada=[ada], bob=[handed_in(first), bob])))

    assert found == {"part1_simplified.softmax": ["ada"], "part2_trainable.scale_scores": ["bob"]}


# What must be decided, and what was


def said(students: tuple[Said, ...]) -> list[tuple[str, tuple[str, ...]]]:
    return [(one.student, one.says) for one in students]


def test_a_part_that_cannot_be_read_is_named_with_the_first_line_of_its_error(
    syllabus: Syllabus, first: SyllabusPart, second: SyllabusPart
) -> None:
    ada = [handed_in(first), handed_in(second, error="SyntaxError, line 1\n  def f(:")]

    assert said(of(class_of(syllabus, ada=ada)).must_act) == [
        ("ada", ("part2_trainable could not be read: SyntaxError, line 1",))
    ]


def test_what_is_to_be_checked_and_what_is_only_told_is_listed_by_student(
    syllabus: Syllabus, first: SyllabusPart
) -> None:
    mention = Look(Urgency.CHECK, "ada.py mentions `gc` (line 3)")
    ada = replace(student([handed_in(first)], mention.says, "read kindly"), looks=(mention,))

    found = of(grades_of(syllabus, ada=ada, bob=student([handed_in(first, softmax=step("timed_out"))])))

    assert said(found.check) == [("ada", (mention.says,)), ("bob", (f"{first.name}.softmax timed out",))]
    assert (said(found.told), said(found.must_act)) == ([("ada", ("read kindly",))], [])


def test_what_was_decided_is_listed_and_counts(syllabus: Syllabus, first: SyllabusPart) -> None:
    marks = ClassMarks(syllabus.parts[:1], {"ada": student([handed_in(first)])})
    decided = Adjustment(2, "ada", first.name, points=20, reason="oral")

    found = of(grade(marks, Counting(), [decided]))

    assert said(found.adjusted) == [("ada", (f"{first.name}: 20 points by hand in place of 25: oral",))]
    assert found.rows[0].score == 20
