"""Where a gradebook is, and what is said of a place where none can be; never its password."""

import sqlite3
from pathlib import Path

import pytest
from graded import tables

from autograder.classroom.gradebook import CannotKeep, read_url, shown, transaction


def test_a_path_is_a_file_of_sqlite(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)

    assert str(read_url("gradebook.db")) == f"sqlite:///{tmp_path / 'gradebook.db'}"


def test_a_url_is_shown_without_its_password() -> None:
    url = read_url("postgresql+psycopg://me:pass%40word@host/book?password=pass%40word")

    assert shown(url) == "postgresql+psycopg://me:***@host/book"


@pytest.mark.parametrize(
    "given",
    [
        "postgresql+psycopg://me:secret@host:port/book",
        "://secret",
        "nonsense://me:secret@host/book",
        "mysql+pymysql://me:secret@host/book",
    ],
)
def test_a_url_that_is_no_good_is_refused_without_its_password(given: str) -> None:
    with pytest.raises(CannotKeep, match=r"cannot be used. One like postgresql\+psycopg://") as caught:
        read_url(given)

    assert "secret" not in str(caught.value)


@pytest.mark.parametrize(
    ("name", "says"), [("folder", "unable to open"), ("text", "not a database"), ("no/book", "unable to open")]
)
def test_a_path_where_no_gradebook_can_be_is_refused(tmp_path: Path, name: str, says: str) -> None:
    (tmp_path / "folder").mkdir()
    (tmp_path / "text").write_text("a text")

    with (
        pytest.raises(CannotKeep, match=f"{name} could not be written: .*{says}"),
        transaction(read_url(str(tmp_path / name))),
    ):
        pass


def test_another_database_is_refused_and_left_alone(sqlite: str) -> None:
    with sqlite3.connect(sqlite) as connection:
        connection.execute("CREATE TABLE birds (name TEXT)")

    with pytest.raises(CannotKeep, match="not an nbgrader gradebook"), transaction(read_url(sqlite)):
        pass

    assert list(tables(sqlite)) == ["birds"]
