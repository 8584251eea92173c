"""A submission as text: the modules of one student, read without running them."""

import ast
import contextlib
import importlib.util
import io
import re
import string
import threading
import tokenize
import unicodedata
import warnings
from collections import deque
from collections.abc import Iterable, Iterator, Mapping
from contextvars import ContextVar
from dataclasses import asdict, dataclass, field
from functools import cached_property
from pathlib import Path, PurePath
from typing import Any

from autograder.course.answer import Failure
from autograder.course.verdicts import Verdict
from autograder.submission.flags import Look

LARGEST_FILE = 100_000
"""Bytes of one module: eight times the longest part, and no more than can be parsed in reasonable time and memory."""


WORD = re.compile(r"\w+")

LOOK_ALIKE = re.compile(r"[^\x00-\x7f]{1,100}")
"""Letters that Python may take for others, and marks: in pieces, since to put a long row of marks in order takes quadratic time."""

WRONG_BYTE = re.compile("[\udc80-\udcff]")
"""How Python writes a byte that is not UTF-8, where it is asked to carry on."""


ASCII = string.printable.replace("\\", r"\n")
"""What every encoding writes alike in which Python is written."""


class Unreadable(Exception):
    """Something that was handed in cannot be read. The message says what and why, and what to do about it."""


@dataclass(frozen=True)
class Block:
    """A piece of Python that is run as a whole, and the path under which a traceback shows it."""

    path: str
    text: str


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

    def cell(self, block: Block) -> str:
        """Return how messages name a block of this source: `cell 3`, empty for a module's only one."""
        return block.path.removeprefix(self.path).removeprefix(", ")


@dataclass(frozen=True)
class Submission:
    """What a student handed in.

    modules: by name, the parts and any helper modules beside them; of a helper, the folder may stand before its name. problems: why a part could not be read. notes: for readers
    of the marks, such as which of two files was marked. submitted_at: by module, the time of its `timestamp.txt` as it stands
    there. looks: the notes that are more than told.
    """

    name: str
    modules: dict[str, Source] = field(default_factory=dict)
    problems: dict[str, Failure] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    submitted_at: dict[str, str] = field(default_factory=dict)
    looks: tuple[Look, ...] = ()

    def code_of(self, part: str) -> dict[str, Source]:
        """Return a part and what there is to run with it: what it names of the modules beside it, and what it imports of those in other folders.

        So do these in turn. What is nowhere named cannot be imported: it may have come later, with another part. Of other folders a word
        that is no import tells nothing. Of several of a name the one beside the part counts, else the first.
        """
        folder = PurePath(self.modules[part].path).parent
        elsewhere = {PurePath(name).name: name for name in reversed(self.modules)}
        beside = {
            PurePath(name).name: name for name, source in self.modules.items() if PurePath(source.path).parent == folder
        }
        modules = elsewhere | beside
        code: dict[str, Source] = {}
        waiting = {part}
        while waiting:
            name = waiting.pop()
            code[name] = self.modules[modules[name]]
            named = self._named[modules[name]]
            if not named <= beside.keys():
                named = named & (beside.keys() | imported_by(code[name]))
            waiting |= named - code.keys()
        return code

    @cached_property
    def _named(self) -> dict[str, set[str]]:
        """What each module names of the modules, in any folder: each part that sits, and the digest of each, asks for it."""
        names = {PurePath(name).name for name in self.modules}
        return {name: names & _words(source.text) for name, source in self.modules.items()}


def read_folder(folder: Path, parts: Iterable[str], shown_as: str = "") -> Submission:
    """Read all Python modules of a folder. shown_as: how messages name the folder; its name where empty."""
    place = shown_as or folder.name
    modules: dict[str, Source] = {}
    problems: dict[str, Failure] = {}
    for path in sorted(folder.glob("*.py")):
        try:
            modules[path.stem] = _read(path, f"{place}/{path.name}")
        except Unreadable as error:
            problems[path.stem] = Failure(Verdict.MISSING, str(error))
    for part in parts:
        if part not in modules and part not in problems:
            message = f"there is no {place}/{part}.py. `attn reset {part}` puts a fresh stub into exercises/."
            if (folder / f"{part}.ipynb").is_file():
                message = f"there is no {place}/{part}.py, but a notebook: each of its steps is marked when you run its cell. `attn notebook {part}` opens it."
            if similar := next((name for name in modules if name.lower() == part), None):
                message = f"there is no {place}/{part}.py, but a {similar}.py. Rename it: the letters are small ones."
            problems[part] = Failure(Verdict.MISSING, message)
    return Submission(folder.name, modules, problems)


def _read(path: Path, shown_as: str) -> Source:
    try:
        content = path.read_bytes()
    except OSError as error:
        raise Unreadable(f"{shown_as} could not be read: {error.strerror}") from None
    return module_source(content, shown_as)


def module_source(content: bytes, shown_as: str) -> Source:
    """Return the source of a module's bytes. Raises Unreadable."""
    if len(content) > LARGEST_FILE:
        raise Unreadable(f"{shown_as} has {len(content):,} bytes; a part has at most {LARGEST_FILE:,}")
    return Source.module(shown_as, decoded(content, shown_as))


