"""What a student handed in as a submission: which files of a folder, a zip or a single file are the parts, and their text.

Nothing here raises for what is handed in: what cannot be read becomes a problem of its part, or of every part.
"""

import os
import re
import stat
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path, PurePath, PurePosixPath

from autograder.course.answer import Failure
from autograder.exam.syllabus import SyllabusPart
from autograder.sitting.archive import LARGEST_ZIP, MODULES, Files, Folder, Listing, Zip, read_file
from autograder.sitting.notebook import LARGEST_NOTEBOOK, read_notebook
from autograder.sitting.submission import LARGEST_FILE, Source, Submission, Unreadable, module_source, shown
from autograder.sitting.work import Work, steps_in, work_in

LARGEST_TEXT = 500_000
"""Characters of all modules of one submission."""

MOST_HELPERS = 50
MOST_FILES = 10
"""Files that are looked at for one part."""

COPY = re.compile(r"[_-]*(?:\(\d+\)|copy\d*|-\d+)$")
"""What a browser or a system puts behind a name: `part (1)`, `part-1`, `part-Copy1`, `part - copy`."""

TIMESTAMP = "timestamp.txt"
"""Beside a part, when it was handed in: nbgrader writes it when it collects submissions."""

LONGEST_TIMESTAMP = 200

MOST_NAMED = 5
MOST_NOTES = 20
EXPECTED = "A folder, a .py, an .ipynb or a .zip was expected."


def read_submission(path: Path, name: str, parts: Sequence[SyllabusPart], only_part: str | None = None) -> Submission:
    """Read what one student handed in.

    name: the student's. parts: of the course. only_part: the part that a single file is, where it is not named after one.
    """
    try:
        return _read_entry(path, shown(name), parts, only_part)
    except Unreadable as error:
        return Submission(shown(name), problems={part.name: Failure("missing", str(error)) for part in parts})


def _read_entry(path: Path, name: str, parts: Sequence[SyllabusPart], only_part: str | None) -> Submission:
    place, suffix = shown(path.name), path.suffix.lower()
    if _is_folder(path, place):
        return _Handed(Folder(Path(os.path.realpath(path)), place), parts).submission(name)
    if suffix == ".zip":
        return _Handed(Zip(read_file(path, path.parent, place, LARGEST_ZIP), place), parts).submission(name)
    if suffix not in MODULES:
        raise Unreadable(f"{place} is nothing that can be marked. {EXPECTED}")
    names = [part.name for part in parts]
    part = path.stem if path.stem in names else only_part or (names[0] if len(names) == 1 else None)
    if part is None:
        raise Unreadable(
            f"{place} is a single file, and which part it is cannot be told. Mark it with `--part PART`, or put it into a "
            f"folder under the name of its part, such as {names[0]}{suffix}."
        )
    return Submission(name, {part: _source(path, read_file(path, path.parent, place, _largest(path)), place)})


def _is_folder(path: Path, place: str) -> bool:
    """Tell whether an entry of the class folder is a folder. Raises Unreadable for a link that leads out of the class, or to all of it."""
    try:
        if path.is_symlink() and Path(os.path.realpath(path.parent)) not in Path(os.path.realpath(path)).parents:
            raise Unreadable(f"{place} is a link that leads out of the class folder. Put the files themselves there.")
        return stat.S_ISDIR(path.stat().st_mode)
    except OSError as error:
        raise Unreadable(f"{place} could not be read: {error.strerror}. {EXPECTED}") from None


@dataclass(frozen=True)
class _File:
    """A file that may be a part: its text, or why it cannot be read. work: what is written in it. time: when it was handed in."""

    path: PurePosixPath
    source: Source | Unreadable
    work: Work
    time: str


