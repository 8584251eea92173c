"""Read a submission: find the file of each part among its modules and notebooks.

The steps that a file defines and the file's name decide to which part the file belongs. A file that
cannot be read is a problem of its part. `read_hand_in` reads in a child process with limits of time
and memory. On Linux with Landlock, the child process cannot write files.
"""

import ast
import atexit
import codecs
import contextlib
import os
import signal
import subprocess
import sys
import threading
from collections import Counter
from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path, PurePosixPath
from typing import Any

import msgspec

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
from autograder.submission.notebook import read_notebook
from autograder.submission.parsed import DEFINED, names_of, parse, written

SECONDS, MEMORY, LARGEST = 10, 1 << 30, 1_000_000
"""Limits for a hand-in: seconds of CPU time, bytes of memory and of the result."""

TOO_MUCH = (
    f"could not be read: it takes more than {SECONDS} s or {MEMORY >> 20:,} MB, or holds more than {LARGEST:,} characters of "
    "code in all. Submit the parts and what they import, nothing else."
)

MOST_NAMED = 5
"""The most files in a note."""

CLOSED = (".rar", ".7z", ".bz2", ".xz")

REFERENCE = "### BEGIN SOLUTION"
"""A comment that identifies the course's own solutions."""

Work = Mapping[str, frozenset[str]]
"""The statements that a student wrote, each as its `ast.dump`, by the definition's name."""


def work_in(source: Source, part: SyllabusPart) -> Work:
    """Return the code that a student wrote in a part, by name; empty for an untouched stub.

    A function, a class, or a statement that binds a step is included if it contains a statement that
    the stub does not contain. Lines that cannot be parsed are included.
    """
    given, steps = written(parse(part.stub)), {"*", *(step.name for step in part.steps)}
    found: dict[str, frozenset[str]] = {}
    for block in source.blocks:
        found |= {broken.text: frozenset([broken.text]) for broken in block.parsed.broken}
        for node in block.parsed.statements:
            is_own = isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef)
            tries_out = isinstance(node, ast.ImportFrom) and node.module == part.name
            names = names_of(node) if is_own else names_of(node) & steps if not tries_out else ()
            if (statements := written(node)) - given:
                found |= dict.fromkeys(names, statements)
    return found


def unparsed(source: Source, part: SyllabusPart) -> SyntaxError | None:
    """Return the first syntax error if no step of a part can be parsed, not even a stub; else None."""
    parsed = [block.parsed for block in source.blocks]
    bound = {name for block in parsed for statement in block.statements for name in names_of(statement)}
    is_lost = bound.isdisjoint({"*", *(step.name for step in part.steps)})
    return next((block.error for block in parsed if block.error), None) if is_lost else None


@dataclass(frozen=True)
class _Module:
    """A module or a notebook. problem: the reason why it is unreadable, or empty."""

    path: PurePosixPath
    source: Source
    problem: str
    part: str

    @cached_property
    def defined(self) -> Set[str]:
        """The names of the functions and classes at the top level, even if the file cannot be parsed."""
        return set(DEFINED.findall(self.source.text))

    def holds_steps(self, part: SyllabusPart) -> bool:
        return any(step.name in self.defined for step in part.steps)

    def work(self, part: SyllabusPart) -> Work:
        """Return the code that a student wrote in a part. An unreadable file counts as such code."""
        return {"": frozenset([self.problem])} if self.problem else work_in(self.source, part)


class _Request(msgspec.Struct):
    path: bytes
    name: str
    parts: tuple[SyllabusPart, ...]
    only_part: str


def _read(asked: _Request) -> Submission:
    try:
        return _Reading(asked, Files(Path(os.fsdecode(asked.path)))).submission()
    except Unreadable as error:
        return unreadable(asked.name, asked.parts, str(error))


def unreadable(name: str, parts: Sequence[SyllabusPart], reason: str) -> Submission:
    """Return a submission in which every part has the same problem."""
    return Submission(name, problems={part.name: Failure(Verdict.MISSING, reason) for part in parts})


