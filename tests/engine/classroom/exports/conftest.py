"""One small fixed class with hostile names and texts, and what each format made of it."""

from collections.abc import Callable
from pathlib import Path

import pytest

from autograder.classroom.class_marks import ClassMarks, read_class
from autograder.classroom.grades import Grades, grade
from autograder.course.course import Counting
from autograder.exam.syllabus import Syllabus, load

HERE = Path(__file__).parent


@pytest.fixture
def syllabus() -> Syllabus:
    return load(HERE / "course" / "exams" / "syllabus.json")


@pytest.fixture
def class_marks(syllabus: Syllabus) -> ClassMarks:
    return read_class(HERE / "results", syllabus)


@pytest.fixture
def final(class_marks: ClassMarks) -> Grades:
    """The final points of a class in which nobody has decided anything."""
    return grade(class_marks, Counting())


@pytest.fixture
def golden() -> Callable[[str], bytes]:
    """Read what a format is expected to make of the class."""
    return lambda name: (HERE / "golden" / name).read_bytes()


@pytest.fixture
def schemas() -> Path:
    """The schemas of the formats, written after their documentation."""
    return HERE / "schemas"


@pytest.fixture
def roster() -> bytes:
    """A gradebook as Canvas exports it: a byte order mark, a row of posting policies, read-only columns, a test student."""
    return (HERE / "roster.csv").read_bytes()
