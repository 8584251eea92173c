"""Loading a submission's modules from text, and describing what its code raised by the student's own lines only."""

import __future__

import ast
import builtins
import importlib.abc
import importlib.machinery
import importlib.util
import linecache
import re
import sys
import traceback
import types
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import PurePath

from autograder.course.answer import Failure
from autograder.course.forbidding import Forbidden
from autograder.course.probing import failure_of, text_of
from autograder.course.verdicts import Verdict
from autograder.runner.stub_modules import Placeholders
from autograder.submission.model import Block, Source
from autograder.submission.parsed import DEFINED, Broken, names_of

MOST_FRAMES = 8
MOST_CHARACTERS = 4_000
MOST_LOST = 100
"""Statements that a module may lose; it cannot be loaded if there are more."""

MAIN = 'if __name__ == "__main__":'

DEFINITION = re.compile(r"(?:def|class) (\w+)")
ANNOTATIONS = __future__.annotations.compiler_flag


@dataclass(frozen=True)
class Lost:
    """A part of a module that could not be parsed, or raised.

    defines: the names to which it would have given a meaning. failure: as of the whole. told: as the reason why a name is missing.
    follows: whether it raised only because something above it was lost.
    """

    text: str
    defines: frozenset[str]
    failure: Failure
    told: Failure
    follows: bool

    @property
    def note(self) -> str:
        """What the student is told of it where no step is lost by it."""
        place = self.told.message
        if self.failure.kind == Verdict.MISSING:
            return f"{place}.\nWhat else the file defines is marked.\n{self.failure.traceback}".rstrip()
        if self.defines:
            return f"{place}.\nWhat else the file defines is marked; without {_listed(self.defines)}."
        return f"{place}.\nWhat the file defines is marked. Move this under `{MAIN}`, or take it out."

    @property
    def words(self) -> set[str]:
        """The names and other words in it."""
        return set(re.findall(r"\w+", self.text))


