"""A submission as text: the modules of one student, read without running them, and flags for a person."""

import importlib.util
import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path, PurePath

from autograder.course.answer import Failure
from autograder.course.verdicts import Verdict
from autograder.submission.parsed import ParsedModule, parsed

LARGEST_FILE = 100_000
"""Bytes of one module, characters of a notebook's code: eight times the longest part."""

WRONG_BYTE = re.compile("[\udc80-\udcff]")
"""How Python writes a byte that is not UTF-8, where it is asked to carry on."""


class Urgency(StrEnum):
    """How urgent it is: nobody else can decide; a person should see it; it calls for nothing."""

    MUST_ACT = "must act"
    CHECK = "check"
    TOLD = "told"


@dataclass(frozen=True)
class Look:
    """One thing to look at. part: that it is about; empty if it is about no part alone."""

    urgency: Urgency
    says: str
    part: str = ""


def most_urgent_first(looks: Iterable[Look]) -> list[Look]:
    """Return what there is to look at, what is as urgent in the order in which it was."""
    return sorted(looks, key=lambda look: list(Urgency).index(look.urgency))


class Unreadable(Exception):
    """Something that was handed in cannot be read. The message says what and why, and what to do about it."""


@dataclass(frozen=True)
class Block:
    """A piece of Python that is run as a whole, and the path under which a traceback shows it."""

    path: str
    text: str

    @property
    def parsed(self) -> ParsedModule:
        """What it defines."""
        return parsed(self.text, self.path)


@dataclass(frozen=True)
class Source:
    """What is run as one module, under the path of its file: one block for a module, one a cell for a notebook."""

    path: str
    blocks: tuple[Block, ...]
    is_notebook: bool = False

    @classmethod
    def module(cls, path: str, text: str) -> "Source":
        """Return the source of a module's text."""
        return cls(path, (Block(path, text),))

    @property
    def text(self) -> str:
        """All of it."""
        return "\n".join(block.text for block in self.blocks)

    @property
    def imported(self) -> frozenset[str]:
        """The modules that it imports anywhere."""
        return frozenset[str]().union(*(block.parsed.imported for block in self.blocks))

    def cell(self, block: Block) -> str:
        """Return how messages name a block of this source: `cell 3`, empty for a module's only one."""
        return block.path.removeprefix(self.path).removeprefix(", ")


@dataclass(frozen=True)
class Submission:
    """What a student handed in.

    modules: by name, the parts and any helper modules beside them; of a helper, its folder may be before its name. problems: why a
    part could not be read. notes: for readers of the marks, such as which of two files was marked. submitted_at: by module, the text
    of its `timestamp.txt`. looks: the notes that are more than told.
    """

    name: str
    modules: dict[str, Source] = field(default_factory=dict)
    problems: dict[str, Failure] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    submitted_at: dict[str, str] = field(default_factory=dict)
    looks: tuple[Look, ...] = ()

    def code_of(self, part: str) -> dict[str, Source]:
        """Return a part and the modules that it imports, directly or through others.

        Of several of a name the one beside the part counts, else the first.
        """
        folder = PurePath(self.modules[part].path).parent
        modules: dict[str, Source] = {}
        for name, source in self.modules.items():
            if PurePath(source.path).parent == folder or PurePath(name).name not in modules:
                modules[PurePath(name).name] = source
        code: dict[str, Source] = {}
        waiting = {part}
        while waiting:
            name = waiting.pop()
            code[name] = modules[name]
            waiting |= (modules[name].imported & modules.keys()) - code.keys()
        return code


def read_folder(folder: Path, parts: Iterable[str], shown_as: str = "") -> Submission:
    """Read all Python modules of a folder. shown_as: how messages name the folder; its name where empty."""
    place = shown_as or folder.name
    modules: dict[str, Source] = {}
    problems: dict[str, Failure] = {}
    for path in sorted(folder.glob("*.py")):
        try:
            modules[path.stem] = module_source(path.read_bytes(), f"{place}/{path.name}")
        except Unreadable as error:
            problems[path.stem] = Failure(Verdict.MISSING, str(error))
        except OSError as error:
            problems[path.stem] = Failure(Verdict.MISSING, f"{place}/{path.name} could not be read: {error.strerror}")
    for part in {*parts} - modules.keys() - problems.keys():
        advice = f". `attn reset {part}` puts a fresh stub into exercises/."
        if (folder / f"{part}.ipynb").is_file():
            advice = (
                f", but a notebook: each of its steps is marked when you run its cell. `attn notebook {part}` opens it."
            )
        if similar := next((name for name in modules if name.lower() == part), None):
            advice = f", but a {similar}.py. Rename it: the letters are small ones."
        problems[part] = Failure(Verdict.MISSING, f"there is no {place}/{part}.py{advice}")
    return Submission(folder.name, modules, problems)


def module_source(content: bytes, shown_as: str) -> Source:
    """Return the source of a module's bytes: UTF-8, or in the encoding of its coding line. Raises Unreadable."""
    if len(content) > LARGEST_FILE:
        raise Unreadable(f"{shown_as} has more than {LARGEST_FILE:,} bytes, the most that is read.")
    try:
        text = importlib.util.decode_source(content)
        text.encode()  # some encodings give half of a surrogate pair
    except (SyntaxError, LookupError, UnicodeError) as error:
        lines = content.decode("utf-8", "surrogateescape").split("\n")
        found = ((number, WRONG_BYTE.search(line)) for number, line in enumerate(lines, start=1))
        wrong = (f"byte {ord(byte[0]) - 0xDC00:#04x} in line {number}" for number, byte in found if byte)
        raise Unreadable(f"{shown_as} is not UTF-8 text: {next(wrong, error)}. Save it as UTF-8.") from None
    return Source.module(shown_as, text)


def shown(name: str) -> str:
    """Return a name or path as it can be shown: what is not printable becomes an escape, such as `\\x1b`."""
    return "".join(character if character.isprintable() else ascii(character)[1:-1] for character in name)
