"""Two runs that write to one gradebook at once, from an empty database on: nothing is lost, nothing is there twice."""

import multiprocessing
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

import postgres
import pytest
from graded import PART, Open, marks_of, put, put_at_once, tables

from autograder.exam.syllabus import Syllabus

pytestmark = pytest.mark.slow

CLASS = [f"s{number:03}" for number in range(30)]

WriteAtOnce = Callable[..., None]


@pytest.fixture(params=["sqlite", pytest.param("postgresql", marks=pytest.mark.system)])
def url(request: pytest.FixtureRequest, sqlite: str) -> str:
    """An empty database; each kind has locks of its own."""
    if request.param == "sqlite":
        return f"sqlite:///{sqlite}"
    server: postgres.Server = request.getfixturevalue("server")
    return server.new_database()


def in_threads(url: str, syllabus: Syllabus, *students: list[str]) -> None:
    """Write from several connections of this process."""
    start = Barrier(len(students))
    with ThreadPoolExecutor(len(students)) as writers:
        done = [writers.submit(put_at_once, start, url, syllabus, some) for some in students]
    for one in done:
        one.result()


def in_processes(url: str, syllabus: Syllabus, *students: list[str]) -> None:
    context = multiprocessing.get_context("spawn")
    start = context.Barrier(len(students))
    writers = [context.Process(target=put_at_once, args=(start, url, syllabus, some)) for some in students]
    for writer in writers:
        writer.start()
    for writer in writers:
        writer.join()
    assert [writer.exitcode for writer in writers] == [0] * len(writers)


@pytest.fixture(params=[in_threads, pytest.param(in_processes, marks=pytest.mark.world)])
def write_at_once(request: pytest.FixtureRequest) -> WriteAtOnce:
    """Write the marks of each list of students at the same time."""
    write: WriteAtOnce = request.param
    return write


def test_with_students_of_their_own_and_the_same_ones(
    url: str, syllabus: Syllabus, opened: Open, write_at_once: WriteAtOnce
) -> None:
    write_at_once(url, syllabus, CLASS[:20], CLASS[10:])
    before = tables(url)

    put(url, syllabus, *(marks_of(syllabus, student) for student in CLASS))

    assert {one.id: one.score for one in opened(url).students} == dict.fromkeys(CLASS, 21.0)
    assert len(before["submitted_assignment"]) == len(CLASS)
    assert len(before["grade"]) == len(CLASS) * len(syllabus.part(PART).steps)
    assert tables(url) == before