class _Reading:
    def __init__(self, asked: _Request, files: Files) -> None:
        self._asked, self._parts, self._files = asked, asked.parts, files
        times = Counter(step.name for part in self._parts for step in part.steps)
        self._own = {part.name: {step.name for step in part.steps if times[step.name] == 1} for part in self._parts}
        """The names of the steps that no other part has, by part."""
        self._looks = [Look(Urgency.CHECK, problem) for problem in files.problems]

    def submission(self) -> Submission:
        """Return the submission. Raises Unreadable if nothing can be read."""
        if self._files.problems and not self._files.paths:
            raise Unreadable(self._files.problems[0])
        modules = _without_reference([self._module(path) for path in self._files.paths if kind_of(path.name)])
        taken = {part.name: best for part in self._parts if (best := self._best(part, modules))}
        self._note_missing(taken, modules)
        read = self._beside(taken, modules) | taken
        looks = most_urgent_first(self._looks)
        return Submission(
            self._asked.name,
            {name: module.source for name, module in read.items() if not module.problem},
            {name: Failure(Verdict.MISSING, module.problem) for name, module in taken.items() if module.problem},
            tuple(look.says for look in looks),
            {name: time for name, module in read.items() if (time := self._files.time_of(module.path))},
            tuple(look for look in looks if look.urgency != Urgency.TOLD),
        )

    def _note(self, says: str, urgency: Urgency = Urgency.TOLD, part: str = "") -> None:
        self._looks.append(Look(urgency, says, part))

    def _module(self, path: PurePosixPath) -> _Module:
        place, problem = self._files.shown(path), ""
        try:
            content = self._files.read(path)
            source = (read_notebook if kind_of(path.name) == ".ipynb" else self._module_source)(content, place)
            expected = not self._files.place or any(is_named(path, part) for part in self._parts)
            if expected and not source.text.strip():
                raise Unreadable(f"{place} is empty.")
        except Unreadable as error:
            if not self._files.place:
                raise
            source, problem = Source(place, ()), str(error)
        return _Module(path, source, problem, self._part_of(path, source))

    def _module_source(self, content: bytes, place: str) -> Source:
        """Decode a module, by a guessed encoding if Python cannot decode the module. Raises Unreadable."""
        try:
            return module_source(content, place)
        except Unreadable:
            guess = "utf-16" if content.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)) else "windows-1252"
            with contextlib.suppress(UnicodeDecodeError):
                if len(content) <= LARGEST_FILE:
                    source = Source.module(place, content.decode(guess))
                    self._note(f"{place} is not UTF-8 text, and was read as {guess}.")
                    return source
            raise

    def _part_of(self, path: PurePosixPath, source: Source) -> str:
        """Return the name of a file's part; empty if the file belongs to no part. Raises Unreadable.

        The part that the file's name contains is chosen, unless the file defines only steps of others.
        Otherwise, the part with the most of its own steps in the file is chosen. If several have as
        many, steps that several parts share decide.
        """
        defined = set(DEFINED.findall(source.text))

        def likeness(part: SyllabusPart) -> tuple[bool, int, bool, int]:
            own, named = len(self._own[part.name] & defined), is_named(path, part)
            return named and own > 0, own, named, sum(step.name in defined for step in part.steps)

        part = max(self._parts, key=likeness)
        if any(likeness(part)):
            return part.name
        if self._files.place or self._asked.only_part or len(self._parts) == 1:
            return "" if self._files.place else self._asked.only_part or part.name
        raise Unreadable(
            f"{shown(path.name)} is a single file, and it is unclear which part it is. Mark it with `--part PART`, or put it "
            f"into a folder under the name of its part, such as {part.name}{path.suffix}."
        )

    def _best(self, part: SyllabusPart, modules: Sequence[_Module]) -> _Module | None:
        """Return the file that is graded for a part; None if no file belongs to the part.

        Readable files without steps of the part are ignored if others have steps or are unreadable.
        Files are compared first by code of the student, then by name, readability, number of steps.
        """
        found = [module for module in modules if module.part == part.name]
        found = [module for module in found if module.holds_steps(part) or module.problem] or found
        work = {module.path: module.work(part) if len(found) > 1 else {} for module in found}

        def worth(module: _Module) -> tuple[Any, ...]:
            path, done = module.path, work[module.path]
            steps = sum(step.name in done for step in part.steps)
            return bool(done), is_named(path, part), not module.problem, steps, path.stem == part.name, -len(path.parts)

        best = max(found, key=worth, default=None)  # the first of equal files: a notebook before a module
        if not best:
            return None
        place = self._files.shown(best.path)
        for other in found:
            if other.path.stem in best.source.imported or work[other.path].items() <= work[best.path].items():
                continue
            choice = f"{place} was marked, not {self._files.shown(other.path)}, which holds work too."
            self._note(other.problem or choice, Urgency.MUST_ACT, part.name)
        if not is_named(best.path, part) and self._files.place:
            self._note(f"{place} was taken for {part.name}.")
        return best

    def _beside(self, taken: Mapping[str, _Module], modules: Sequence[_Module]) -> dict[str, _Module]:
        folders = {module.path.parent for module in taken.values()} if self._files.place else set()
        parts = {part.name for part in self._parts}
        found: dict[str, _Module] = {}
        for module in (module for module in modules if module.path.parent in folders):
            name = module.path.name.partition(".")[0]
            if kind_of(module.path.name) != ".py" or not name.isidentifier() or name in parts:
                continue
            if module.problem:
                self._note(module.problem, Urgency.CHECK)
            key = shown((module.path.parent / name).as_posix()) if name in found else name
            found.setdefault(key, module)
        return found

    def _note_missing(self, taken: Mapping[str, _Module], modules: Sequence[_Module]) -> None:
        """Flag files that may contain ungraded work. taken: the graded file of each part, if any."""
        if not taken:
            there = [f"`{shown(path.name)}`" for path in self._files.paths[:MOST_NAMED]]
            said = f"No part was found: there is {', '.join(there)}." if there else "The hand-in is empty."
            return self._note(f"{said} Expected: {self._parts[0].name}.py, or a file with its steps.", Urgency.MUST_ACT)
        missing = [part for part in self._parts if part.name not in taken or not taken[part.name].holds_steps(part)]
        for path in (path for path in self._files.paths if not kind_of(path.name)):
            part = next((part.name for part in missing if part.name not in taken and is_named(path, part)), "")
            if part or path.name.lower().endswith(CLOSED):
                said = f"{self._files.shown(path)} was not read: it is no module, no notebook, and no .zip or .tar.gz."
                self._note(said, Urgency.CHECK, part)
        for one in missing:
            own, place = self._own[one.name], self._files.shown
            for module in (module for module in modules if not module.problem):
                defined = own & module.defined
                if 2 * len(defined) > len(own) and module.part != one.name and own & module.work(one).keys():
                    said = f"was marked as {module.part} alone. It also holds steps of {one.name}, for which there is no file."
                    self._note(f"{place(module.path)} {said}", Urgency.CHECK, one.name)
                elif is_named(module.path, one) and not defined | (own & module.work(one).keys()):
                    said = f"is named like {one.name}, and holds none of the steps that only this part has."
                    self._note(f"{place(module.path)} {said}", Urgency.CHECK, one.name)


