"""What a student handed in as a submission: which files of a folder, a zip or a single file are the parts, and their text.

Nothing here raises for what is handed in: what cannot be read becomes a problem of its part, or of every part.
"""

import os
import re
import stat
from collections.abc import Iterable, Sequence
from pathlib import Path, PurePosixPath

from autograder.course.answer import Failure
from autograder.sitting.archive import LARGEST_ZIP, Files, Folder, Listing, Zip, read_file
from autograder.sitting.notebook import LARGEST_NOTEBOOK, Notebook, read_notebook
from autograder.sitting.submission import LARGEST_FILE, Source, Submission, Unreadable, module_source, shown

LARGEST_TEXT = 500_000
"""Characters of all modules of one submission."""

MOST_HELPERS = 50
COPY = re.compile(r"[_-]*(?:\(\d+\)|copy\d*|-\d+)$")
"""What a browser or a system puts behind a name: `part (1)`, `part-1`, `part-Copy1`, `part - copy`."""

TIMESTAMP = "timestamp.txt"
"""Beside a part, when it was handed in: nbgrader writes it when it collects submissions."""

LONGEST_TIMESTAMP = 200

MOST_NAMED = 5
MOST_NOTES = 20
EXPECTED = "A folder, a .py, an .ipynb or a .zip was expected."


def read_submission(path: Path, name: str, parts: Sequence[str], only_part: str | None = None) -> Submission:
    """Read what one student handed in.

    name: the student's. parts: of the course. only_part: the part that a single file is, where it is not named after one.
    """
    try:
        return _read_entry(path, shown(name), parts, only_part)
    except Unreadable as error:
        return Submission(shown(name), problems={part: Failure("missing", str(error)) for part in parts})


def _read_entry(path: Path, name: str, parts: Sequence[str], only_part: str | None) -> Submission:
    place, suffix = shown(path.name), path.suffix.lower()
    if _is_folder(path, place):
        return _Handed(Folder(Path(os.path.realpath(path)), place), parts).submission(name)
    if suffix == ".zip":
        return _Handed(Zip(read_file(path, path.parent, place, LARGEST_ZIP), place), parts).submission(name)
    if suffix not in (".py", ".ipynb"):
        raise Unreadable(f"{place} is nothing that can be marked. {EXPECTED}")
    part = path.stem if path.stem in parts else only_part or (parts[0] if len(parts) == 1 else None)
    if part is None:
        raise Unreadable(
            f"{place} is a single file, and which part it is cannot be told. Mark it with `--part PART`, or put it into a "
            f"folder under the name of its part, such as {parts[0]}{suffix}."
        )
    largest = LARGEST_NOTEBOOK if suffix == ".ipynb" else LARGEST_FILE
    content = read_file(path, path.parent, place, largest)
    source = read_notebook(content, place).source if suffix == ".ipynb" else module_source(content, place)
    return Submission(name, {part: source})


def _is_folder(path: Path, place: str) -> bool:
    """Tell whether an entry of the class folder is a folder. Raises Unreadable for a link that leads out of the class."""
    try:
        if path.is_symlink() and not Path(os.path.realpath(path)).is_relative_to(os.path.realpath(path.parent)):
            raise Unreadable(f"{place} is a link that leads out of the class folder. Put the files themselves there.")
        return stat.S_ISDIR(path.stat().st_mode)
    except OSError as error:
        raise Unreadable(f"{place} could not be read: {error.strerror}. {EXPECTED}") from None


