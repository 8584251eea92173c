"""Reading a submission: which modules and notebooks are the parts, and their text.

A file is the part whose steps it holds, under any name and in any folder; steps that several parts have decide nothing. Nothing here
raises because of a submission: what cannot be read becomes a problem of its part, or of every part.
"""

import ast
import codecs
import contextlib
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path, PurePosixPath
from types import MappingProxyType

from autograder.course.answer import Failure
from autograder.course.verdicts import Verdict
from autograder.exam.syllabus import SyllabusPart
from autograder.submission.archive import Files, kind_of
from autograder.submission.model import (
    LARGEST_FILE,
    Look,
    Source,
    Submission,
    Unreadable,
    Urgency,
    module_source,
    most_urgent_first,
    shown,
)
from autograder.submission.notebook import LARGEST_NOTEBOOK, read_notebook
from autograder.submission.parsed import DEFINED, imported_by, parse, written

LONGEST_TIMESTAMP = 200
MOST_NAMED, MOST_NOTES = 5, 20
"""Files and notes that are shown."""

CLOSED = (".rar", ".7z", ".bz2", ".xz")
"""How archives end that are not looked into."""

REFERENCE = "### BEGIN SOLUTION"
"""Stands in the course's own solutions."""

Work = Mapping[str, frozenset[str]]
"""Statements without their formatting, comments, docstrings and types, by the name that they bind."""


def work_in(source: Source, part: SyllabusPart) -> Work:
    """Return what somebody has written: nothing for an untouched stub, in whatever words a release has put it.

    Work is a function, a class, or another statement that binds a step, in which something is done that the stub does not do. A text
    that is no Python is work as it stands.
    """
    given = written(parse(part.stub))
    found: dict[str, frozenset[str]] = {}
    for block in source.blocks:
        named = [({block.text}, frozenset([block.text]))]
        with contextlib.suppress(RecursionError):
            if not block.parsed.error:
                named = [({*_bound(node, part)}, written(node)) for node in block.parsed.statements]
        found |= {name: statements for names, statements in named if statements - given for name in names}
    return found


def _bound(node: ast.stmt, part: SyllabusPart) -> Iterator[str]:
    """Yield the name of a function or class, and of any other statement the steps that it assigns, imports or defines within."""
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        yield node.name
    elif not (isinstance(node, ast.ImportFrom) and node.module == part.name):  # which tries out the part itself
        steps = {"*", *(step.name for step in part.steps)}
        for child in ast.walk(node):
            match child:
                case ast.Name(id=name, ctx=ast.Store()) | ast.FunctionDef(name=name) | ast.ClassDef(name=name):
                    yield from steps.intersection([name])
                case ast.alias(name=name, asname=other):
                    yield from steps.intersection([other or name])


@dataclass(frozen=True)
class _Module:
    """A module or a notebook.

    problem: why it cannot be read. part: the name of the one that it is. time: when it was handed in. Each is empty for none.
    holds_steps: whether it defines steps of that part, and is not just named like it.
    """

    path: PurePosixPath
    source: Source
    problem: str
    part: str
    holds_steps: bool
    time: str

    @cached_property
    def defined(self) -> Set[str]:
        """The names of functions and classes at its top level, be it Python or not."""
        return set(DEFINED.findall(self.source.text))

    def work(self, part: SyllabusPart) -> Work:
        """Return what is written in it; where it cannot be read, nobody knows."""
        return {"": frozenset([self.problem])} if self.problem else work_in(self.source, part)


def read_submission(
    path: Path,
    name: str,
    parts: Sequence[SyllabusPart],
    only_part: str = "",
    places: Mapping[str, Set[str]] = MappingProxyType({}),
) -> Submission:
    """Read one student's submission.

    name: the student's. parts: of the course. only_part: the name of the part that a single file is, if its content does not
    show it. places: by part, the folders in which it was handed in, where that is known: what is there goes before other work.
    """
    try:
        return _Reader(Files(path), parts, only_part, places).submission(shown(name))
    except Unreadable as error:
        return unreadable(name, parts, str(error))


def unreadable(name: str, parts: Sequence[SyllabusPart], reason: str) -> Submission:
    """Return a submission of which nothing can be read."""
    return Submission(shown(name), problems={part.name: Failure(Verdict.MISSING, reason) for part in parts})


