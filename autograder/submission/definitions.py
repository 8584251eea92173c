"""What the text of a submission shows without running it: what a step calls, and what is defined more than once."""

import ast
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from autograder.submission.model import Source, parse, statements_in

Name = tuple[str, str]
"""A name at the top level of a module: (module, name)."""

MOST_CALLED = 500
"""So many names are followed at most that a step mentions through others."""


@dataclass(frozen=True)
class _Definition:
    """A statement at the top level that defines a name. It is kept as text: the trees of all modules take a hundred times as much.

    place: as it is told. file, first, last: where its lines are, without its decorators. runs: whether it is a function or a class.
    mentioned: what it mentions of its module by name, with the attribute that is asked of it, if any.
    """

    name: str
    place: str
    file: str
    first: int
    last: int
    runs: bool
    text: str
    mentioned: frozenset[tuple[str, str]]

    @property
    def tree(self) -> ast.stmt:
        """The statement, parsed again."""
        try:
            return next(iter(parse(self.text).body), ast.Pass())
        except SyntaxError:  # more is to be parsed than ever is
            return ast.Pass()


@dataclass
class _Module:
    """What the names of one module mean.

    defined: the statements at the top level that define each. imported: where a name comes from; an empty
    name is the module itself. stars: modules of which everything is imported.
    """

    defined: dict[str, list[_Definition]] = field(default_factory=dict)
    imported: dict[str, Name] = field(default_factory=dict)
    stars: set[str] = field(default_factory=set)


class Definitions:
    """The functions, classes and other names that the modules of a submission define."""

    def __init__(self, modules: Mapping[str, Source]) -> None:
        self._modules = modules
        self._read: dict[str, _Module] = {}

    def places_of(self, part: str, step: str) -> list[str]:
        """Return where a function or class is defined, such as `line 3`; a cell that was run twice is one place."""
        found = self._module(part).defined.get(step, ())
        return list(dict.fromkeys(one.place for one in found if one.runs))

    def begun(self, part: str, step: str, stub: str) -> bool:
        """Return whether the last definition of a step holds more than its stub."""
        found = self._module(part).defined.get(step, [])
        try:
            return bool(found) and bool(_written(found[-1].tree) - _written(parse(stub)))
        except RecursionError:  # no stub is nested so deeply
            return True

    def unused_arguments(self, part: str, step: str) -> list[str]:
        """Return the arguments of the last definition of a step, or of its methods, whose names are nowhere in it."""
        found = self._module(part).defined.get(step, [])
        functions = (node for one in found[-1:] for node in ast.walk(one.tree) if isinstance(node, ast.FunctionDef))
        return [one.arg for function in functions for one in unused_in(function)]

    def line(self, file: str, number: int) -> str:
        """Return a line of a file as it was written; nothing if there is none."""
        texts = (block.text for source in self._modules.values() for block in source.blocks if block.path == file)
        return "".join(next(texts, "").splitlines()[number - 1 : number])

    def name_at(self, file: str, number: int) -> str:
        """Return the name of the function or class at the top level that a line of a file is in.

        Nothing if it is in none, and in a file that cannot be parsed as a whole.
        """
        modules = (name for name, source in self._modules.items() if any(block.path == file for block in source.blocks))
        defined = (one for module in modules for several in self._module(module).defined.values() for one in several)
        found = (one.name for one in defined if one.runs and one.file == file and one.first <= number <= one.last)
        return next(found, "")

    def called_by(self, part: str, step: str) -> set[Name]:
        """Return the names of the submission that a step mentions, directly or through others, without the step itself."""
        found, waiting = {(part, step)}, [(part, step)]
        while waiting and len(found) <= MOST_CALLED:
            module, name = waiting.pop()
            for definition in self._module(module).defined.get(name, ()):
                mentioned = set(self._mentioned(module, definition)) - found
                found |= mentioned
                waiting += mentioned
        return found - {(part, step)}

    def _mentioned(self, module: str, definition: _Definition) -> Iterator[Name]:
        """Yield the names of the submission in a definition. module: the one that it stands in."""
        here = self._module(module)
        for name, attribute in definition.mentioned:
            if name in here.defined:
                yield module, name
            elif name in here.imported:
                origin, original = here.imported[name]
                yield origin, original or attribute
            else:
                yield from ((star, name) for star in here.stars if name in self._module(star).defined)

    def _module(self, name: str) -> _Module:
        if name not in self._read:
            self._read[name] = _read(self._modules[name], self._modules) if name in self._modules else _Module()
        return self._read[name]