def is_named(path: PurePosixPath, part: SyllabusPart) -> bool:
    """Return whether a file's name contains a part's name, like the name of a copy: `part1 (2).py`."""
    return part.name.casefold() in path.stem.casefold().replace(" ", "_")


def _without_reference(modules: Sequence[_Module]) -> list[_Module]:
    folders = (module.path.parent for module in modules if REFERENCE in module.source.text)
    own = {folder for folder in folders if folder.name == "solutions"}
    return [module for module in modules if own.isdisjoint(module.path.parents)]


class Reader:
    """A child process that reads hand-ins. The process starts at the first read and after each crash."""

    def __init__(self) -> None:
        self._process: subprocess.Popen[bytes] | None = None
        self._lock = threading.Lock()
        atexit.register(self.close)

    def read(self, path: Path, name: str, parts: Sequence[SyllabusPart], only_part: str = "") -> Submission:
        """Read a student's hand-in in the child process.

        name: the student's name. only_part: the part of a single file if no name in it shows the part.
        """
        request = _Request(os.fsencode(path.absolute()), shown(name), tuple(parts), only_part)
        with self._lock:
            if self._process is None:
                command, pipe, null = [sys.executable, "-P", "-m", __name__], subprocess.PIPE, subprocess.DEVNULL
                self._process = subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=null, process_group=0)
            assert self._process.stdin
            assert self._process.stdout
            try:
                self._process.stdin.write(msgspec.json.encode(request) + b"\n")
                self._process.stdin.flush()
                return msgspec.json.decode(self._process.stdout.readline(), type=Submission)
            except (OSError, msgspec.DecodeError):  # the process has ended
                self.close()
                return unreadable(request.name, parts, f"{shown(path.name)} {TOO_MUCH}")

    def close(self) -> None:
        """Kill the child process."""
        process, self._process = self._process, None
        if process:
            process.kill()
            with contextlib.suppress(OSError):
                process.communicate()


read_hand_in = Reader().read
"""Read a student's hand-in in a child process that all callers share."""


def main() -> None:
    """Answer the requests on standard input, until the input ends or a request exceeds a limit."""
    _confine()
    for line in sys.stdin.buffer:
        asked = msgspec.json.decode(line, type=_Request)
        _limit(SECONDS)
        body = msgspec.json.encode(_read(asked))
        _limit(0)
        sys.stdout.buffer.write((body if len(body) <= LARGEST else b"") + b"\n")
        sys.stdout.buffer.flush()


def _limit(seconds: int) -> None:
    """End this process after `seconds` of CPU time. 0: no limit."""
    if sys.platform != "win32":
        signal.setitimer(signal.ITIMER_PROF, seconds)


def _confine() -> None:
    if sys.platform != "linux":
        return
    import resource

    from autograder.sandbox import linux

    resource.setrlimit(resource.RLIMIT_DATA, (MEMORY, MEMORY))
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))
    if linux.landlock_version():
        linux.enter(linux.make_ruleset(("/",), ()))


if __name__ == "__main__":
    main()
