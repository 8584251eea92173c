"""Marks that others have replaced: each is kept, under the name of its file and the moment in which it was replaced."""

import contextlib
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from autograder.marking.marks import Marks, NotMarks, marks_from_json

FOLDER = "superseded"
"""Its name in a folder of results."""

MOMENT = "%Y%m%dT%H%M%S.%fZ"


@dataclass(frozen=True)
class Version:
    """Marks that were replaced. name: of their file, when they counted. replaced: the moment, as it is written in their file's name now."""

    name: str
    replaced: str
    path: Path
    marks: Marks


class Superseded:
    """The folder of marks that others have replaced: `STUDENT.DIGEST@MOMENT.json`."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def move_here(self, paths: Iterable[Path]) -> None:
        """Take files of marks away from those that count, all in one moment."""
        moment = datetime.now(UTC).strftime(MOMENT)
        for path in paths:
            self._folder.mkdir(exist_ok=True)
            with contextlib.suppress(FileNotFoundError):  # another process has removed it
                path.replace(self._folder / f"{path.stem}@{moment}.json")

    def versions(self, begins: str) -> list[Version]:
        """Return the marks whose file's name began so, those that were replaced last at the end; none that cannot be read."""
        found = []
        for path in self._folder.glob("*@*Z.json"):
            stem, _, replaced = path.stem.rpartition("@")
            if stem.startswith(begins):
                with contextlib.suppress(OSError, NotMarks):
                    found.append(Version(f"{stem}.json", replaced, path, marks_from_json(path.read_bytes())))
        return sorted(found, key=lambda version: version.replaced)