class _Handed:
    """The files that a student handed in, and what was read of them so far."""

    def __init__(self, files: Files, parts: Sequence[str]) -> None:
        self._files = files
        self._parts = parts
        self._modules: dict[str, Source] = {}
        self._problems: dict[str, Failure] = {}
        self._taken: dict[str, PurePosixPath] = {}
        self._submitted_at: dict[str, str] = {}
        self._notes: list[str] = []

    def submission(self, name: str) -> Submission:
        """Read the parts, and the modules beside them. Raises Unreadable where nothing can be read."""
        listing = self._files.listing()
        self._notes += listing.closed
        for part in self._parts:
            try:
                self._read_part(part, listing)
            except Unreadable as error:
                self._problems[part] = Failure("missing", str(error))
        self._read_helpers(listing)
        if self._size() > LARGEST_TEXT:
            raise Unreadable(f"{self._files.place} has more than {LARGEST_TEXT:,} characters of code in all.")
        self._note_what_is_missing(listing)
        return Submission(name, self._modules, self._problems, tuple(self._notes[:MOST_NOTES]), self._submitted_at)

    def _read_part(self, part: str, listing: Listing) -> None:
        """Read a part: the notebook if it was handed out as one, else the module if there is one."""
        module_path = self._shallowest(f"{part}.py", listing)
        path = self._shallowest(f"{part}.ipynb", listing)
        if found := path or module_path:
            self._read_time(part, found)
        notebook = self._notebook(path, module_path is not None) if path else None
        if path and notebook and (notebook.was_released or not module_path):
            self._take(part, path, notebook.source, module_path)
        elif module_path:
            self._take(part, module_path, self._module(module_path), path)

    def _read_time(self, part: str, found: PurePosixPath) -> None:
        """Read when a part was handed in, where a file beside or above it tells.

        The topmost counts: that is where nbgrader writes it, while a student may have handed in others with the rest.
        """
        above = (folder / TIMESTAMP for folder in reversed(found.parents))
        path = next(filter(self._files.has, above), None)
        if path is None:
            return
        try:
            text = self._files.read(path, LONGEST_TIMESTAMP).decode().strip()
        except (Unreadable, UnicodeDecodeError):
            text = ""
        if text and text.isprintable():
            self._submitted_at[part] = text
        else:
            self._notes.append(f"{self._shown(path)} tells no time: one line of text was expected.")

    def _shallowest(self, name: str, listing: Listing) -> PurePosixPath | None:
        """Return the file of that name in the fewest folders, or a copy of it where there is none.

        Raises Unreadable where two are.
        """
        found = [path for path in listing.files if path.name == name]
        copies = [path for path in listing.files if _is_copy(path, name)] if not found else []
        if copies:
            self._notes.append(f"{self._shown(copies[0])} was taken for {name}.")
        found = found or copies
        if len(found) > 1 and len(found[0].parts) == len(found[1].parts):
            raise Unreadable(f"{self._shown(found[0])} and {self._shown(found[1])}: which one counts? Leave one.")
        if len(found) > 1:
            self._notes.append(f"{self._shown(found[0])} was marked, not {self._shown(found[1])}.")
        return found[0] if found else None

    def _notebook(self, path: PurePosixPath, may_fail: bool) -> Notebook | None:
        """Read a notebook; may_fail: whether there is a module to take in its place. Raises Unreadable."""
        try:
            return read_notebook(self._files.read(path, LARGEST_NOTEBOOK), self._shown(path))
        except Unreadable as error:
            if not may_fail:
                raise
            self._notes.append(str(error))
            return None

    def _module(self, path: PurePosixPath) -> Source:
        return module_source(self._files.read(path, LARGEST_FILE), self._shown(path))

    def _take(self, name: str, path: PurePosixPath, source: Source, left: PurePosixPath | None = None) -> None:
        self._modules[name] = source
        self._taken[name] = path
        if left:
            self._notes.append(f"{self._shown(path)} was marked, not {self._shown(left)}, which is there too.")

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
                source = self._module(path)
            except Unreadable as error:
                self._notes.append(str(error))
                continue
            if name not in self._modules:
                self._take(name, path, source)
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
                f"No part was found: there is {there}{ignored}. A part's file is named like {self._parts[0]}.py."
            )
            return
        for part in missing:
            if near := _named(path for path in listing.files if part in path.name.casefold()):
                self._notes.append(f"There is no {part}, but {near}: the part's file is named {part}.py.")

    def _shown(self, path: PurePosixPath) -> str:
        return shown(f"{self._files.place}/{path}")


def _is_copy(path: PurePosixPath, name: str) -> bool:
    """Tell whether a file has the name that browsers and systems give to a copy of another, or to the same in other letters."""
    stem = COPY.sub("", path.stem.casefold().removeprefix("copy of ").replace(" ", "_"))
    return f"{stem}{path.suffix.casefold()}" == name


def _named(paths: Iterable[PurePosixPath]) -> str:
    """Return the names of files as a list for people, the first few of many."""
    names = [f"`{shown(path.name)}`" for path in paths]
    more = f" and {len(names) - MOST_NAMED:,} more" if len(names) > MOST_NAMED else ""
    return ", ".join(names[:MOST_NAMED]) + more
