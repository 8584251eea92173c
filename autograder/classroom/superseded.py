"""Marks that others have replaced: each is kept, under the name of its file and the moment in which it was replaced."""

import contextlib
from collections.abc import Iterable
from datetime import UTC, datetime, timedelta
from pathlib import Path

from autograder.atomic_write import atomic_write

FOLDER = "superseded"
"""Its name in a folder of results."""

MOMENT = "%Y%m%dT%H%M%S.%fZ"
TICK = timedelta(microseconds=1)


class Superseded:
    """The folder of marks that others have replaced: `STUDENT.DIGEST@MOMENT.json`."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._latest: datetime | None = None

    def move_here(self, paths: Iterable[Path]) -> None:
        """Take files of marks away from those that count, all in one moment. Raises OSError."""
        moment = None
        for path in paths:
            moment = moment or self._moment()
            with contextlib.suppress(FileNotFoundError):  # another process has removed it
                path.replace(self._folder / f"{path.stem}@{moment}.json")

    def copy_here(self, path: Path) -> None:
        """Keep a copy of marks that are about to be replaced under their own name, if there are any. Raises OSError."""
        with contextlib.suppress(FileNotFoundError):
            content = path.read_bytes()
            atomic_write(self._folder / f"{path.stem}@{self._moment()}.json", content)

    def _moment(self) -> str:
        """Return the present moment, later than all here, though the clock may have been put back; make the folder."""
        self._folder.mkdir(exist_ok=True)
        if self._latest is None:
            replaced = (path.stem.rpartition("@")[2] for path in self._folder.glob("*@*Z.json"))
            self._latest = max(filter(None, map(_read, replaced)), default=datetime.min.replace(tzinfo=UTC))
        self._latest = max(datetime.now(UTC), self._latest + TICK)
        return self._latest.strftime(MOMENT)


def _read(moment: str) -> datetime | None:
    with contextlib.suppress(ValueError):
        return datetime.strptime(moment, MOMENT).replace(tzinfo=UTC)
    return None
