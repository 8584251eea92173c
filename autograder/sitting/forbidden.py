"""Finding torch's own functions where an exercise forbids them: in the syntax tree, without running anything."""

import ast
from collections.abc import Iterator

from autograder.exam.reference import Definition, definitions


class Mentions:
    """What the functions and classes of a module mention by name."""

    def __init__(self, text: str) -> None:
        try:
            tree = ast.parse(text)
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            tree = ast.Module([], [])  # loading it will say why
        self._own: dict[str, Definition] = {node.name: node for node in definitions(tree)}
        self._stands_for = _aliases(tree)

    def find(self, step: str, names: tuple[str, ...]) -> tuple[str, int] | None:
        """Return which of these torch names a step uses, and the line, or None.

        The step's own definition is searched, and all functions and classes of the module that it mentions, in turn.
        """
        waiting, seen = [step], {step}
        while waiting:
            for name, line in self._of(waiting.pop()):
                plain = name.removeprefix(".")
                if plain in names and (name.startswith(".") or name not in self._own):
                    return plain, line
                if name in self._own and name not in seen:
                    seen.add(name)
                    waiting.append(name)
        return None

    def _of(self, definition: str) -> Iterator[tuple[str, int]]:
        """Yield every name that a definition mentions, with its line; an attribute starts with a dot."""
        for node in ast.walk(self._own[definition]) if definition in self._own else ():
            match node:
                case ast.Attribute(value=ast.Name(id="self")):
                    continue
                case ast.Attribute(attr=name):
                    yield f".{name}", node.lineno
                case ast.Name(id=name):
                    yield self._stands_for.get(name, name), node.lineno
                case ast.Call(func=ast.Name(id="getattr"), args=[_, ast.Constant(value=str(name)), *_]):
                    yield f".{name}", node.lineno


def _aliases(tree: ast.Module) -> dict[str, str]:
    """Return what names of the module stand for: `from torch import softmax as s` makes s `.softmax`."""
    aliases: dict[str, str] = {}
    for node in ast.walk(tree):
        match node:
            case ast.ImportFrom(module=str(module), names=names) if module.partition(".")[0] == "torch":
                aliases |= {alias.asname or alias.name: f".{alias.name}" for alias in names}
            case ast.Assign(targets=targets, value=ast.Attribute(attr=name)):
                aliases |= {target.id: f".{name}" for target in targets if isinstance(target, ast.Name)}
    return aliases
