"""Flags for a person: imports that no step needs, and names that lead into the interpreter or past its modules.

The text is parsed, never run. A flag costs no points, and the sandbox holds without it.
"""

import ast
import sys
from collections.abc import Collection, Iterator, Mapping
from pathlib import PurePath

from autograder.submission.model import Look, Source, Urgency


def _names_in(*texts: str) -> frozenset[str]:
    return frozenset(name for text in texts for name in text.split())


ALLOWED = _names_in(
    "__future__ abc cmath collections contextlib copy dataclasses decimal enum fractions functools itertools logging math",
    "numbers random statistics textwrap time typing typing_extensions warnings",
    "beartype einops jaxtyping matplotlib numpy torch tqdm",
)
"""Modules that a submission may import, with all within them."""

NAMES = _names_in("__builtins__ __import__ __loader__ __spec__ compile eval exec globals open")
"""Names of Python's own, by which text becomes code, or the interpreter is reached."""

ATTRIBUTES = _names_in(
    "__builtins__ __code__ __globals__ __loader__ __self__ __spec__ __subclasses__",
    "ag_frame cr_frame f_back f_globals f_locals gi_frame tb_frame",
    "builtins ctypes gc importlib inspect io multiprocessing os subprocess sys threading",
)
"""Attributes of anything, as of a frame, or of a module that has imported another."""

OF_MODULES = ATTRIBUTES | _names_in("__dict__ benchmark hub jit library onnx ops overrides package")
"""Names within allowed modules, besides private ones: what torch has of these leads around a forbidden call."""

MOST_NAMED = 5
"""Names that are shown of a file."""

LONGEST = 60
"""Characters of a name or a path that are shown."""


def suspicious_names(modules: Mapping[str, Source], parts: Collection[str]) -> list[Look]:
    """Return a flag for each module with a suspicious name. parts: the names of the course's; other modules are helpers."""
    own = {PurePath(name).name for name in modules} - sys.stdlib_module_names | {*parts}
    flags: list[Look] = []
    for name, source in modules.items():
        if named := [f"`{used}` ({place})" for used, place in _used(source, own).items()]:
            more = f" and {len(named) - MOST_NAMED} more" if len(named) > MOST_NAMED else ""
            path = source.path if len(source.path) <= LONGEST else f"…{source.path[-LONGEST:]}"
            text = f"{path} uses {', '.join(named[:MOST_NAMED])}{more}"
            flags.append(Look(Urgency.CHECK, text, name if name in parts else ""))
    return flags


def _used(source: Source, own: Collection[str]) -> dict[str, str]:
    """Return the suspicious names of a module, each with its first line or its cell. own: modules of the submission."""
    imported: dict[str, str] = {}
    found: dict[str, str] = {}
    for block in source.blocks:
        nodes = [node for piece in block.parsed.pieces for one in piece.statements for node in ast.walk(one)]
        for node in nodes:
            if isinstance(node, ast.ImportFrom) and node.module and not node.level:
                imported |= {one.asname or one.name: _imported_from(node.module, one) for one in node.names}
            elif isinstance(node, ast.Import):
                roots = {one.name.partition(".")[0] for one in node.names}
                imported |= {root: root for root in roots} | {one.asname: one.name for one in node.names if one.asname}
        lines = [(getattr(node, "lineno", 1), name) for node in nodes for name in _names(node, imported, own)]
        for line, name in sorted(lines):
            found.setdefault(name[:LONGEST], source.cell(block) or f"line {line}")
    return found


def _imported_from(module: str, alias: ast.alias) -> str:
    """Return a name with its module before it; of a module that is not allowed, the module alone."""
    return f"{module}.{alias.name}" if module.partition(".")[0] in ALLOWED else module


def _names(node: ast.AST, imported: Mapping[str, str], own: Collection[str]) -> Iterator[str]:
    """Yield the suspicious names of a node alone."""
    match node:
        case ast.Import(names=aliases):
            yield from filter(None, (_suspicious(alias.name, own) for alias in aliases))
        case ast.ImportFrom(module=str(module), names=aliases, level=0):
            yield from filter(None, (_suspicious(_imported_from(module, alias), own) for alias in aliases))
        case ast.Name(id=name) if name in NAMES:
            yield name
        case ast.Attribute(attr=attribute):
            if name := _suspicious(_full_name(node, imported), own) or attribute * (attribute in ATTRIBUTES):
                yield name
        case ast.Call(func=ast.Name(id="getattr" | "vars" as function), args=[of, *name]):
            if not any(isinstance(one, ast.Constant) for one in name[:1]) and (full := _full_name(of, imported)):
                yield f"{function}({full})"


def _full_name(node: ast.expr, imported: Mapping[str, str]) -> str:
    """Return an allowed module's name, or one within it, with its module before it; empty for any other expression."""
    attributes: list[str] = []
    while isinstance(node, ast.Attribute):
        attributes.append(node.attr)
        node = node.value
    full = imported.get(node.id, "") if isinstance(node, ast.Name) else ""
    return ".".join([full, *attributes[::-1]]) if full.partition(".")[0] in ALLOWED else ""


def _suspicious(name: str, own: Collection[str]) -> str:
    """Return a name with its module before it, up to what is suspicious; empty where nothing is."""
    root, *within = name.split(".")
    if root not in ALLOWED:
        return "" if root in own else name
    for end, part in enumerate(within, start=1):
        if part in OF_MODULES or (part.startswith("_") and not part.endswith("__")):
            return ".".join([root, *within[:end]])
    return ""
