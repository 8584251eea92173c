"""Gradebooks for tests: an empty one on SQLite and on PostgreSQL, and nbgrader's own eyes on what was written."""

from collections.abc import Iterator
from pathlib import Path

import postgres
import pytest
from graded import Open, as_url
from nbgrader.api import Gradebook

from autograder.exam.model import Exam
from autograder.exam.syllabus import Syllabus


@pytest.fixture
def syllabus(practice: Exam) -> Syllabus:
    return practice.syllabus


@pytest.fixture(scope="session")
def server() -> Iterator[postgres.Server]:
    with postgres.server() as running:
        yield running


@pytest.fixture
def sqlite(tmp_path: Path) -> str:
    return str(tmp_path / "gradebook.db")


@pytest.fixture(
    params=["sqlite", pytest.param("postgresql", marks=[pytest.mark.slow, pytest.mark.world, pytest.mark.system])],
)
def url(request: pytest.FixtureRequest, sqlite: str) -> str:
    """An empty database: each test that takes it runs on both kinds, on PostgreSQL only where all tests run."""
    if request.param == "sqlite":
        return f"sqlite:///{sqlite}"
    server: postgres.Server = request.getfixturevalue("server")
    return server.new_database()


@pytest.fixture
def opened() -> Iterator[Open]:
    """Open a gradebook as nbgrader does."""
    books: list[Gradebook] = []

    def run(url: str) -> Gradebook:
        books.append(Gradebook(as_url(url)))
        return books[-1]

    yield run
    for book in books:
        book.close()