class _Reader:
    """Reads the files of a submission, and makes notes for the readers of the marks."""

    def __init__(
        self, files: Files, parts: Sequence[SyllabusPart], only_part: str, places: Mapping[str, Set[str]]
    ) -> None:
        self._files = files
        self._parts = parts
        self._only_part = only_part
        self._places = places
        times = Counter(step.name for part in parts for step in part.steps)
        self._own = {part.name: {step.name for step in part.steps if times[step.name] == 1} for part in parts}
        """By part, the names of the steps that no other part has."""
        self._looks = [Look(Urgency.CHECK, problem) for problem in files.problems]

    def submission(self, name: str) -> Submission:
        """Return the parts, and the modules beside them. Raises Unreadable if nothing can be read."""
        if self._files.problems and not self._files.paths:
            raise Unreadable(self._files.problems[0])
        modules = _without_reference([self._module(path) for path in self._files.paths if kind_of(path.name)])
        modules = self._shared_out(modules)
        taken = {part.name: best for part in self._parts if (best := self._best(part, modules))}
        if taken:
            self._note_missing(taken, modules)
        else:
            self._note_what_is_there()
        folders = {module.path.parent for module in taken.values()} if self._files.place else set()
        read = taken | self._helpers(modules, folders)
        looks = most_urgent_first(self._looks)
        if left := looks[MOST_NOTES:]:
            says = f"Of {len(looks):,} notes on what was handed in, {MOST_NOTES} are shown."
            looks[MOST_NOTES:] = [Look(min((look.urgency for look in left), key=list(Urgency).index), says)]
        return Submission(
            name,
            {name: module.source for name, module in read.items() if not module.problem},
            {name: Failure(Verdict.MISSING, module.problem) for name, module in taken.items() if module.problem},
            tuple(look.says for look in looks),
            {name: module.time for name, module in read.items() if module.time},
            tuple(look for look in looks if look.urgency != Urgency.TOLD),
        )

    def _note(self, says: str, urgency: Urgency = Urgency.TOLD, part: str = "") -> None:
        self._looks.append(Look(urgency, says, part))

    def _module(self, path: PurePosixPath) -> _Module:
        place, problem = self._files.shown(path), ""
        try:
            if kind_of(path.name) == ".ipynb":
                source = read_notebook(self._files.read(path, LARGEST_NOTEBOOK), place)
            else:
                source = self._module_source(self._files.read(path, LARGEST_FILE), place)
            expected = not self._files.place or any(is_named(path, part) for part in self._parts)
            if expected and not source.text.strip():
                raise Unreadable(f"{place} is empty.")
        except Unreadable as error:
            if not self._files.place:
                raise
            source, problem = Source(place, ()), str(error)
        return _Module(path, source, problem, *self._part_of(path, source), self._time(path))

    def _module_source(self, content: bytes, place: str) -> Source:
        """Return the source of a module, in a guessed encoding where Python would refuse it. Raises Unreadable."""
        try:
            return module_source(content, place)
        except Unreadable:
            guess = "utf-16" if content.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)) else "windows-1252"
            with contextlib.suppress(UnicodeDecodeError):
                source = Source.module(place, content.decode(guess))
                self._note(f"{place} is not UTF-8 text, and was read as {guess}.")
                return source
            raise

    def _part_of(self, path: PurePosixPath, source: Source) -> tuple[str, bool]:
        """Return the name of the part that a file is, and whether it holds steps of it.

        It is what it is named like if it holds half of the steps that this part alone has, else that of which it holds most of these.
        """
        defined = set(DEFINED.findall(source.text))

        def likeness(part: SyllabusPart) -> tuple[bool, int, bool, int]:
            own, named = self._own[part.name], is_named(path, part)
            found = len(own & defined)
            return named and 2 * found >= len(own), found, named, sum(step.name in defined for step in part.steps)

        part = max(self._parts, key=likeness)
        _, _, named, held = likeness(part)
        if held or named:
            return part.name, held > 0
        if self._files.place:
            return "", False
        if len(self._parts) > 1 and not self._only_part:
            raise Unreadable(
                f"{shown(path.name)} is a single file, and it is unclear which part it is. Mark it with `--part PART`, or put it "
                f"into a folder under the name of its part, such as {part.name}{path.suffix}."
            )
        return self._only_part or part.name, False

    def _time(self, path: PurePosixPath) -> str:
        timestamp = self._files.timestamp_of(path)
        try:
            text = self._files.read(timestamp, LONGEST_TIMESTAMP).decode().strip() if timestamp else ""
        except (Unreadable, UnicodeDecodeError):
            return ""
        return text if text.isprintable() else ""

    def _shared_out(self, modules: Sequence[_Module]) -> list[_Module]:
        """Let a file be the part that it is named like and of which there is no other, if it holds steps of it, and others work of the part that it was."""
        shared = [*modules]
        for part in (part for part in self._parts if all(part.name != module.part for module in modules)):
            for place, module in enumerate(shared):
                if not (is_named(module.path, part) and self._own[part.name] & module.defined):
                    continue
                was = next(one for one in self._parts if one.name == module.part)
                if any(other.part == was.name and other.work(was) for other in shared if other is not module):
                    shared[place] = replace(module, part=part.name)
        return shared

    def _best(self, part: SyllabusPart, modules: Sequence[_Module]) -> _Module | None:
        """Return the file that counts for a part, None if there is none.

        Steps go before a name alone, work before a stub, the place where the part was handed in, a name like the part's. Then what can be
        read; the last that was handed in, where that is known of all; the most steps; the plainest place.
        """
        found = [module for module in modules if module.part == part.name]
        found = [module for module in found if module.holds_steps or module.problem] or found
        if not found:
            return None
        work = {module.path: module.work(part) if len(found) > 1 else {} for module in found}
        timed = all(module.time for module in found if work[module.path])

        def worth(module: _Module) -> tuple[bool, bool, bool, bool, str, int, bool, int]:
            path, done = module.path, work[module.path]
            place = PurePosixPath(self._files.shown(path))
            is_there = any(map(place.is_relative_to, self._places.get(part.name, ())))
            known = bool(done), is_there, is_named(path, part), not module.problem, module.time if timed else ""
            return *known, sum(step.name in done for step in part.steps), path.stem == part.name, -len(path.parts)

        best = max(found, key=worth)  # of equals the first, a notebook before a module
        imported = imported_by(best.source) if len(found) > 1 else ()
        others = [module for module in found if module.path.stem not in imported]
        for other in (other for other in others if not work[other.path].items() <= work[best.path].items()):
            choice = (
                f"{self._files.shown(best.path)} was marked, not {self._files.shown(other.path)}, which holds work too."
            )
            clear = timed and best.time > other.time and not other.problem
            self._note(other.problem or choice, Urgency.TOLD if clear else Urgency.MUST_ACT, part.name)
        if not is_named(best.path, part) and self._files.place:
            self._note(f"{self._files.shown(best.path)} was taken for {part.name}.")
        if not best.time and (timestamp := self._files.timestamp_of(best.path)):
            where = self._files.shown(timestamp)
            self._note(f"{where} holds no time: one line of text was expected.", Urgency.CHECK, part.name)
        return best

    def _helpers(self, modules: Sequence[_Module], folders: set[PurePosixPath]) -> dict[str, _Module]:
        """Return the modules beside the parts, which may import them. folders: of the parts.

        Where there is another of its name already, the folder is put before it.
        """
        parts = {part.name for part in self._parts}
        found: dict[str, _Module] = {}
        for module in (module for module in modules if module.path.parent in folders):
            name, _, ending = module.path.name.partition(".")
            if kind_of(module.path.name) != ".py" or not ending.startswith("py"):
                continue
            if not name.isidentifier() or name in parts:
                continue
            first = found.get(name, module)
            if first.path.parent != module.path.parent and first.source.text != module.source.text:
                name = shown((module.path.parent / name).as_posix())
            first = found.setdefault(name, module)
            if module.problem:
                self._note(module.problem, Urgency.CHECK)
            elif first.source.text != module.source.text:
                places = self._files.shown(first.path), self._files.shown(module.path)
                self._note(f"`import {name}` gives {places[0]}, not {places[1]}, which differs.", Urgency.CHECK)
        return found

    def _note_missing(self, taken: Mapping[str, _Module], modules: Sequence[_Module]) -> None:
        """Note which files may hold work that is not marked. taken: the file of each part that has one."""
        missing = [part for part in self._parts if part.name not in taken or not taken[part.name].holds_steps]
        for path in (path for path in self._files.paths if not kind_of(path.name)):
            part = next((part.name for part in missing if part.name not in taken and is_named(path, part)), "")
            if part or path.name.lower().endswith(CLOSED):
                said = f"{self._files.shown(path)} was not read: it is no module, no notebook, and no .zip or .tar.gz."
                self._note(said, Urgency.CHECK, part)
        for one in missing:
            own = self._own[one.name]
            for module in (module for module in modules if not module.problem):
                named, place = is_named(module.path, one), self._files.shown(module.path)
                if not named and 2 * len(own & module.defined) <= len(own):
                    continue
                begun = own & module.work(one).keys()
                if begun and module.part != one.name:
                    said = f"{place} was taken for {module.part} alone, and also holds steps of {one.name}"
                    self._note(f"{said}, of which there is no file.", Urgency.CHECK, one.name)
                elif named and not begun | (own & module.defined):
                    said = f"{place} is named like {one.name}, and holds none of the steps that only this part has."
                    self._note(said, Urgency.CHECK, one.name)

    def _note_what_is_there(self) -> None:
        """Name what is there in place of the parts."""
        names = [f"`{shown(path.name)}`" for path in self._files.paths]
        more = f" and {len(names) - MOST_NAMED:,} more" if len(names) > MOST_NAMED else ""
        there = ", ".join(names[:MOST_NAMED]) + more or "nothing"
        ignored = f", besides {self._files.ignored:,} hidden or junk entries" if self._files.ignored else ""
        form = f"A part's file is named like {self._parts[0].name}.py, or holds its steps."
        self._note(f"No part was found: there is {there}{ignored}. {form}", Urgency.MUST_ACT)


def is_named(path: PurePosixPath, part: SyllabusPart) -> bool:
    """Return whether a file is named like a part, or as people, browsers and systems name a copy of it."""
    return part.name.casefold() in path.stem.casefold().replace(" ", "_")


def _without_reference(modules: Sequence[_Module]) -> list[_Module]:
    """Leave out folders of solutions that came with the course."""
    folders = (module.path.parent for module in modules if REFERENCE in module.source.text)
    own = {folder for folder in folders if folder.name == "solutions"}
    return [module for module in modules if own.isdisjoint(module.path.parents)]
