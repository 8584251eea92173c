"""Two runs that write to one gradebook at once, from an empty database on: nothing is lost, nothing is there twice."""

import multiprocessing

import pytest
from graded import PART, Open, marks_of, put, put_at_once, tables

from autograder.exam.syllabus import Syllabus

pytestmark = pytest.mark.slow

CLASS = [f"s{number:03}" for number in range(400)]


def write_twice_at_once(url: str, syllabus: Syllabus, *students: list[str]) -> None:
    context = multiprocessing.get_context("spawn")
    start = context.Barrier(len(students))
    writers = [context.Process(target=put_at_once, args=(start, url, syllabus, some)) for some in students]
    for writer in writers:
        writer.start()
    for writer in writers:
        writer.join()
    assert [writer.exitcode for writer in writers] == [0] * len(writers)


def test_with_different_students(url: str, syllabus: Syllabus, opened: Open) -> None:
    write_twice_at_once(url, syllabus, CLASS[:200], CLASS[200:])

    assert {one.id: one.score for one in opened(url).students} == dict.fromkeys(CLASS, 21.0)
    assert opened(url).find_assignment(PART).max_score == 25.0


def test_with_the_same_students(url: str, syllabus: Syllabus) -> None:
    write_twice_at_once(url, syllabus, CLASS, CLASS)
    before = tables(url)

    put(url, syllabus, *(marks_of(syllabus, student) for student in CLASS))

    assert len(before["submitted_assignment"]) == len(CLASS)
    assert len(before["grade"]) == len(CLASS) * len(syllabus.part(PART).steps)
    assert tables(url) == before
