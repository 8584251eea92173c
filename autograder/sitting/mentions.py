"""What the steps of a submission mention by name, found in the syntax tree, without running anything.

It shows which of torch's own functions a step uses where the exercise forbids them, and which other steps it calls.
"""

import ast
import functools
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from autograder.course.answer import Failure
from autograder.exam.syllabus import SyllabusStep
from autograder.sitting.submission import Source, TooDeep, parse

LONGEST_CHAIN = 20
"""Attributes of attributes that are looked through; what has more is taken for torch's."""

WITHOUT_NODES = frozenset(
    [
        "arg",
        "attr",
        "conversion",
        "ctx",
        "id",
        "is_async",
        "kind",
        "level",
        "module",
        "name",
        "op",
        "ops",
        "simple",
        "type_comment",
    ]
)
"""Fields of syntax trees that hold texts, numbers or signs."""

Place = tuple[str, str]
"""A name in a module: (module, name)."""


@dataclass(frozen=True)
class Use:
    """A name that may be torch's own, and where it is used. cell: of a notebook, empty for a module."""

    name: str
    module: str
    line: int
    cell: str = ""


@dataclass(frozen=True)
class _Meaning:
    """What gives a name a meaning, and the cell it stands in."""

    node: ast.AST
    cell: str


@dataclass
class _Module:
    """What the names of one module mean.

    classes: its own. own: what each name is given a meaning by at the top level. methods: all functions of its classes. objects: names that hold
    an object of one of its classes. torch: what names stand for that are imported from torch at the top level, and in_torch: inside
    functions, where they hide what the top level has. torch_star: whether everything is imported from a module of torch's.
    siblings: names imported from other modules, with where they come from; an empty name is the module itself. stars: modules
    of which everything is imported. too_deep: the path of a text of it that could not be parsed for its depth.
    """

    own: dict[str, list[_Meaning]] = field(default_factory=dict)
    classes: set[str] = field(default_factory=set)
    methods: set[str] = field(default_factory=set)
    objects: set[str] = field(default_factory=set)
    torch: dict[str, str] = field(default_factory=dict)
    in_torch: dict[str, str] = field(default_factory=dict)
    torch_star: bool = False
    siblings: dict[str, Place] = field(default_factory=dict)
    stars: list[str] = field(default_factory=list)
    too_deep: str = ""


@dataclass
class _Mentioned:
    """What one name mentions: names of the submission, and names that may be torch's."""

    own: list[Place] = field(default_factory=list)
    torch: list[Use] = field(default_factory=list)


