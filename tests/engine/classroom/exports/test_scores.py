"""Which parts count, and how points are written."""

import pytest

from autograder.classroom.class_marks import ClassMarks
from autograder.classroom.exports.scores import counting, shown
from autograder.exam.syllabus import Syllabus


def test_points_of_other_parts_do_not_count(class_marks: ClassMarks, syllabus: Syllabus) -> None:
    counted = counting(class_marks, (syllabus.part("part2_trainable"),))

    assert {student: marks.score for student, marks in counted.students.items()} == {
        "../eve\nsecond line": 0.0,
        "=1+1": 5.0,
        'Bé "the" O\'Neil, <script>alert(1)</script>': 0.0,
        "ada": 2.33,
    }
    assert counted.max_score == 5.0


def test_a_part_that_nobody_handed_in_can_count(class_marks: ClassMarks, syllabus: Syllabus) -> None:
    only_eve = ClassMarks((), {"eve": class_marks.students["../eve\nsecond line"]})

    counted = counting(only_eve, (syllabus.part("part2_trainable"),))

    assert counted.max_score == 5.0
    assert counted.students["eve"].part("part2_trainable") is None


@pytest.mark.parametrize(
    ("points", "text"), [(25.0, "25"), (41.5, "41.5"), (3.333, "3.33"), (0.0, "0"), (100.0, "100")]
)
def test_points_are_written_without_needless_zeros(points: float, text: str) -> None:
    assert shown(points) == text
