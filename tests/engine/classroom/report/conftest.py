"""The course as the report knows it."""

import pytest

from autograder.exam.model import Exam
from autograder.exam.syllabus import Syllabus, SyllabusPart


@pytest.fixture(scope="session")
def syllabus(practice: Exam) -> Syllabus:
    return practice.syllabus


@pytest.fixture(scope="session")
def first(syllabus: Syllabus) -> SyllabusPart:
    return syllabus.parts[0]


@pytest.fixture(scope="session")
def second(syllabus: Syllabus) -> SyllabusPart:
    return syllabus.parts[1]
