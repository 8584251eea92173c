"""Which modules something imports, of the grader's and of a course's own, anywhere in a module."""

import ast
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from autograder.course.course import PACKAGES

GRADER = Path(__file__).resolve().parents[1]


def reached_modules(roots: Iterable[str], course: Path, without: Iterable[str] = ()) -> dict[str, bytes]:
    """Return modules and all that they import, by path: `autograder/course/model.py`.

    course: the folder of the course. roots, without: such paths; what is only reached through those of `without` is left out.
    """
    homes = {GRADER.name: GRADER.parent} | dict.fromkeys(PACKAGES, course)
    absent, reached = set(without), dict[str, bytes]()
    waiting = list(roots)
    while waiting:
        path = waiting.pop()
        if path not in reached and path not in absent:
            content = reached[path] = (homes[path.partition("/")[0]] / path).read_bytes()
            waiting += [*_packages_of(path, homes), *_imported(path, content, homes)]
    return dict(sorted(reached.items()))


def _packages_of(path: str, homes: Mapping[str, Path]) -> Iterator[str]:
    """Yield what Python runs of the packages in which a module lies."""
    home = homes[path.partition("/")[0]]
    for folder in Path(path).parents:
        if (home / folder / "__init__.py").is_file():
            yield (folder / "__init__.py").as_posix()


def _imported(path: str, content: bytes, homes: Mapping[str, Path]) -> Iterator[str]:
    for node in ast.walk(ast.parse(content, path)):
        names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
        if isinstance(node, ast.ImportFrom):
            within = path.split("/")[: -node.level] if node.level else []
            module = ".".join(filter(None, [*within, node.module]))
            names = [module, *(f"{module}.{alias.name}" for alias in node.names)]
        yield from filter(None, (_file_of(name, homes) for name in names))


def _file_of(module: str, homes: Mapping[str, Path]) -> str | None:
    """Return the path of a module; None for one that is neither the grader's nor the course's."""
    home, path = homes.get(module.partition(".")[0]), module.replace(".", "/")
    return next((file for file in (f"{path}.py", f"{path}/__init__.py") if home and (home / file).is_file()), None)
