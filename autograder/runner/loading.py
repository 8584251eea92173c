"""Load a submission's modules from source, and describe exceptions with lines of the source.

If a statement raises or cannot be parsed, its names stay undefined, and loading continues. A
placeholder replaces a library that is not installed.
"""

import __future__

import ast
import importlib.abc
import importlib.machinery
import importlib.util
import linecache
import re
import sys
import traceback
import types
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import PurePath
from typing import Any, NoReturn

from autograder.course.answer import Failure
from autograder.course.forbidding import Forbidden
from autograder.course.probing import failure_of
from autograder.course.verdicts import Verdict
from autograder.submission.model import Source
from autograder.submission.parsed import DEFINED, Broken, names_of

MOST_FRAMES = 8

MAIN = 'if __name__ == "__main__":'

ANNOTATIONS = __future__.annotations.compiler_flag


class NotInstalled(types.ModuleType):
    """A placeholder for a missing library, such as a library for plots, progress bars or types.

    Attributes, subscripts and calls return the placeholder. But a call with one argument returns the
    argument if this is a function, a class or an iterable, and no tensor or string. Iteration, and
    use as a condition, base class or tensor, raise ModuleNotFoundError.
    """

    def __init__(self, library: str) -> None:
        super().__init__(library)
        self.__path__ = []  # submodules may be imported

    def __getattr__(self, name: str) -> "NotInstalled":
        if name.startswith("__"):  # Python looks up many optional special methods
            raise AttributeError(name)
        return self

    def __call__(self, *arguments: Any, **_: Any) -> Any:
        """Return the only argument, or this placeholder."""
        given = arguments[0] if len(arguments) == 1 else None
        is_own = isinstance(given, types.FunctionType | type | Iterable) and not isinstance(given, str)
        return given if is_own and not hasattr(given, "__torch_function__") else self

    def __getitem__(self, *_: Any) -> "NotInstalled":
        return self

    __or__ = __ror__ = __enter__ = __getitem__

    def __exit__(self, *_: Any) -> None:
        """Let an exception in the block propagate."""

    __setitem__ = __instancecheck__ = __exit__

    def _refuse(self, *_: Any, **__: Any) -> NoReturn:
        raise ModuleNotFoundError(f"No module named '{self.__name__}'", name=self.__name__)

    __bool__ = __iter__ = __mro_entries__ = _refuse
    __torch_function__ = property(lambda self: self._refuse)


@dataclass(frozen=True)
class Lost:
    """A statement that raised, or lines that could not be parsed, in a module.

    defines: the names that the statement would have bound. message: the error with its location.
    """

    defines: frozenset[str]
    failure: Failure
    message: str


