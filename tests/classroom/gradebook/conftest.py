"""Gradebooks for tests: an empty one on SQLite and on PostgreSQL, and nbgrader's own eyes on what was written."""

import os
import sys
from collections.abc import Iterator
from pathlib import Path

import postgres
import pytest
from graded import Open
from nbgrader.api import Gradebook

from autograder.classroom.gradebook.address import read_address
from autograder.exam.model import Exam
from autograder.exam.syllabus import Syllabus


@pytest.fixture
def syllabus(practice: Exam) -> Syllabus:
    return practice.syllabus


@pytest.fixture(scope="session")
def server() -> Iterator[postgres.Server]:
    programs = postgres.programs()
    if not programs:
        pytest.skip(postgres.MISSING)
    with postgres.server(programs) as running:
        yield running


@pytest.fixture
def sqlite(tmp_path: Path) -> str:
    return str(tmp_path / "gradebook.db")


@pytest.fixture(params=["sqlite", "postgresql"])
def url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """An empty database: each test that takes it runs on both kinds."""
    if request.param == "sqlite":
        return f"sqlite:///{tmp_path / 'gradebook.db'}"
    server: postgres.Server = request.getfixturevalue("server")
    return server.new_database()


@pytest.fixture
def nbgrader_path(monkeypatch: pytest.MonkeyPatch) -> None:
    """Put the programs that nbgrader calls by name on the path."""
    monkeypatch.setenv("PATH", f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}")


@pytest.fixture
def opened(nbgrader_path: None) -> Iterator[Open]:
    """Open a gradebook as nbgrader does."""
    books: list[Gradebook] = []

    def run(url: str) -> Gradebook:
        books.append(Gradebook(read_address(url).url))
        return books[-1]

    yield run
    for book in books:
        book.close()
