"""Flag imports that no step needs and names that give access to the interpreter's internals.

The source is parsed and never run. A flag costs no points, and the sandbox does not rely on flags.
"""

import ast
import re
import sys
from collections.abc import Collection, Iterator, Mapping
from pathlib import PurePath

from autograder.submission.model import Look, Source, Urgency

ALLOWED = re.compile(
    "__future__|abc|cmath|collections|contextlib|copy|dataclasses|decimal|enum|fractions|functools|itertools|logging|math"
    "|numbers|random|statistics|textwrap|time|typing|typing_extensions|warnings"
    "|beartype|einops|jaxtyping|matplotlib|numpy|torch|tqdm"
)
"""Modules that a submission may import, with their submodules."""

NAMES = re.compile("__builtins__|__import__|__loader__|__spec__|compile|eval|exec|globals|open")
"""Built-in names that run text as code, open files or give access to the interpreter."""

ATTRIBUTES = re.compile(
    "__builtins__|__code__|__dict__|__globals__|__loader__|__self__|__spec__|__subclasses__"
    "|ag_frame|cr_frame|f_back|f_globals|f_locals|gi_frame|tb_frame"
    "|builtins|ctypes|gc|importlib|inspect|io|multiprocessing|os|subprocess|sys|threading"
    "|_C|_VF|_refs|hub|jit|library|onnx|ops|overrides|package"
)
"""Attributes that give access to frames, to the imports of a module or to internals of torch."""

MOST_NAMED, LONGEST = 5, 60
"""The most names in a flag, and the most characters of a name or a path."""


def suspicious_names(modules: Mapping[str, Source], parts: Collection[str]) -> list[Look]:
    """Return a flag for each module with suspicious names. parts: the names of the course's parts."""
    own = {PurePath(name).name for name in modules} - sys.stdlib_module_names | {*parts}
    flags: list[Look] = []
    for name, source in modules.items():
        found: dict[str, str] = {}
        for block in source.blocks:
            nodes = [node for node in block.parsed.nodes if isinstance(node, ast.expr | ast.stmt)]
            for node in sorted(nodes, key=lambda node: node.lineno):
                for used in _suspicious(node, own):
                    found.setdefault(used[:LONGEST], source.cell(block) or f"line {node.lineno}")
        if named := [f"`{used}` ({place})" for used, place in found.items()]:
            more = f" and {len(named) - MOST_NAMED} more" if len(named) > MOST_NAMED else ""
            text = f"{source.path[-LONGEST:]} uses {', '.join(named[:MOST_NAMED])}{more}"
            flags.append(Look(Urgency.CHECK, text, name if name in parts else ""))
    return flags


def _suspicious(node: ast.AST, own: Collection[str]) -> Iterator[str]:
    """Yield the suspicious names in a node, but not in its children. own: names of own modules."""
    match node:
        case ast.Import(names=aliases):
            yield from (alias.name for alias in aliases if _is_suspicious_module(alias.name, own))
        case ast.ImportFrom(module=str(module), names=aliases, level=0):
            if _is_suspicious_module(module, own):
                yield module
            elif module not in own:
                yield from (f"{module}.{alias.name}" for alias in aliases if _leads_out(alias.name))
        case ast.Name(id=name) if NAMES.fullmatch(name):
            yield name
        case ast.Attribute(value=owner, attr=name):
            of = owner.id if isinstance(owner, ast.Name) else ""
            leads_out = ATTRIBUTES.fullmatch(name) or (ALLOWED.fullmatch(of) and _leads_out(name))
            if leads_out and of not in ("self", *own):
                yield f"{of}.{name}".lstrip(".")
        case ast.Call(func=ast.Name(id="getattr" | "vars" as function), args=[ast.Name(id=module), *name]):
            if ALLOWED.fullmatch(module) and not any(isinstance(one, ast.Constant) for one in name[:1]):
                yield f"{function}({module})"


def _is_suspicious_module(name: str, own: Collection[str]) -> bool:
    root, *within = name.split(".")
    return root not in own and (not ALLOWED.fullmatch(root) or any(map(_leads_out, within)))


def _leads_out(name: str) -> bool:
    return bool(ATTRIBUTES.fullmatch(name)) or (name.startswith("_") and not name.endswith("__"))