class SubmittedModules(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """An import finder and loader of a submission's modules.

    The finder is the last in `sys.meta_path`, so that a student's file never replaces a library.
    modules: the sources by module name. passing: types of exceptions that `describe` raises again.
    lost: the statements that failed, by module name. placeholders: the names of replaced libraries.
    """

    def __init__(self, modules: Mapping[str, Source], passing: tuple[type[BaseException], ...] = ()) -> None:
        self.modules = modules
        self._passing = passing
        self._places = {
            block.path: (name, source.cell(block)) for name, source in modules.items() for block in source.blocks
        }
        self.paths = frozenset(self._places)
        self.placeholders: set[str] = set()
        self.lost: dict[str, list[Lost]] = {}
        self._loaded = ""

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: types.ModuleType | None = None
    ) -> importlib.machinery.ModuleSpec | None:
        """Return the spec of a module of the submission, or of a placeholder; None for other modules.

        A library gets a placeholder if a module or cell imports the library, but not in a `try`.
        """
        if fullname not in self.modules:
            library, _, inner = fullname.partition(".")
            blocks = [block.parsed for source in self.modules.values() for block in source.blocks]
            is_missing = isinstance(sys.modules.get(library), NotInstalled) if inner else True
            if not is_missing or not any(library in one.imported and library not in one.tried for one in blocks):
                return None
            self.placeholders.add(fullname)
            return importlib.machinery.ModuleSpec(fullname, self)
        return importlib.util.spec_from_loader(fullname, self, origin=self.modules[fullname].path)

    def create_module(self, spec: importlib.machinery.ModuleSpec) -> types.ModuleType | None:
        """Return a placeholder; None for a module of the submission."""
        return NotInstalled(spec.name.partition(".")[0]) if spec.name in self.placeholders else None

    def exec_module(self, module: types.ModuleType) -> None:
        """Run each statement of a module, also after a statement that raises or cannot be parsed.

        Raises exceptions whose types are in `passing`. Outside of notebooks, also raises errors of
        exhausted memory, and any that is no Exception or SystemExit, such as KeyboardInterrupt.
        """
        if isinstance(module, NotInstalled):
            return
        source = self.modules[module.__name__]
        module.__file__ = source.path
        self.lost[module.__name__] = []
        if source.is_notebook:  # as in Jupyter, but a real `check` would begin a run
            module.__dict__.update(display=print, check=lambda *_, **__: 0.0)
        flags = 0
        for block in source.blocks:
            linecache.cache[block.path] = (len(block.text), None, block.text.splitlines(True), block.path)
        for block, piece in [(one, piece) for one in source.blocks for piece in one.parsed.pieces]:
            if isinstance(piece, Broken):
                self._lose(module, source.cell(block), DEFINED.findall(piece.text), piece.error)
                continue
            try:
                code = compile(ast.Module([piece], []), block.path, "exec", flags, dont_inherit=True)
                flags |= code.co_flags & ANNOTATIONS  # a future import affects later statements
                exec(code, module.__dict__)
            except BaseException as error:
                if not (source.is_notebook or isinstance(error, Exception | SystemExit)):
                    raise  # in a module, this exception ends the program
                is_import = isinstance(piece, ast.Import | ast.ImportFrom)
                lost = names_of(piece) - (module.__dict__.keys() if is_import else set())
                self._lose(module, source.cell(block), lost, error)

    def _lose(self, module: types.ModuleType, cell: str, defines: Iterable[str], error: BaseException) -> None:
        """Record a failed statement, and unbind its names. Raises the error if memory is exhausted.

        cell: the name of the notebook cell; empty outside of notebooks.
        """
        lost, failure = self.lost[module.__name__], self.describe(error)
        frames = self._own_frames(traceback.walk_tb(error.__traceback__))
        if failure.kind == Verdict.OUT_OF_MEMORY and not cell:
            raise error  # the next statement would probably exhaust memory too
        message = failure.message.partition("\n")[0].removesuffix(".")  # callers append to the message
        if failure.kind != Verdict.MISSING:
            place = cell or (self._place_of(frames[0]) if frames else "your code")
            message = f"{place} raised {message}"
        lost.append(Lost(frozenset(defines), failure, message))
        for name in lost[-1].defines:
            module.__dict__.pop(name, None)

    def load(self, name: str) -> types.ModuleType:
        """Remove all submitted modules loaded earlier, then load a module of this submission."""
        forget_submitted_modules()
        self._loaded = name
        sys.meta_path.append(self)
        spec = self.find_spec(name, None)
        if spec is None:
            raise ModuleNotFoundError(f"no module {name} in this submission")
        module = importlib.util.module_from_spec(spec)
        sys.modules[name] = module
        self.exec_module(module)
        return module

    def define(self, text: str, name: str, namespace: dict[str, object]) -> None:
        """Run source text in a module's namespace, like further lines of the module's source."""
        flags = ANNOTATIONS if namespace.get("annotations") is __future__.annotations else 0
        exec(compile(text, self.modules[name].path, "exec", flags, dont_inherit=True), namespace)

    def blamed(self, module: str, name: str) -> Lost | None:
        """Return the last failed statement that would bind a name; else the first, or None."""
        lost = self.lost[module]
        return next(iter([*(one for one in reversed(lost) if name in one.defines), *lost]), None)

    def notes(self, module: str, missing: Iterable[str]) -> list[str]:
        """Return messages about libraries that are not installed and statements that failed.

        missing: the names of undefined steps. Statements that would have defined these are left out,
        because the steps' own failures report such statements. Notebooks have no messages.
        """
        source = self.modules[module]
        if source.is_notebook:
            return []
        absent = " and ".join(f"`{name}`" for name in sorted(source.imported & self.placeholders))
        used = [f"{source.path} uses {absent}, neither installed here nor handed in."] if absent else []
        for one in self.lost[module]:
            if one.defines.isdisjoint(missing):
                picture = one.failure.traceback if one.failure.kind == Verdict.MISSING else ""
                place = "" if source.path in f"{one.message}{picture}" else f"In {source.path}, "
                advice = "" if one.defines or picture else f" Move this under `{MAIN}`, or take it out."
                used.append(f"{place}{one.message}.\nWhat else the file defines is marked.{advice}\n{picture}".rstrip())
        return used

    def failed(self, module: str, names: Sequence[str]) -> Failure | None:
        """Return the first failure if a module lacks all `names`, else None. A notebook never fails."""
        lost = self.lost[module]
        if self.modules[module].is_notebook or not lost or any(name in sys.modules[module].__dict__ for name in names):
            return None
        return lost[0].failure

    def describe(self, error: BaseException) -> Failure:
        """Describe an exception of the submission's code. Raises exceptions of a type in `passing`."""
        if isinstance(error, self._passing):
            raise error
        if isinstance(error, SyntaxError) and error.filename in self.paths:
            name, line = type(error).__name__, (error.text or "").rstrip("\n")
            indent = re.sub(r"[^\t]", " ", line[: max((error.offset or 1) - 1, 0)])
            picture = f"    {line}\n    {indent}^" if line else ""
            message = f"{name} in {error.filename}, line {error.lineno}: {error.msg}"
            return Failure(Verdict.MISSING, message, name, picture)
        failure, frames = failure_of(error), self._own_frames(traceback.walk_tb(error.__traceback__))
        if isinstance(error, Forbidden):
            where = self._place_of(frames[-1]) if frames else "your code"
            return replace(
                failure, message=f"{where} uses torch's own `{error}`. In this step you write that yourself."
            )
        if isinstance(error, NotImplementedError) and frames and (frames[-1].line or "").startswith("raise "):
            stub = list(traceback.walk_tb(error.__traceback__))[-1][0].f_code.co_qualname.partition(".")[0]
            message = failure.message if error.args else f"{failure.message}: {stub}"
            failure = replace(failure, kind=Verdict.NOT_ATTEMPTED, message=message)  # torch raises this error too
        if isinstance(error, NameError):
            why = next((one.message for one in self.lost.get(self._loaded, ()) if error.name in one.defines), "")
            said = f"{failure.message}. {why[0].upper()}{why[1:]}, which may be why." if why else failure.message
            failure = replace(failure, message=said)
        return replace(failure, traceback=_written(frames))

    def _place_of(self, frame: traceback.FrameSummary) -> str:
        name, cell = self._places[frame.filename]
        file = "" if name == self._loaded else PurePath(self.modules[name].path).name
        return " of ".join(filter(None, (f"line {frame.lineno}", cell, file)))

    def traceback_of(self, frame: types.FrameType | None) -> str:
        """Return the traceback of a frame, without frames outside the submission's code."""
        return _written(self._own_frames(reversed([*traceback.walk_stack(frame)])))

    def _own_frames(self, stack: Iterable[tuple[types.FrameType, int]]) -> list[traceback.FrameSummary]:
        return traceback.StackSummary.extract(one for one in stack if one[0].f_code.co_filename in self.paths)


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
    """Remove the import finders and modules of submissions loaded earlier in this process.

    A search of all `sys.modules` would copy memory that a forked child shares with the server.
    """
    for finder in [finder for finder in sys.meta_path if isinstance(finder, SubmittedModules)]:
        sys.meta_path.remove(finder)
        for name in (*finder.lost, *finder.placeholders):
            sys.modules.pop(name, None)