def decoded(content: bytes, shown_as: str) -> str:
    """Return the text of a module as Python reads it: UTF-8, or what its coding line says. Raises Unreadable."""
    try:
        _require_ascii(tokenize.detect_encoding(io.BytesIO(content).readline)[0])
        text = importlib.util.decode_source(content)
        text.encode()  # not every text can be written again: some encodings give half of a surrogate pair
        return text
    except (SyntaxError, LookupError, UnicodeError) as error:
        lines = content.decode("utf-8", "surrogateescape").split("\n")
        found = ((number, WRONG_BYTE.search(line)) for number, line in enumerate(lines, start=1))
        wrong = (f"byte {ord(byte[0]) - 0xDC00:#04x} in line {number}" for number, byte in found if byte)
        raise Unreadable(f"{shown_as} is not UTF-8 text: {next(wrong, error)}. Save it as UTF-8.") from None


def _require_ascii(encoding: str) -> None:
    """Raise LookupError for an encoding that writes ASCII otherwise: nobody saves a module so, and to read some takes seconds."""
    if ASCII.encode().decode(encoding) != ASCII:
        raise LookupError(f"{encoding} is no encoding for a module")


def shown(name: str) -> str:
    """Return a name or path as it can be shown: what is not printable becomes an escape, such as `\\x1b`."""
    return "".join(character if character.isprintable() else ascii(character)[1:-1] for character in name)


DOTTED = re.compile(r"(?:\.[\s\\]*+[^\W\d]\w*+[\s\\]*+)++")
MOST_DOTS = 200
"""What comes after a name and its dots, and how many there may be: of those in an import Python makes every beginning, gigabytes of a long one."""

LONG_INTEGER = re.compile(r"0[xob]\w{3000}", re.IGNORECASE)
"""Python reads it, and refuses to write it in decimal digits, as whoever shows or compares a tree does."""

MOST_BRACES = 2_000
"""Opening ones of a text: for each expression of an f-string, CPython 3.11 counts the lines above it anew."""

PARSING = threading.Lock()
"""CPython 3.11 counts the depth of a tree for all threads at once, and stumbles over two that build one."""


@dataclass
class Allowance:
    """How many characters may still be parsed."""

    left: int

    @property
    def spent(self) -> bool:
        """Whether more was to be parsed than that."""
        return self.left < 0


_allowance: ContextVar[Allowance | None] = ContextVar("_allowance", default=None)


@contextlib.contextmanager
def parsing_at_most(characters: int) -> Iterator[Allowance]:
    """Bound what is parsed meanwhile, however often and of how many files: what is more is taken for no Python."""
    given = Allowance(characters)
    before = _allowance.set(given)
    try:
        yield given
    finally:
        _allowance.reset(before)


def parse(text: str) -> ast.Module:
    """Return the syntax tree of a text. Raises SyntaxError if it is not Python, or nested too deeply to be parsed."""
    if allowance := _allowance.get():
        allowance.left -= len(text)
        if allowance.spent:
            raise SyntaxError("more is to be read than ever is")
    if any(found[0].count(".") > MOST_DOTS for found in DOTTED.finditer(text)):
        raise SyntaxError(f"a name with more than {MOST_DOTS} dots")
    if text.count("{") > MOST_BRACES:
        raise SyntaxError(f"more than {MOST_BRACES:,} opening braces")
    if LONG_INTEGER.search(text):
        raise SyntaxError("an integer with more than 3,000 digits")
    try:
        with PARSING, warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of an invalid escape, say: loading shows the student's own
            return ast.parse(text)
    except (ValueError, RecursionError, MemoryError) as error:
        raise SyntaxError(str(error)) from None


BODIES = ("body", "orelse", "finalbody", "handlers", "cases")
"""Where statements stand in others."""


def within(node: ast.AST) -> list[ast.AST]:
    """Return what stands in a statement, a handler or a case: statements, handlers and cases, and no expression, of which there are ten times as many."""
    return [inner for name in BODIES for inner in getattr(node, name, ())]


def statements_in(tree: ast.Module) -> Iterator[ast.AST]:
    """Yield all statements of a text from the outside in, with handlers and cases."""
    waiting = deque(within(tree))
    while waiting:
        node = waiting.popleft()
        waiting += within(node)
        yield node


def imported_by(source: Source) -> set[str]:
    """Return the names of the modules that a source imports anywhere; all its words where it is no Python as a whole."""
    found: set[str] = set()
    for block in source.blocks:
        try:
            statements = [*statements_in(parse(block.text))]
        except SyntaxError:
            found |= _words(block.text)
            continue
        for statement in statements:
            if isinstance(statement, ast.Import):
                found |= {alias.name.partition(".")[0] for alias in statement.names}
            elif isinstance(statement, ast.ImportFrom) and statement.module:
                found.add(statement.module.partition(".")[0])
    return found


def _words(text: str) -> set[str]:
    return set(WORD.findall(as_python_reads(text)))


def as_python_reads(text: str) -> str:
    """Return a text with the letters that Python takes for others, as the wide ones of `ｏｓ`, as those."""
    read: list[str] = []
    end = 0
    for found in LOOK_ALIKE.finditer(text):
        begin = found.start()
        if begin > end and WORD.match(text, begin - 1):  # a letter, on which a mark may stand
            begin -= 1
        read += [text[end:begin], unicodedata.normalize("NFKC", text[begin : found.end()])]
        end = found.end()
    return "".join([*read, text[end:]])


def to_plain(modules: Mapping[str, Source]) -> dict[str, Any]:
    """Return modules as plain data for the wire."""
    return {name: asdict(source) for name, source in modules.items()}


def from_plain(modules: Mapping[str, Any]) -> dict[str, Source]:
    """Return the modules of plain data."""
    return {
        name: Source(source["path"], tuple(Block(**block) for block in source["blocks"]), source["is_notebook"])
        for name, source in modules.items()
    }
