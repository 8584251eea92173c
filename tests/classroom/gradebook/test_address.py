"""Where a gradebook is, and what is said of an address that is no good; never its password."""

import importlib.util
from pathlib import Path

import pytest

from autograder.classroom.gradebook.address import CannotKeep, read_address


def test_a_path_is_a_file_of_sqlite(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)

    assert str(read_address("gradebook.db").url) == f"sqlite:///{tmp_path / 'gradebook.db'}"


def test_an_address_is_shown_without_its_password() -> None:
    shown = str(read_address("postgresql+psycopg://me:pass%40word@host/book?password=pass%40word"))

    assert shown == "postgresql+psycopg://me:***@host/book"


def test_what_a_driver_repeats_is_shown_without_the_password() -> None:
    address = read_address("postgresql+psycopg://me:secret@host/book?password=other")

    assert address.without_secrets("no secret, no other") == "no ***, no ***"


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ("postgresql+psycopg://me:secret@host:port/book", "cannot be read"),
        ("://secret", "cannot be read"),
        ("nonsense://me:secret@host/book", "SQLAlchemy knows no database nonsense"),
        ("mysql+pymysql://me:secret@host/book", "pymysql, is not installed"),
    ],
)
def test_a_url_that_is_no_good_is_told_without_its_password(given: str, told: str) -> None:
    with pytest.raises(CannotKeep, match=told) as caught:
        read_address(given)

    assert "secret" not in str(caught.value)


def test_without_nbgrader_it_is_said_how_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)

    with pytest.raises(CannotKeep, match="needs nbgrader, which is not installed"):
        read_address("gradebook.db")


@pytest.mark.parametrize(
    ("name", "told"),
    [("folder", "is no gradebook: Is a directory"), ("text", "not a file of SQLite's"), ("no/book", "no folder")],
)
def test_a_path_where_no_gradebook_can_be_is_refused(tmp_path: Path, name: str, told: str) -> None:
    (tmp_path / "folder").mkdir()
    (tmp_path / "text").write_text("a text")

    with pytest.raises(CannotKeep, match=told):
        read_address(str(tmp_path / name))
