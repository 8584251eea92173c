"""What the text of a submission mentions that no step needs: ways out of the process, into files, or into the grader.

Read as syntax, never by running: a name, what it was imported as, `getattr` and `__import__` with a constant; and where a module is handed
on, or asked for a name that is put together. What is written another way is not found, and meets the sandbox as everything else does: a
person should look, and nobody loses points by it.
"""

import ast
import functools
import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from autograder.submission.chunks import pieces_of
from autograder.submission.flags import Look, Urgency
from autograder.submission.model import Block, Source, as_python_reads, parsing_at_most

MOST_NAMED = 5
"""Mentions that are named of a file."""

LONGEST = 60
"""Characters of a name that is shown, and of the end of a path."""

BUILT_IN = ("SystemExit", "__builtins__", "__import__", "eval", "exec", "exit", "globals", "locals", "open", "quit")
MODULES = (
    "_thread autograder concurrent course ctypes gc marshal mmap multiprocessing pickle solutions subprocess threading",
)
"""Of which nothing is needed. In a thread that begins while code is loaded, or by `_thread`, nobody sees that a step uses what it forbids."""

OF_MODULES = (
    "builtins.*",
    "inspect.currentframe inspect.getinnerframes inspect.getouterframes inspect.stack inspect.trace",
    "io.open io.FileIO",
    "os._exit os.abort os.exec* os.fork* os.kill* os.listdir os.open os.popen os.posix_spawn* os.scandir os.spawn* os.system os.walk",
    "sys._* sys.exit sys.meta_path sys.modules sys.setprofile sys.settrace",
    "cProfile.run* code.Interactive* logging.handlers pdb.run* profile.run* runpy.run* timeit.repeat timeit.Timer",
)
TORCH = (
    "amp ao autocast* export futures fx hub jit.fork library load nested onnx ops overrides package set_autocast*",
    "multiprocessing utils.benchmark utils.cpp_extension",
)
"""Of torch, besides all that is private there."""

ATTRIBUTES = (
    "__builtins__ __globals__ __self__ __subclasses__ __wrapped__ _init_fn _op_dk f_back f_globals f_locals gi_frame tb_frame",
    "concurrent ctypes gc multiprocessing os subprocess sys threading timeit",
    "DispatchKey* Thread ThreadPoolExecutor redispatch",
    "iterdir open read_bytes read_text write_bytes write_text",
)
"""Of whatever: of a frame, of a module that has imported another, of an operation, or of a path."""

BY_NAME = ("getattr", "vars")
"""What gives of a module whatever a text names."""

COMPARISONS = "__eq__ __ne__ abs all allclose any array_equal assert_allclose assert_array_equal assert_close assert_equal close eq equal isclose ne"
"""What a comparison is made with, where it is given another meaning."""


def _pattern(*names: str) -> str:
    """Return the pattern of some names, of which a star is the end of any."""
    each = (name for several in names for name in several.split())
    return "|".join(re.escape(name).replace(r"\*", r"\w*") for name in each)


MENTION = re.compile(
    rf"({_pattern(*BUILT_IN, *MODULES, *OF_MODULES)}|torch\.(?:{_pattern(*TORCH)}|(?:\w+\.)*?_[^\W_]\w*))(?:\..*)?"
    rf"|.*\.({_pattern(*ATTRIBUTES)})(?:\..*)?"
)
"""A name with its module before it, such as `os._exit`; what is told of it."""

COMPARISON = re.compile(rf".*\.(?:{_pattern(COMPARISONS)})")

GRADER = re.compile(r"(autograder)(?:\.\w+)*|(solutions)(?:\.\w+)+")
"""A module of the grader's or of the solutions, in an import or as a text."""

PROGRAM = re.compile(r".*?(?:\b(?:import|from) +(autograder)\b|\b(autograder)\.\w).*", re.DOTALL)
"""A text that would import a module of the grader's if somebody ran it."""

HINT = re.compile(
    rf"\b(?=\w)(?:(?<!\.)(?:{_pattern(*BUILT_IN)})\b(?! mode)|_[^\W_]\w*+(?!\s*[(=])|(?:autograder|setattr|__eq__|__ne__"
    r"|getattr|vars|__dict__|import_module|attrgetter|methodcaller)\b"
    rf"|(?:(?<!\w )|(?<=import )|(?<=from ))(?:{_pattern(*MODULES, *ATTRIBUTES)}"
    rf"|{_pattern(*(name.rpartition('.')[2] for several in TORCH for name in several.split()))}"
    r"|builtins|cProfile|code|handlers|inspect|io|os|pdb|profile|runpy|sys)\b)"
    rf"|\.[\s\\]*_[^\W_]|(?<=\.)(?:{_pattern(COMPARISONS)})\s*[=,]"
)
"""What stands in every text that mentions anything: no other is parsed, which takes a hundred times as long.

Docstrings speak of "eval mode" and of "this course": the name of a module stands after a word only in an import. What is called or assigned
by a private name is the text's own, unless it is asked of something.
"""

