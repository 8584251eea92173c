"""Where a gradebook is: a file, or the URL of a database, which is never shown with its password."""

from __future__ import annotations

import importlib.util
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sqlalchemy import URL


SQLITE = b"SQLite format 3\0"


class CannotKeep(Exception):
    """The gradebook cannot be written. The message says why and what to do, and holds no password."""


@dataclass(frozen=True)
class Address:
    """The address of a gradebook."""

    url: URL

    def __str__(self) -> str:
        """Return it as it can be shown: a file's path, or the URL without its password and options."""
        if self.is_sqlite and self.url.database:
            return self.url.database
        return self.url.set(query={}).render_as_string(hide_password=True)

    @property
    def is_sqlite(self) -> bool:
        """Whether it is a file of SQLite's."""
        return self.url.get_backend_name() == "sqlite"

    def without_secrets(self, text: str) -> str:
        """Return what a driver said, without the password that it may have repeated."""
        for secret in (self.url.password, self.url.query.get("password")):
            text = text.replace(str(secret), "***") if secret else text
        return text


def read_address(given: str) -> Address:
    """Read the path of a file or the URL of a database. Raises CannotKeep, also for what is not installed."""
    if not importlib.util.find_spec("nbgrader"):
        raise CannotKeep(
            "The gradebook needs nbgrader, which is not installed: "
            "`python -m pip install -c requirements.lock -e '.[instructor]'`."
        )
    from sqlalchemy import URL, make_url
    from sqlalchemy.exc import ArgumentError, NoSuchModuleError

    if "://" not in given:
        _require_sqlite(Path(given))
        return Address(URL.create("sqlite", database=str(Path(given).absolute())))
    try:
        url = make_url(given)
        url.get_dialect().import_dbapi()
    except NoSuchModuleError:
        scheme = given.partition("://")[0]
        raise CannotKeep(
            f"SQLAlchemy knows no database {scheme}. Give a URL like postgresql+psycopg://USER@HOST/NAME, or a file."
        ) from None
    except (ArgumentError, ValueError):
        raise CannotKeep(
            "The gradebook's URL cannot be read. One like postgresql+psycopg://USER:PASSWORD@HOST:PORT/NAME was expected; "
            "signs such as @ and / in a password are written %40 and %2F."
        ) from None
    except ImportError as error:
        raise CannotKeep(
            f"The driver of this database, {error.name}, is not installed; SQLAlchemy's pages say which package has it. Where you "
            f"have another, name it in the URL, as in postgresql+psycopg://."
        ) from None
    return Address(url)


def _require_sqlite(path: Path) -> None:
    """Raise CannotKeep where a path is no file of SQLite's, and none can be made there."""
    try:
        with path.open("rb") as file:
            if (begin := file.read(len(SQLITE))) and begin != SQLITE:
                raise CannotKeep(f"{path} is no gradebook: it is not a file of SQLite's.")
    except FileNotFoundError:
        if not path.absolute().parent.is_dir():
            raise CannotKeep(f"There is no folder {path.parent} for the gradebook.") from None
    except OSError as error:
        raise CannotKeep(f"{path} is no gradebook: {error.strerror}. Give a file of SQLite's, or a URL.") from None