def _read(source: Source, modules: Mapping[str, Source]) -> _Module:
    """Read what a module defines and imports. What cannot be parsed is reported when it is loaded."""
    module = _Module()
    for block in source.blocks:
        try:
            tree = parse(block.text)
        except SyntaxError:
            continue
        lines = block.text.encode().split(b"\n")
        for node in tree.body:
            if name := _defined_by(node):
                place = " of ".join(filter(None, (f"line {node.lineno}", source.cell(block))))
                where = block.path, node.lineno, node.end_lineno or node.lineno
                runs = not isinstance(node, ast.Assign)
                found = _Definition(name, place, *where, runs, _text_of(node, lines), frozenset(_global_names(node)))
                module.defined.setdefault(name, []).append(found)
        for inner in statements_in(tree):
            match inner:
                case ast.Import(names=aliases):
                    module.imported |= {
                        one.asname or one.name: (one.name, "") for one in aliases if one.name in modules
                    }
                case ast.ImportFrom(module=str(origin), names=[ast.alias("*")]) if origin in modules:
                    module.stars.add(origin)
                case ast.ImportFrom(module=str(origin), names=aliases) if origin in modules:
                    module.imported |= {one.asname or one.name: (origin, one.name) for one in aliases}
    return module


def _text_of(node: ast.stmt, lines: Sequence[bytes]) -> str:
    """Return the text of a statement, with its decorators and without what else stands on its lines."""
    decorators = getattr(node, "decorator_list", ())
    first = decorators[0].lineno if decorators else node.lineno
    own = list(lines[first - 1 : node.end_lineno])
    if own and not decorators:
        own[-1] = own[-1][: node.end_col_offset]
        own[0] = own[0][node.col_offset :]
    return b"\n".join(own).decode(errors="replace")


def _defined_by(node: ast.stmt) -> str:
    """Return the name that a statement defines; nothing for any other statement."""
    match node:
        case ast.FunctionDef(name=name) | ast.ClassDef(name=name) | ast.Assign(targets=[ast.Name(name)]):
            return name
    return ""


def _written(node: ast.AST) -> set[str]:
    """Return the statements in a definition, without what is no work yet: its text, `pass`, and the `raise` of a stub."""
    return {
        ast.dump(statement)
        for statement in ast.walk(node)
        if isinstance(statement, ast.stmt) and not isinstance(statement, ast.FunctionDef | ast.ClassDef | ast.Pass)
        if not (isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant))
        if not (isinstance(statement, ast.Raise) and "NotImplementedError" in ast.dump(statement))
    }


def unused_in(function: ast.FunctionDef) -> Iterator[ast.arg]:
    """Yield the arguments of a function whose names are nowhere in it."""
    given = [*function.args.posonlyargs, *function.args.args, *function.args.kwonlyargs]
    named = {node.id for statement in function.body for node in ast.walk(statement) if isinstance(node, ast.Name)}
    yield from (one for one in given if one.arg not in (*named, "self") and not one.arg.startswith("_"))


def _global_names(definition: ast.stmt) -> Iterator[tuple[str, str]]:
    """Yield what a definition mentions of its module by name, with the attribute that is asked of it, if any.

    The arguments and variables of a function, and of those within it, mean nothing outside.
    """
    for function in [*definition.bases, *definition.body] if isinstance(definition, ast.ClassDef) else [definition]:
        nodes = list(ast.walk(function))
        local = {node.arg for node in nodes if isinstance(node, ast.arg)}
        local |= {node.id for node in nodes if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)}
        for node in nodes:
            match node:
                case ast.Attribute(ast.Name(name), attribute) if name not in local:
                    yield name, attribute
                case ast.Name(name) if name not in local:
                    yield name, ""