class Mentions:
    """What the functions, classes and other names of a submission's modules mention.

    Whatever a text is like, it is searched in a time that grows with its length alone: hostile ones are, too.
    """

    def __init__(self, modules: Mapping[str, Source]) -> None:
        self._modules = modules
        self._read: dict[str, _Module] = {}
        self._found: dict[_Meaning, _Mentioned] = {}

    def written_twice(self, step: SyllabusStep) -> str:
        """Return where a step is defined, if it is in several places; the last one counts. Empty otherwise."""
        meanings = self._module(step.part).own.get(step.name, ())
        nodes = ((one.node, one.cell) for one in meanings)
        defined = dict.fromkeys(  # a cell that was run twice is one place
            (node.lineno, cell) for node, cell in nodes if isinstance(node, ast.FunctionDef | ast.ClassDef)
        )
        if len(defined) < 2:
            return ""
        if not any(cell for _, cell in defined):
            lines = [str(line) for line, _ in defined]
            return f"lines {', '.join(lines[:-1])} and {lines[-1]}"
        places = [_in_cell(line, cell) for line, cell in defined]
        return f"{', '.join(places[:-1])} and {places[-1]}"

    def refuse(self, step: SyllabusStep) -> Failure | None:
        """Return why a step is forbidden, or None."""
        if deep := self._too_deep_for(step):
            told = f"{deep} is nested too deeply to be searched for what this step must not use. Write shorter expressions."
            return Failure("forbidden", told)
        found = self.forbidden_in(step.part, step.name, step.forbids)
        if not found:
            return None
        where = _in_cell(found.line, found.cell)
        if found.module != step.part:
            where += f" of {found.module}.{'ipynb' if found.cell else 'py'}"
        return Failure("forbidden", f"{where} uses torch's own `{found.name}`. In this step you write that yourself.")

    def forbidden_in(self, part: str, step: str, forbidden: tuple[str, ...]) -> Use | None:
        """Return the first use of a forbidden torch name by a step, or by what it calls; None where there is none."""
        for _, mentioned in self._reached(part, step):
            for use in mentioned.torch:
                if _is_forbidden(use.name, forbidden):
                    return use
        return None

    def _too_deep_for(self, step: SyllabusStep) -> str:
        """Return the path of a text that a step reaches and that cannot be searched, though it may run; empty for none."""
        own = (place[0] for _, mentioned in self._reached(step.part, step.name) for place in mentioned.own)
        return next(
            (path for name in {step.part: None, **dict.fromkeys(own)} if (path := self._module(name).too_deep)), ""
        )

    def called_by(self, part: str, step: str) -> list[Place]:
        """Return the names of the submission that a step mentions, directly or through others; itself not."""
        called = dict.fromkeys(place for _, mentioned in self._reached(part, step) for place in mentioned.own)
        return [place for place in called if place != (part, step)]

    def _reached(self, part: str, step: str) -> Iterator[tuple[Place, _Mentioned]]:
        """Yield a name and all that it reaches, with what each of its meanings mentions; a meaning of several names once."""
        waiting, seen = [(part, step)], {(part, step)}
        searched: set[_Meaning] = set()
        while waiting:
            place = waiting.pop()
            for meaning in self._module(place[0]).own.get(place[1], ()):
                if meaning in searched:
                    continue
                searched.add(meaning)
                mentioned = self._of(place[0], meaning)
                yield place, mentioned
                fresh = [one for one in dict.fromkeys(mentioned.own) if one not in seen]
                seen.update(fresh)
                waiting += fresh

    def _module(self, name: str) -> _Module:
        if name not in self._read:
            self._read[name] = _read(self._modules.get(name, Source(name, ())), self._modules)
        return self._read[name]

    def _of(self, name: str, meaning: _Meaning) -> _Mentioned:
        """Return what a meaning mentions. name: the module's."""
        if meaning not in self._found:
            module, mentioned = self._module(name), _Mentioned()
            for node in _walk(meaning.node):
                mentioned.own += self._own_names(node, name, module)
                torch = self._torch_names(node, module)
                mentioned.torch += [Use(one, name, line, meaning.cell) for one, line in torch]
            self._found[meaning] = mentioned
        return self._found[meaning]

    def _own_names(self, node: ast.AST, name: str, module: _Module) -> Iterator[Place]:
        """Yield what a node mentions of the submission itself. name: the module's."""
        match node:
            case ast.Name(id=mentioned) if mentioned in module.own:
                yield name, mentioned
            case ast.Name(id=mentioned) if mentioned in module.siblings:
                if module.siblings[mentioned][1]:
                    yield module.siblings[mentioned]
            case ast.Name(id=mentioned) if module.stars:
                yield from ((star, mentioned) for star in module.stars if self._may_have(star, mentioned))
            case ast.Attribute(ast.Name(owner), mentioned) if owner in module.siblings:
                yield module.siblings[owner][0], mentioned

    def _may_have(self, name: str, mentioned: str) -> bool:
        module = self._module(name)
        return mentioned in module.own or bool(module.too_deep)

    def _is_own(self, node: ast.Attribute, module: _Module) -> bool:
        """Tell whether an attribute is the submission's own: of `self`, of one of its classes or of another of its modules."""
        root: ast.expr = node.value
        for _ in range(LONGEST_CHAIN):
            if isinstance(root, ast.Attribute):
                root = root.value
        match root:
            case ast.Call(ast.Name("super")):
                return node.attr in module.methods
            case ast.Call(ast.Name(made)) if made in module.classes:
                return node.attr in module.methods
        if not isinstance(root, ast.Name):
            return False
        if root.id == "self":
            return node.value is root or node.attr in module.methods
        if root.id in module.objects:
            return node.attr in module.methods
        origin, name = module.siblings.get(root.id, ("", root.id))
        if origin:
            module = self._module(origin)
        if not name:
            return node.value is root and node.attr in module.own
        return name in module.classes and node.attr in module.methods

    def _torch_names(self, node: ast.AST, module: _Module) -> Iterator[tuple[str, int]]:
        """Yield what a node mentions that may be torch's, with its line."""
        match node:
            case ast.Attribute(attr=mentioned) if not self._is_own(node, module):
                yield mentioned, node.lineno
            case ast.Name(id=mentioned) if mentioned in module.in_torch:
                yield module.in_torch[mentioned], node.lineno
            case ast.Name(id=mentioned) if mentioned in module.torch and mentioned not in module.own:
                yield module.torch[mentioned], node.lineno
            case ast.Name(id=mentioned) if module.torch_star and mentioned not in module.own:
                if mentioned not in module.siblings:
                    yield mentioned, node.lineno
            case ast.Call() | ast.Subscript():
                yield from ((mentioned, node.lineno) for mentioned in _named_by_text(node))


def _walk(top: ast.AST) -> Iterator[ast.AST]:
    """Yield what may mention a name, but for the arguments and variables of functions: these mean nothing outside."""
    waiting: list[tuple[ast.AST, set[str] | None]] = [(top, None)]
    while waiting:
        node, local = waiting.pop()
        if local is None and isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
            local = _variables(node)  # those of functions within it, too
        if isinstance(node, ast.Attribute | ast.Call | ast.Subscript) or (
            isinstance(node, ast.Name) and node.id not in (local or ())
        ):
            yield node
        waiting += [(child, local) for child in _children(node)]


@functools.cache
def _fields_with_nodes(kind: Any) -> tuple[str, ...]:
    return tuple(name for name in kind._fields if name not in WITHOUT_NODES)