class _Handed:
    """The files that a student handed in, and what was read of them so far."""

    def __init__(self, files: Files, parts: Sequence[SyllabusPart]) -> None:
        self._files = files
        self._parts = {part.name: part for part in parts}
        self._modules: dict[str, Source] = {}
        self._problems: dict[str, Failure] = {}
        self._taken: dict[str, PurePosixPath] = {}
        self._submitted_at: dict[str, str] = {}
        self._notes: list[str] = []

    def submission(self, name: str) -> Submission:
        """Read the parts, and the modules beside them. Raises Unreadable where nothing can be read."""
        listing = self._files.listing()
        self._notes += listing.closed
        for part in self._parts.values():
            try:
                self._read_part(part, listing)
            except Unreadable as error:
                self._problems[part.name] = Failure("missing", str(error))
        self._read_helpers(listing)
        if self._size() > LARGEST_TEXT:
            raise Unreadable(f"{self._files.place} has more than {LARGEST_TEXT:,} characters of code in all.")
        self._note_what_is_missing(listing)
        return Submission(name, self._modules, self._problems, tuple(self._notes[:MOST_NOTES]), self._submitted_at)

    def _read_part(self, part: SyllabusPart, listing: Listing) -> None:
        """Read a part: of the files that may be it, the one that counts. Raises Unreadable."""
        paths = [path for path in listing.files if _may_be(part.name, path)]
        otherwise_named = [path for path in listing.files if self._has_a_name_of_its_own(path)]
        if len(paths) > MOST_FILES:
            self._notes.append(f"Of {len(paths):,} files that may be {part.name}, {MOST_FILES} were looked at.")
        is_alone = len(paths) == 1 and not otherwise_named
        files = [self._file(path, part, is_alone) for path in paths[:MOST_FILES]]
        if not files:
            return
        if not any(file.work for file in files):
            files += self._files_under_other_names(part, otherwise_named)
        timed = all(file.time for file in files if file.work)
        worth = partial(_worth, part=part, timed=timed)
        best, *others = sorted(files, key=worth, reverse=True)
        self._keep_time(part.name, best)
        if isinstance(best.source, Unreadable):
            raise best.source
        for other in others:
            if other.work.items() <= best.work.items():
                continue
            if worth(other) == worth(best):
                one, another = self._shown(best.path), self._shown(other.path)
                raise Unreadable(f"{one} and {another}: which one counts? Leave one.")
            self._note_left(other, best)
        if best.path in otherwise_named:
            self._notes.append(f"{self._shown(best.path)} was taken for {part.name}, which is an untouched stub.")
        self._modules[part.name] = best.source
        self._taken[part.name] = best.path

    def _has_a_name_of_its_own(self, path: PurePosixPath) -> bool:
        return path.suffix.casefold() in MODULES and not any(_may_be(part, path) for part in self._parts)

    def _files_under_other_names(self, part: SyllabusPart, paths: Sequence[PurePosixPath]) -> list[_File]:
        """Return the files that hold work on a part, and more of it than on any other, though they are named in another way."""
        files = [self._file(path, part, is_alone=False) for path in paths[:MOST_FILES]]
        return [file for file in files if isinstance(file.source, Source) and self._part_of(file.source) == part]

    def _part_of(self, source: Source) -> SyllabusPart | None:
        """Return the part of which a source holds the most steps; None where it holds none, or as many of two."""
        steps = {name: steps_in(work_in(source, part), part) for name, part in self._parts.items()}
        most = max(steps.values())
        names = [name for name, number in steps.items() if number == most]
        return self._parts[names[0]] if most and len(names) == 1 else None

    def _file(self, path: PurePosixPath, part: SyllabusPart, is_alone: bool) -> _File:
        """Read a file that may be a part. What is written in it matters only where it is not alone."""
        time = self._time(path)
        try:
            source = self._source(path)
        except Unreadable as error:
            return _File(path, error, {"": (str(error),)}, time)  # nobody knows what is written in it
        return _File(path, source, {} if is_alone else work_in(source, part), time)

    def _note_left(self, file: _File, best: _File) -> None:
        """Say of a file with work in it that another one was marked."""
        left = f"{self._shown(best.path)} was marked, not {self._shown(file.path)}, which holds work too."
        self._notes.append(str(file.source) if isinstance(file.source, Unreadable) else left)

    def _source(self, path: PurePosixPath) -> Source:
        return _source(path, self._files.read(path, _largest(path)), self._shown(path))

    def _timestamp(self, path: PurePosixPath) -> PurePosixPath | None:
        """Return the file beside or above a part that tells when it was handed in.

        The topmost counts: that is where nbgrader writes it, while a student may have handed in others with the rest.
        """
        return next(filter(self._files.has, (folder / TIMESTAMP for folder in reversed(path.parents))), None)

    def _time(self, path: PurePosixPath) -> str:
        """Return when a file was handed in, empty where nothing tells it."""
        timestamp = self._timestamp(path)
        try:
            text = self._files.read(timestamp, LONGEST_TIMESTAMP).decode().strip() if timestamp else ""
        except (Unreadable, UnicodeDecodeError):
            return ""
        return text if text.isprintable() else ""

    def _keep_time(self, part: str, file: _File) -> None:
        if file.time:
            self._submitted_at[part] = file.time
        elif timestamp := self._timestamp(file.path):
            self._notes.append(f"{self._shown(timestamp)} tells no time: one line of text was expected.")

    def _read_helpers(self, listing: Listing) -> None:
        """Read the modules that lie beside the parts, which may import them."""
        folders = {path.parent for path in self._taken.values()}
        for path in listing.files:
            name = path.stem
            if path.suffix != ".py" or not name.isidentifier() or name in self._parts or path.parent not in folders:
                continue
            if self._size() > LARGEST_TEXT:
                return
            if len(self._modules) >= len(self._parts) + MOST_HELPERS:
                self._notes.append(f"Of the modules beside the parts, only {MOST_HELPERS} were read.")
                return
            try:
                source = self._source(path)
            except Unreadable as error:
                self._notes.append(str(error))
                continue
            if name not in self._modules:
                self._modules[name] = source
                self._taken[name] = path
            elif source.blocks[0].text != self._modules[name].blocks[0].text:
                first = self._shown(self._taken[name])
                self._notes.append(f"`import {name}` gives {first}, not {self._shown(path)}, which differs.")

    def _size(self) -> int:
        return sum(len(block.text) for source in self._modules.values() for block in source.blocks)

    def _note_what_is_missing(self, listing: Listing) -> None:
        """Say what is there in place of a part that is not."""
        missing = [part for part in self._parts if part not in self._modules and part not in self._problems]
        if len(missing) == len(self._parts):
            there = _named(listing.files) or "nothing"
            ignored = f", besides {listing.ignored:,} hidden or junk entries" if listing.ignored else ""
            self._notes.append(
                f"No part was found: there is {there}{ignored}. A part's file is named like {missing[0]}.py."
            )
            return
        for part in missing:
            if near := _named(path for path in listing.files if part in path.name.casefold()):
                self._notes.append(f"There is no {part}, but {near}: the part's file is named {part}.py.")

    def _shown(self, path: PurePosixPath) -> str:
        return shown(f"{self._files.place}/{path}")