OTHERWISE = re.compile(r"__name__(?! *==)")
"""What stands in every text that gives `__name__` another meaning, and in hardly any other."""

MOST_ATTRIBUTES = 8
"""Of one name, which are followed."""

MOST_PARSED = 10_000_000
"""Characters that are parsed for it of one submission: twenty times all that one may have."""


def mentions_in(modules: Mapping[str, Source], parts: Collection[str]) -> list[Look]:
    """Return what each module mentions. parts: the names of those of the course; other modules are helpers."""
    with parsing_at_most(MOST_PARSED) as allowance:
        found = list(_looks(modules, parts))
    if allowance.spent:
        found.append(Look(Urgency.CHECK, "There is more code than is ever read: what all of it mentions is not known."))
    return found


def _looks(modules: Mapping[str, Source], parts: Collection[str]) -> Iterator[Look]:
    runs_main = any(map(_renames, modules.values()))
    for name, source in modules.items():
        if not HINT.search(as_python_reads(source.text)):
            continue
        named = [f"`{mention}` ({place})" for mention, place in _mentions(source, parts, runs_main).items()]
        if named:
            more = f" and {len(named) - MOST_NAMED} more" if len(named) > MOST_NAMED else ""
            path = source.path if len(source.path) <= LONGEST else f"…{source.path[-LONGEST:]}"
            said = f"{path} mentions {', '.join(named[:MOST_NAMED])}{more}"
            yield Look(Urgency.CHECK, said, name if name in parts else "")


def _renames(source: Source) -> bool:
    """Return whether a module may give `__name__` another meaning, its own or another's: it stands there otherwise than to be read."""
    if not OTHERWISE.search(as_python_reads(source.text)):
        return False
    nodes = (node for block in source.blocks for node in _nodes(block))
    return any(
        "__name__" in vars(node).values() and not isinstance(getattr(node, "ctx", None), ast.Load) for node in nodes
    )


def _mentions(source: Source, parts: Collection[str], runs_main: bool) -> dict[str, str]:
    """Return what a module mentions, and where it does first. runs_main: whether what is for a program of its own may run."""
    blocks = [(block, list(_nodes(block, runs_main))) for block in source.blocks]
    names = _names_in((node for _, nodes in blocks for node in nodes), parts)
    found: dict[str, str] = {}
    within: set[ast.AST] = set()
    for block, nodes in blocks:
        for node in nodes:
            mentioned = [] if node in within else list(names.mentioned_by(node))
            match node:
                case ast.Attribute(value=value) if mentioned or node in within or isinstance(value, ast.Name):
                    within.add(value)  # of `gc.get_objects`, not `gc` too
                case ast.Call(func=ast.Name(id=name), args=[value, *_]) if name in BY_NAME:
                    within.add(value)
            for mention in mentioned:
                found.setdefault(mention[:LONGEST], source.cell(block) or f"line {getattr(node, 'lineno', 1)}")
    return found


def _nodes(block: Block, with_main: bool = False) -> Iterator[ast.AST]:
    """Yield what a block consists of in the order in which it is written. with_main: also what runs only as a program of its own."""
    statements = [statement for piece in pieces_of(block.text, block.path) for statement in piece.statements]
    waiting: list[ast.AST] = [*reversed(statements)]
    while waiting:
        node = waiting.pop()
        yield node
        below: Iterable[ast.AST] = (
            node.orelse
            if isinstance(node, ast.If) and _is_main(node.test) and not with_main
            else ast.iter_child_nodes(node)
        )
        waiting += list(below)[::-1]


def _is_main(test: ast.expr) -> bool:
    """Return whether a condition is `__name__ == "__main__"`."""
    match test:
        case (
            ast.Compare(left=ast.Name(id="__name__"), ops=[ast.Eq()], comparators=[ast.Constant(value="__main__")])
            | ast.Compare(left=ast.Constant(value="__main__"), ops=[ast.Eq()], comparators=[ast.Name(id="__name__")])
        ):
            return True
    return False


