"""A submission as data: the sources of its modules, and flags for a teacher. No source is run."""

import importlib.util
from collections.abc import Iterable
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path, PurePath

from autograder.course.answer import Failure
from autograder.course.verdicts import Verdict
from autograder.submission.parsed import ParsedModule, parsed

LARGEST_FILE = 100_000
"""The most bytes of a module, and characters of a notebook's code: 8 times the longest part."""


class Urgency(StrEnum):
    """The urgency of a flag: a teacher must decide, a teacher should check, or information only."""

    MUST_ACT = "must act"
    CHECK = "check"
    TOLD = "told"


@dataclass(frozen=True)
class Look:
    """A flag for a teacher. says: the message. part: the part concerned; empty for none or several."""

    urgency: Urgency
    says: str
    part: str = ""


def most_urgent_first(looks: Iterable[Look]) -> list[Look]:
    """Return flags sorted by urgency. Flags of the same urgency keep their order."""
    return sorted(looks, key=lambda look: list(Urgency).index(look.urgency))


class Unreadable(Exception):
    """A submitted file cannot be read. The message names the file, the reason and often a remedy."""


@dataclass(frozen=True)
class Block:
    """Source that runs as a whole: a module or a notebook cell. path: the file name in tracebacks."""

    path: str
    text: str

    @property
    def parsed(self) -> ParsedModule:
        """The parsed source."""
        return parsed(self.text, self.path)


@dataclass(frozen=True)
class Source:
    """The source of a .py file (one block) or a notebook (one block per cell that defines a name)."""

    path: str
    blocks: tuple[Block, ...]
    is_notebook: bool = False

    @classmethod
    def module(cls, path: str, text: str) -> "Source":
        """Return the source of a .py file: the whole file is its only block."""
        return cls(path, (Block(path, text),))

    @property
    def text(self) -> str:
        """The text of all blocks, joined by newlines."""
        return "\n".join(block.text for block in self.blocks)

    @property
    def imported(self) -> frozenset[str]:
        """The top-level names of all imported modules, such as `torch` for `torch.nn`."""
        return frozenset[str]().union(*(block.parsed.imported for block in self.blocks))

    def cell(self, block: Block) -> str:
        """Return a block's label in messages: `cell 3`; empty for the block of a .py file."""
        return block.path.removeprefix(self.path).removeprefix(", ")


@dataclass(frozen=True)
class Submission:
    """The modules that a student submitted.

    modules: the sources of parts and helper modules, by name. If two helpers have the same name, the
    key of the second includes its folder. problems: a failure for each missing or unreadable part, by
    name. notes: the messages of all flags. submitted_at: the text of `timestamp.txt`, by module name.
    looks: the flags that a teacher must or should check.
    """

    name: str
    modules: dict[str, Source] = field(default_factory=dict)
    problems: dict[str, Failure] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    submitted_at: dict[str, str] = field(default_factory=dict)
    looks: tuple[Look, ...] = ()

    def code_of(self, part: str) -> dict[str, Source]:
        """Return the sources of a part and of the modules that it imports, directly or indirectly.

        Of several modules with the same name, the one in the part's folder is used, else the first.
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
    """Read the .py files of a folder. A missing part is a problem. shown_as: the name in messages."""
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
            advice = f", but a notebook: each of its steps is marked when you run its cell. `attn show --notebook {part}` opens it."
        problems[part] = Failure(Verdict.MISSING, f"there is no {place}/{part}.py{advice}")
    return Submission(folder.name, modules, problems)


def module_source(content: bytes, shown_as: str) -> Source:
    """Decode a module by its declared encoding, else UTF-8. shown_as: its path. Raises Unreadable."""
    if len(content) > LARGEST_FILE:
        raise Unreadable(f"{shown_as} has more than {LARGEST_FILE:,} bytes, the most that is read.")
    try:
        text = importlib.util.decode_source(content)
        text.encode()  # some encodings decode to lone surrogates
    except (SyntaxError, LookupError, UnicodeError) as error:
        raise Unreadable(f"{shown_as} is not UTF-8 text ({error}). Save it as UTF-8.") from None
    return Source.module(shown_as, text)


def shown(name: str) -> str:
    """Return a name or path with escapes for characters that are not printable, such as `\\x1b`."""
    return "".join(character if character.isprintable() else ascii(character)[1:-1] for character in name)