def _children(node: ast.AST) -> list[ast.AST]:
    """Return the nodes within a node that may mention a name; `ast.iter_child_nodes` takes several times as long."""
    found: list[ast.AST] = []
    kind: Any = type(node)
    for name in _fields_with_nodes(kind):
        value = getattr(node, name)
        if isinstance(value, list):
            found += [one for one in value if isinstance(one, ast.AST)]
        elif isinstance(value, ast.AST):
            found.append(value)
    return found


def _all_within(top: ast.AST) -> Iterator[ast.AST]:
    waiting = [top]
    while waiting:
        node = waiting.pop()
        yield node
        waiting += _children(node)


def _variables(function: ast.AST) -> set[str]:
    """Return the names that a function, or one within it, gives a meaning of its own."""
    found, outside = set(), set()
    for node in _all_within(function):
        if isinstance(node, ast.arg):
            found.add(node.arg)
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            found.add(node.id)
        elif isinstance(node, ast.Global):
            outside |= set(node.names)
    return found - outside


def _named_by_text(node: ast.Call | ast.Subscript) -> Iterator[str]:
    """Yield the attribute that a call or a look-up names by a constant text."""
    match node:
        case ast.Call(ast.Name("getattr"), [_, ast.expr() as named, *_]):
            yield _text(named)
        case ast.Call(ast.Name("attrgetter") | ast.Attribute(attr="attrgetter"), [ast.expr() as named, *_]):
            yield _text(named).rpartition(".")[2]
        case ast.Subscript(ast.Attribute(attr="__dict__") | ast.Call(ast.Name("vars")), ast.expr() as named):
            yield _text(named)


def _text(node: ast.expr) -> str:
    """Return the text of a constant, or of constants put together; empty for anything else."""
    waiting, texts = [node], [""]
    while waiting:  # no recursion: a sum of thousands can be parsed
        match waiting.pop():
            case ast.Constant(str(text)):
                texts.append(text)
            case ast.BinOp(left, ast.Add(), right):
                waiting += [right, left]
            case ast.JoinedStr(parts):
                waiting += reversed(parts)
            case ast.FormattedValue(value):
                waiting.append(value)
    return "".join(texts)


def _in_cell(line: int, cell: str) -> str:
    return f"line {line} of {cell}" if cell else f"line {line}"


def _is_forbidden(name: str, forbidden: tuple[str, ...]) -> bool:
    plain = name.strip("_")
    return any(plain == one or plain.startswith(f"{one}_") for one in forbidden)


def _read(source: Source, modules: Mapping[str, Source]) -> _Module:
    module = _Module()
    trees: list[ast.Module] = []
    for block in source.blocks:
        try:
            tree = parse(block.text)
        except TooDeep:
            module.too_deep = block.path
            continue
        if tree is None:
            continue  # loading it will say why
        trees.append(tree)
        for name, node in _meanings(tree.body):
            module.own.setdefault(name, []).append(_Meaning(node, source.cell(block)))
            if isinstance(node, ast.ClassDef):
                module.classes.add(name)
    for tree in trees:
        _read_names(module, tree, modules)
    return module


def _read_names(module: _Module, tree: ast.Module, modules: Mapping[str, Source]) -> None:
    """Find what the names of one block stand for, where they are imported or hold an object."""
    top = set(tree.body)
    for node in _all_within(tree):
        match node:
            case ast.ClassDef(body=body):
                module.methods |= {inner.name for inner in body if isinstance(inner, ast.FunctionDef)}
            case ast.Assign(targets=[ast.Name(name)], value=ast.Call(ast.Name(made))) if made in module.classes:
                module.objects.add(name)
            case ast.Import(names=aliases):
                for alias in aliases:
                    if alias.name in modules:
                        module.siblings[alias.asname or alias.name] = (alias.name, "")
            case ast.ImportFrom(module=str(origin), names=aliases):
                _import_from(module, node in top, origin, aliases, modules)


def _import_from(
    module: _Module, at_top: bool, origin: str, aliases: list[ast.alias], modules: Mapping[str, Source]
) -> None:
    for alias in aliases:
        if origin.partition(".")[0] == "torch" and alias.name == "*":
            module.torch_star = True
        elif origin.partition(".")[0] == "torch":
            (module.torch if at_top else module.in_torch)[alias.asname or alias.name] = alias.name
        elif origin in modules and alias.name == "*":
            if origin not in module.stars:
                module.stars.append(origin)
        elif origin in modules:
            module.siblings[alias.asname or alias.name] = (origin, alias.name)


def _meanings(body: list[ast.stmt]) -> Iterator[tuple[str, ast.AST]]:
    """Yield each name that is given a meaning outside of functions and classes, and that meaning."""
    waiting: list[ast.AST] = [*reversed(body)]
    while waiting:  # no recursion: a thousand `elif` can be parsed
        match node := waiting.pop():
            case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
                yield name, node
            case ast.Assign(targets=targets, value=value):
                for target in targets:
                    yield from ((one.id, value) for one in ast.walk(target) if isinstance(one, ast.Name))
            case ast.AnnAssign(target=ast.Name(id=name), value=ast.expr() as value):
                yield name, value
            case _:
                inner = (getattr(node, block, []) for block in ("body", "orelse", "finalbody", "handlers"))
                waiting += [one for block in inner for one in block][::-1]
