"""A gradebook's database: opened for one transaction, in which no other `attn grade` writes, and made where there is none."""

import contextlib
from collections.abc import Iterator
from typing import Any

from alembic.script import ScriptDirectory
from nbgrader.api import Base
from nbgrader.dbutil import ALEMBIC_DIR
from sqlalchemy import Connection, create_engine, event, inspect, text
from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.orm import Session

from autograder.classroom.gradebook.address import Address, CannotKeep

PATIENCE = 60
"""Seconds to wait for another program that writes to the same file."""

LOCK = 0x6174746E
"""A number that stands for the gradebook among PostgreSQL's locks."""


@contextlib.contextmanager
def transaction(address: Address) -> Iterator[Session]:
    """Give a session on a gradebook; all that is written in it counts, or nothing. Raises CannotKeep.

    Two runs at once take turns, from their first look at the tables on. A read before the write of the other would show neither
    the rows nor the tables that the other is about to make: SQLite is told to lock at the beginning, PostgreSQL has a lock for such
    uses, and of two runs on any other database one may be refused by its unique keys, as a whole.
    """
    engine = create_engine(address.url, connect_args={"timeout": PATIENCE} if address.is_sqlite else {})
    if address.is_sqlite:
        event.listen(engine, "connect", _leave_transactions_to_us)
        event.listen(engine, "begin", _begin_to_write)
    try:
        with Session(engine) as session, session.begin():
            if engine.dialect.name == "postgresql":
                session.execute(text("SELECT pg_advisory_xact_lock(:lock)"), {"lock": LOCK})
            _require_tables(session.connection(), address)
            yield session
    except SQLAlchemyError as error:
        said = address.without_secrets(str(getattr(error, "orig", None) or error)).strip()
        raise CannotKeep(
            f"The gradebook {address} could not be written: {said}\n"
            "If an older nbgrader has made it: back it up, then `nbgrader db upgrade`."
        ) from None
    finally:
        engine.dispose()


def _leave_transactions_to_us(connection: Any, _: object) -> None:
    connection.isolation_level = None


def _begin_to_write(connection: Connection) -> None:
    connection.exec_driver_sql("BEGIN IMMEDIATE")


def _require_tables(connection: Connection, address: Address) -> None:
    """Make nbgrader's tables in an empty database, with the version by which nbgrader knows how to upgrade them."""
    there = set(inspect(connection).get_table_names())
    if not there:
        Base.metadata.create_all(connection)
        version = ScriptDirectory(ALEMBIC_DIR).get_heads()[0]
        connection.execute(text("CREATE TABLE alembic_version (version_num VARCHAR(32) NOT NULL)"))
        connection.execute(text("INSERT INTO alembic_version VALUES (:version)"), {"version": version})
    elif not set(Base.metadata.tables) <= there:
        raise CannotKeep(
            f"{address} is a database, but no gradebook of nbgrader's, or one of an older nbgrader. Give another, or back it up and "
            "run `nbgrader db upgrade`."
        )
