"""nbgrader's gradebook in its database, opened for one transaction in which no other `attn grade` writes."""

import contextlib
import logging
import sqlite3
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from nbgrader.api import Base, Gradebook, InvalidEntry
from nbgrader.dbutil import ALEMBIC_DIR
from sqlalchemy import URL, Connection, create_engine, inspect, make_url
from sqlalchemy.exc import ArgumentError, SQLAlchemyError
from sqlalchemy.orm import scoped_session, sessionmaker
from tornado.log import app_log

from autograder.course.errors import ExplainedError

TAKE_TURNS = {
    "sqlite": ("PRAGMA busy_timeout = 60000", "BEGIN IMMEDIATE"),
    "postgresql": ("SELECT pg_advisory_xact_lock(1635021934)",),
}
"""What makes a transaction wait for another one before its first look at the tables, which the other may be about to make."""

app_log.addHandler(logging.NullHandler())  # nbgrader logs a traceback of what we put into a sentence


class CannotKeep(ExplainedError):
    """The gradebook cannot be written. The message says why and what to do, and holds no password."""


class _Book(Gradebook):  # type: ignore[misc]  # nbgrader has no types
    """nbgrader's gradebook on a connection in a transaction: what its methods commit counts when the transaction does."""

    def __init__(self, connection: Connection) -> None:
        self.engine, self.course_id, self.authenticator = connection.engine, "default_course", None
        self.db = scoped_session(sessionmaker(connection, autoflush=False, expire_on_commit=False))
        self.check_course()


def read_url(given: str) -> URL:
    """Return the URL of a database, or of the file that a path names. Raises CannotKeep."""
    if "://" not in given:
        return URL.create("sqlite", database=str(Path(given).absolute()))
    try:
        url = make_url(given)
        url.get_dialect().import_dbapi()
    except (ArgumentError, ImportError, ValueError):  # what they say may hold the password
        raise CannotKeep(
            "The gradebook's URL cannot be used. One like postgresql+psycopg://USER:PASSWORD@HOST:PORT/NAME was expected, for whose "
            "database SQLAlchemy has a driver here, such as psycopg; @ and / in a password are written %40 and %2F."
        ) from None
    return url


def shown(url: URL) -> str:
    """Return a URL as it can be shown: a file's path, or without its password and options."""
    if url.get_backend_name() == "sqlite" and url.database:
        return url.database
    return url.set(query={}).render_as_string(hide_password=True)


def copied(url: URL, folder: Path) -> Path | None:
    """Copy a gradebook that is a file into a folder; None for another database, which has tools of its own. Raises CannotKeep."""
    if url.get_backend_name() != "sqlite" or not url.database or not Path(url.database).is_file():
        return None
    copy = folder / f"gradebook.{datetime.now(UTC):%Y%m%dT%H%M%S.%fZ}.db"
    try:
        folder.mkdir(exist_ok=True)
        with (
            contextlib.closing(sqlite3.connect(url.database)) as book,
            contextlib.closing(sqlite3.connect(copy)) as ours,
        ):
            book.backup(ours)
    except (OSError, sqlite3.Error) as error:
        raise CannotKeep(
            f"{shown(url)} could not be copied to {copy} ({error}), so nothing was written into it. Make room there, or give another --out."
        ) from error
    return copy


@contextlib.contextmanager
def transaction(url: URL) -> Iterator[Gradebook]:
    """Give the gradebook, made if there is none; all that is written in it counts, or nothing. Raises CannotKeep."""
    engine = create_engine(url)
    try:
        with engine.begin() as connection:
            for statement in TAKE_TURNS.get(engine.dialect.name, ()):
                connection.exec_driver_sql(statement)
            _require_tables(connection, url)
            yield _Book(connection)
    except (SQLAlchemyError, InvalidEntry) as error:
        said = str(getattr(error, "orig", None) or error).strip()
        for secret in (url.password, url.query.get("password")):
            said = said.replace(str(secret), "***") if secret else said
        raise CannotKeep(
            f"The gradebook {shown(url)} could not be written: {said}\nAn nbgrader file, a new one in an existing folder, or "
            "the URL of a database was expected. If another program has locked it: close that program. If an older nbgrader has made "
            "it: back it up, then `nbgrader db upgrade`."
        ) from None
    finally:
        engine.dispose()


def _require_tables(connection: Connection, url: URL) -> None:
    """Make nbgrader's tables in an empty database, with the version by which nbgrader knows how to upgrade them."""
    there = set(inspect(connection).get_table_names())
    if not there:
        Base.metadata.create_all(connection)
        MigrationContext.configure(connection).stamp(ScriptDirectory(ALEMBIC_DIR), "head")
    elif not set(Base.metadata.tables) <= there:
        raise CannotKeep(
            f"{shown(url)} is a database, but not an nbgrader gradebook, or one of an older nbgrader. Give another, or back it up "
            "and run `nbgrader db upgrade`."
        )
