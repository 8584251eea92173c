"""Finding torch's own functions where an exercise forbids them: in the syntax tree, without running anything."""

import ast
from collections.abc import Iterator

from autograder.course.answer import Failure
from autograder.exam.syllabus import SyllabusStep


class Mentions:
    """What the functions, classes and other names of a module mention by name."""

    def __init__(self, text: str) -> None:
        try:
            tree = ast.parse(text)
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            tree = ast.Module([], [])  # loading it will say why
        self._own: dict[str, list[ast.AST]] = {}
        for name, meaning in _meanings(tree.body):
            self._own.setdefault(name, []).append(meaning)
        self._imported = _imported(tree)

    def written_twice(self, step: str) -> list[int]:
        """Return the lines in which a step is defined, if it is more than once; the last one counts."""
        lines = [node.lineno for node in self._own.get(step, ()) if isinstance(node, ast.FunctionDef | ast.ClassDef)]
        return lines if len(lines) > 1 else []

    def refuse(self, step: SyllabusStep) -> Failure | None:
        """Return why a step is forbidden, or None."""
        found = self.find(step.name, step.forbids)
        if not found:
            return None
        name, line = found
        return Failure("forbidden", f"line {line} uses torch's own `{name}`. In this step you write that yourself.")

    def find(self, step: str, forbidden: tuple[str, ...]) -> tuple[str, int] | None:
        """Return which of the forbidden torch names a step uses, and the line, or None.

        The step's own definition is searched, and every name of the module that it mentions, in turn.
        """
        waiting, seen = [step], {step}
        while waiting:
            for name, line in self._mentioned_by(waiting.pop()):
                if name.startswith(".") and _is_forbidden(name[1:], forbidden):
                    return name[1:], line
                if name in self._own and name not in seen:
                    seen.add(name)
                    waiting.append(name)
        return None

    def _mentioned_by(self, name: str) -> Iterator[tuple[str, int]]:
        """Yield every name that the meanings of a name mention, with its line; one of torch's starts with a dot."""
        for meaning in self._own.get(name, ()):
            for node in ast.walk(meaning):
                match node:
                    case ast.Attribute(value=ast.Name(id="self")):
                        continue
                    case ast.Attribute(attr=mentioned):
                        yield f".{mentioned}", node.lineno
                    case ast.Name(id=mentioned):
                        yield self._imported.get(mentioned, mentioned), node.lineno
                    case ast.Call(func=ast.Name(id="getattr"), args=[_, ast.Constant(value=str(mentioned)), *_]):
                        yield f".{mentioned}", node.lineno


def _is_forbidden(name: str, forbidden: tuple[str, ...]) -> bool:
    plain = name.strip("_")
    return any(plain == one or plain.startswith(f"{one}_") for one in forbidden)


def _meanings(body: list[ast.stmt]) -> Iterator[tuple[str, ast.AST]]:
    """Yield each name that is given a meaning outside of functions and classes, and that meaning."""
    for node in body:
        match node:
            case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
                yield name, node
            case ast.Assign(targets=targets, value=value):
                for target in targets:
                    yield from ((one.id, value) for one in ast.walk(target) if isinstance(one, ast.Name))
            case ast.AnnAssign(target=ast.Name(id=name), value=ast.expr() as value):
                yield name, value
            case _:
                for field in ("body", "orelse", "finalbody"):
                    yield from _meanings(getattr(node, field, []))
                for handler in getattr(node, "handlers", []):
                    yield from _meanings(handler.body)


def _imported(tree: ast.Module) -> dict[str, str]:
    """Return what imported names stand for: `from torch import softmax as s` makes s `.softmax`."""
    return {
        alias.asname or alias.name: f".{alias.name}"
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom) and (node.module or "").partition(".")[0] == "torch"
        for alias in node.names
    }