class SubmittedModules(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Finds a submission's modules by name. Asked last, so that no student's file replaces a library.

    They share builtins of their own: one that gives `len` another meaning there changes nothing of the grader's and torch's.

    passing: exceptions that are not a failure of the code that raises them, but end the run. parts: names of the course's, handed in or not.
    lost: by the name of each module that it has loaded, what of it could not be parsed, or raised.
    """

    def __init__(
        self,
        modules: Mapping[str, Source],
        passing: tuple[type[BaseException], ...] = (),
        parts: Collection[str] = (),
    ) -> None:
        self.modules = modules
        self._passing = passing
        self._own = {*modules, *parts}
        self._placeholders = Placeholders()
        self._missing: dict[str, list[str]] = {}
        self.paths = frozenset(block.path for source in modules.values() for block in source.blocks)
        self.lost: dict[str, list[Lost]] = {}
        self._loaded = ""
        self._builtins = types.ModuleType(builtins.__name__)
        vars(self._builtins).update(vars(builtins))

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: types.ModuleType | None = None
    ) -> importlib.machinery.ModuleSpec | None:
        """Return the spec of a submitted module, None for any other."""
        if fullname not in self.modules:
            return None
        return importlib.util.spec_from_loader(fullname, self, origin=self.modules[fullname].path)

    def exec_module(self, module: types.ModuleType) -> None:
        """Run the module statement by statement: one that raises, and one that cannot be parsed, keep no other from running."""
        source = self.modules[module.__name__]
        module.__file__ = source.path
        module.__dict__["__builtins__"] = vars(self._builtins)
        self.lost[module.__name__] = []
        if source.is_notebook:
            module.__dict__.update(display=print, check=_check)  # what needs no import in Jupyter
        flags = 0
        for block in source.blocks:
            linecache.cache[block.path] = (len(block.text), None, block.text.splitlines(True), block.path)
        pieces = [(block, piece) for block in source.blocks for piece in block.parsed.pieces]
        statements = [piece for _, piece in pieces if isinstance(piece, ast.stmt)]
        self._missing[module.__name__] = self._placeholders.missing(statements, self._own)
        for block, piece in pieces:
            if isinstance(piece, Broken):
                self._lose(module, source, block, piece.text, DEFINED.findall(piece.text), piece.error)
                continue
            imported = names_of(piece) if isinstance(piece, ast.Import | ast.ImportFrom) else set()
            for name in imported:  # whatever stands above it
                module.__dict__.pop(name, None)
            try:
                code = compile(ast.Module([piece], []), block.path, "exec", flags, dont_inherit=True)
                flags |= code.co_flags & ANNOTATIONS  # a future import holds for what follows
                exec(code, module.__dict__)
            except BaseException as error:
                if not (source.is_notebook or isinstance(error, Exception | SystemExit)):
                    raise  # of a module, that ends the program
                lost = (imported or names_of(piece)) - (imported & module.__dict__.keys())
                self._lose(module, source, block, _lines_of(piece, block), lost, error)

    def _lose(
        self,
        module: types.ModuleType,
        source: Source,
        block: Block,
        text: str,
        defines: Iterable[str],
        error: BaseException,
    ) -> None:
        """Remember what was lost and why. What it would have defined is not there, whatever stands above it."""
        lost = self.lost[module.__name__]
        if len(lost) >= MOST_LOST:
            raise error
        failure = self.describe(error)
        if failure.kind == Verdict.OUT_OF_MEMORY and not source.is_notebook:
            raise error  # what comes next would hardly have memory
        message = self._describe_cell(source.cell(block), error, failure)
        follows = isinstance(error, NameError) and any(error.name in one.defines for one in lost)
        lost.append(Lost(text, frozenset(defines), failure, replace(failure, message=message), follows))
        for name in lost[-1].defines:
            module.__dict__.pop(name, None)

    def load(self, name: str) -> types.ModuleType:
        """Load one of the modules afresh and return it; its own imports of siblings work."""
        forget_submitted_modules()
        self._loaded = name
        sys.meta_path += [self, self._placeholders]
        spec = self.find_spec(name, None)
        if spec is None:
            raise ModuleNotFoundError(f"no module {name} in this submission")
        module = importlib.util.module_from_spec(spec)
        sys.modules.update({name: module, builtins.__name__: self._builtins})
        try:
            self.exec_module(module)
        finally:
            sys.modules[builtins.__name__] = builtins
        return module

    def forget(self) -> None:
        """Take away what was loaded, and be found no more."""
        for finder in (self, self._placeholders):
            sys.meta_path.remove(finder)
        for name in (*self.lost, *self._placeholders.made):
            sys.modules.pop(name, None)

    def define(self, text: str, name: str, namespace: dict[str, object]) -> None:
        """Run a text as if it stood at the end of one of the modules. namespace: the module's."""
        flags = ANNOTATIONS if namespace.get("annotations") is __future__.annotations else 0
        exec(compile(text, self.modules[name].path, "exec", flags, dont_inherit=True), namespace)

    def blamed(self, module: str, name: str) -> Failure | None:
        """Return what kept a name from being there: what would have defined it, else what mentions it, else what was lost first."""
        lost = self.lost.get(module, [])
        defining = [one for one in reversed(lost) if name in one.defines]
        mentioning = [one for one in lost if name in one.text]
        return next((one.told for one in [*defining, *mentioning, *lost]), None)

    def notes(self, module: str, missing: Iterable[str]) -> list[str]:
        """Return what is to be said of what a module has lost, beside definitions that are missing, of which their steps tell.

        Of what follows from another loss nothing is said, nor of a notebook, whose cells try things out.
        """
        source, absent = self.modules[module], self._missing[module]
        if source.is_notebook:
            return []
        used = [f"{source.path} uses {_listed(absent)}, neither installed here nor handed in."] if absent else []
        lost = [one for one in self.lost[module] if one.defines.isdisjoint(missing) and not one.follows]
        return used + [one.note if source.path in one.note else f"In {source.path}, {one.note}" for one in lost]

    def failed(self, module: str, names: Sequence[str]) -> Failure | None:
        """Return why a module as a whole has failed: something was lost, and none of some names is there."""
        lost = self.lost[module]
        if self.modules[module].is_notebook or not lost or any(name in sys.modules[module].__dict__ for name in names):
            return None
        return lost[0].failure

    def describe(self, error: BaseException) -> Failure:
        """Describe what the submission's code raised; what passes is raised again."""
        if isinstance(error, self._passing):
            raise error
        if isinstance(error, SyntaxError) and error.filename in self.paths:
            return self._describe_syntax_error(error)
        failure, frames = failure_of(error), self._own_frames(error)
        if isinstance(error, Forbidden):
            where = self._place_of(frames[-1]) if frames else "your code"
            callee = _definition_around(frames[-1]) if frames else ""
            called = (
                f" in your `{callee}`, which is called here"
                if frames and callee != _definition_around(frames[0])
                else ""
            )
            message = f"{where} uses torch's own `{error}`{called}. In this step you write that yourself."
            return replace(failure, message=message[:MOST_CHARACTERS])
        if isinstance(error, NotImplementedError) and frames and (frames[-1].line or "").startswith("raise "):
            message = failure.message if error.args else f"{failure.message}: {_definition_around(frames[-1])}"
            failure = replace(
                failure, kind=Verdict.NOT_ATTEMPTED, message=message
            )  # torch itself raises this error too
        if isinstance(error, NameError) and (why := self._why_unknown(error.name)):
            failure = replace(failure, message=f"{failure.message}. {why[0].upper()}{why[1:]}, which may be why.")
        return replace(failure, message=failure.message[:MOST_CHARACTERS], traceback=_written(frames)[:MOST_CHARACTERS])

    def locate(self, error: BaseException) -> Failure:
        """Describe what the submission's code raised by its type, its text and the code's own lines; what passes is raised again.

        For code that is tried in great numbers, whose failures nobody is shown.
        """
        if isinstance(error, self._passing):
            raise error
        stack = traceback.walk_tb(error.__traceback__)
        own = [(frame.f_code, line) for frame, line in stack if frame.f_code.co_filename in self.paths]
        lines = [f"{code.co_filename}, line {line}, in {code.co_name}" for code, line in own[-MOST_FRAMES:]]
        name = type(error).__name__
        message = f"{name}: {text_of(error)}"[:MOST_CHARACTERS]
        return Failure(Verdict.RAISED, message, name, "\n".join(lines)[:MOST_CHARACTERS])

    def _why_unknown(self, name: str | None) -> str:
        """Return what was lost that may have defined a name; nothing if nothing was."""
        told = (one.told.message for one in self.lost.get(self._loaded, ()) if name in one.words)
        return next(told, "") if name else ""

    def _describe_cell(self, cell: str, error: BaseException, failure: Failure) -> str:
        """Say what was raised where: in which cell of a notebook, in which line of a module."""
        said = failure.message.partition("\n")[0].removesuffix(".")  # a sentence goes on after it
        if isinstance(error, SyntaxError) and error.filename in self.paths:
            if not cell:
                return said
            said = f"{failure.error}: {error.msg} (line {error.lineno})"
        if isinstance(error, SystemExit):
            said = f"{failure.error}, which ends the whole program"
        frames = self._own_frames(error)
        place = cell or (self._place_of(frames[0]) if frames else "your code")
        return f"{place} raised {said}"

    def _describe_syntax_error(self, error: SyntaxError) -> Failure:
        line = (error.text or "").rstrip("\n")
        offset = max((error.offset or 1) - 1, 0)
        picture = f"    {line}\n    {' ' * offset}^" if line else ""
        where = f"{error.filename}, line {error.lineno}"
        return Failure(
            Verdict.MISSING, f"{type(error).__name__} in {where}: {error.msg}", type(error).__name__, picture
        )

    def _place_of(self, frame: traceback.FrameSummary) -> str:
        """Return where a frame's line is, such as `line 3 of cell 2`; with the file's name, if that is not the part's own."""
        name, source, block = next(
            (name, source, block)
            for name, source in self.modules.items()
            for block in source.blocks
            if block.path == frame.filename
        )
        file = "" if name == self._loaded else PurePath(source.path).name
        return " of ".join(filter(None, (f"line {frame.lineno}", source.cell(block), file)))

    def _own_frames(self, error: BaseException) -> list[traceback.FrameSummary]:
        return [frame for frame in traceback.extract_tb(error.__traceback__) if frame.filename in self.paths]


def _check(*_: object, **__: object) -> float:
    """Stand in for a notebook's own `check`, which would begin a sitting within this one."""
    return 0.0


def _listed(names: Iterable[str]) -> str:
    return " and ".join(f"`{name}`" for name in sorted(names))


def _lines_of(statement: ast.stmt, block: Block) -> str:
    first = min([statement.lineno, *(one.lineno for one in getattr(statement, "decorator_list", ()))])
    return "\n".join(block.text.split("\n")[first - 1 : statement.end_lineno])


def _definition_around(frame: traceback.FrameSummary) -> str:
    """Return the name of the function or class at the top level in which a frame's line stands."""
    above = reversed(linecache.getlines(frame.filename)[: frame.lineno])
    return next((found[1] for line in above if (found := DEFINITION.match(line))), frame.name)


def _written(frames: list[traceback.FrameSummary]) -> str:
    lines = []
    places = [(frame.filename, frame.lineno) for frame in frames]
    once = [frame for frame, place, before in zip(frames, places, [None, *places], strict=False) if place != before]
    for frame in once[-MOST_FRAMES:]:
        lines.append(f"{frame.filename}, line {frame.lineno}, in {frame.name}")
        if frame.line:
            lines.append(f"    {frame.line}")
    return "\n".join(lines)


def forget_submitted_modules() -> None:
    """Undo what loading an earlier submission in this process has left behind.

    Looking through all of sys.modules would find the names too, but in a forked child it copies a page a module.
    """
    for finder in [finder for finder in sys.meta_path if isinstance(finder, SubmittedModules)]:
        finder.forget()