@dataclass(frozen=True)
class _Names:
    """What the names of a module mean.

    imported: with the module before them. modules: those of them that are a module as a whole. own: names to which it gives another
    meaning.
    """

    imported: Mapping[str, str]
    modules: Collection[str]
    own: Collection[str]

    def mentioned_by(self, node: ast.AST) -> Iterator[str]:
        """Yield what is to be mentioned of a node alone, as it is called in full."""
        match node:
            case ast.Import(names=aliases):
                yield from (name for alias in aliases for name in _told(GRADER, alias.name))
            case ast.ImportFrom(module=str(module), names=aliases):
                yield from (name for alias in aliases for name in _told(MENTION, _imported_from(module, alias)))
            case ast.Constant(value=str(text)):
                yield from _told(GRADER, text) or _told(PROGRAM, text)
            case ast.FunctionDef(name="__eq__" | "__ne__" as name):
                yield name
            case ast.Attribute(ctx=ast.Store()):
                replaced = self.full_name(node)
                yield from [f"{replaced} ="] if self._replaces(replaced) else ()
            case ast.Call(func=ast.Name(id="setattr"), args=[module, ast.Constant(value=str(name)), *_]):
                replaced = f"{self.full_name(module)}.{name}"
                yield from [f"{replaced} ="] if self._replaces(replaced) else ()
            case ast.Call(func=ast.Name(id=function), args=[value, *name]) if (
                function in BY_NAME and not _is_text(name[:1]) and self._is_of_module(value)
            ):
                yield f"{function}({self.full_name(value)})"
            case ast.Call(func=function, args=[ast.expr() as name, *_]) if self._imports(function) and not _is_text(
                [name]
            ):
                yield self.full_name(function)
            case ast.Attribute(value=value, attr="__dict__") if self._is_of_module(value):
                yield self.full_name(node)
            case ast.Name(id=name) if name in self.modules and name not in self.own:
                yield self.imported[name]
            case ast.Name(ctx=ast.Load()) | ast.Attribute() | ast.Call():
                yield from _told(MENTION, self.full_name(node))

    def full_name(self, node: ast.expr) -> str:
        """Return the name of an expression with its module before it; of one that is no name, nothing."""
        attributes: list[str] = []
        for _ in range(MOST_ATTRIBUTES):
            match node:
                case ast.Attribute(value=value, attr=name):
                    node = value
                    attributes.append(name)
                case ast.Call(func=ast.Name(id="getattr"), args=[value, ast.Constant(value=str(name)), *_]):
                    node = value
                    attributes.append(name)
                case _:
                    break
        return ".".join([self._origin(node), *attributes[::-1]])

    def _origin(self, node: ast.expr) -> str:
        match node:
            case ast.Name(id=name) if name in self.own:
                return ""
            case ast.Name(id=name):
                return self.imported.get(name, name)
            case ast.Call(func=function, args=[ast.Constant(value=str(name)), *_]) if self._imports(function):
                return name
        return ""

    def _imports(self, function: ast.expr) -> bool:
        return self.full_name(function) in ("__import__", "importlib.import_module")

    def _is_of_module(self, node: ast.expr) -> bool:
        """Return whether an expression is a module of others, or something of it."""
        return self.full_name(node).partition(".")[0] in self._roots

    def _replaces(self, name: str) -> bool:
        """Return whether giving this a meaning changes what a module of others compares with."""
        return name.partition(".")[0] in self._roots and bool(COMPARISON.fullmatch(name))

    @functools.cached_property
    def _roots(self) -> set[str]:
        return {name.partition(".")[0] for name in self.imported.values()}


def _is_text(nodes: Sequence[ast.expr]) -> bool:
    """Return whether a node, if there is one, is a text that stands there as it is."""
    return any(isinstance(node, ast.Constant) for node in nodes)


def _told(pattern: re.Pattern[str], name: str) -> list[str]:
    """Return what is told of a name: nothing if it is of no interest."""
    found = pattern.fullmatch(name)
    return [found[found.lastindex or 0]] if found else []


def _names_in(nodes: Iterable[ast.AST], parts: Collection[str]) -> _Names:
    """Return what the names of a module mean. parts: what comes from them is the student's own."""
    imported: dict[str, str] = {}
    modules: set[str] = set()
    own: set[str] = set()
    for node in nodes:
        match node:
            case ast.Import(names=aliases):
                whole = {one.asname or one.name.partition(".")[0]: _imported_as(one) for one in aliases}
                imported |= whole
                modules |= whole.keys()
            case ast.ImportFrom(module=str(module), names=aliases):
                imported |= {one.asname or one.name: _imported_from(module, one) for one in aliases}
            case ast.Name(id=name, ctx=ast.Store()) | ast.arg(arg=name):
                own.add(name)
            case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
                own.add(name)
    others = {name: full for name, full in imported.items() if full.partition(".")[0] not in parts}
    return _Names(others, modules & others.keys(), own | (imported.keys() - others.keys()))


def _imported_as(alias: ast.alias) -> str:
    return alias.name[:LONGEST] if alias.asname else alias.name.partition(".")[0]


def _imported_from(module: str, alias: ast.alias) -> str:
    """Return a name with its module before it, neither longer than any of interest: a module may have thousands of each."""
    return f"{module[:LONGEST]}.{alias.name[:LONGEST]}"