def _worth(file: _File, part: SyllabusPart, timed: bool) -> tuple[bool, bool, str, int, bool, int, bool]:
    """Return what ranks a file among others of its part. timed: whether it is known of all when they were handed in.

    Work goes before a stub, then what can be read; then the last that was handed in, the most steps, the plainest place.
    """
    readable, time = isinstance(file.source, Source), file.time if timed else ""
    is_named, depth = file.path.stem == part.name, len(file.path.parts)
    return bool(file.work), readable, time, steps_in(file.work, part), is_named, -depth, _is_notebook(file.path)


def _may_be(part: str, path: PurePosixPath) -> bool:
    """Tell whether a file is named like a part, or as browsers and systems name a copy of it, or the same in other letters."""
    stem = COPY.sub("", path.stem.casefold().removeprefix("copy of ").replace(" ", "_"))
    return path.suffix.casefold() in MODULES and part in (path.stem, stem)


def _is_notebook(path: PurePath) -> bool:
    return path.suffix.casefold() == ".ipynb"


def _largest(path: PurePath) -> int:
    return LARGEST_NOTEBOOK if _is_notebook(path) else LARGEST_FILE


def _source(path: PurePath, content: bytes, place: str) -> Source:
    return read_notebook(content, place) if _is_notebook(path) else module_source(content, place)


def _named(paths: Iterable[PurePosixPath]) -> str:
    """Return the names of files as a list for people, the first few of many."""
    names = [f"`{shown(path.name)}`" for path in paths]
    more = f" and {len(names) - MOST_NAMED:,} more" if len(names) > MOST_NAMED else ""
    return ", ".join(names[:MOST_NAMED]) + more
