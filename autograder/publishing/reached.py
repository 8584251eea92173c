"""Which of the grader's modules something runs: those that it imports, wherever in a module it does."""

import ast
from collections.abc import Iterable, Iterator
from pathlib import Path

PACKAGE = Path(__file__).resolve().parent.parent


def reached_modules(roots: Iterable[str], without: Iterable[str] = ()) -> dict[str, bytes]:
    """Return modules and all that they import, by path: `autograder/course/model.py`.

    roots, without: paths in the package, such as `cli/main.py`; what is only reached through those of `without` is not there.
    """
    absent = {PACKAGE / name for name in without}
    waiting = [PACKAGE / name for name in roots]
    reached: set[Path] = set()
    while waiting:
        path = waiting.pop()
        if path not in reached and path not in absent:
            reached.add(path)
            waiting += _imported(path)
    return {path.relative_to(PACKAGE.parent).as_posix(): path.read_bytes() for path in sorted(reached)}


def _imported(path: Path) -> Iterator[Path]:
    """Yield the grader's modules that a module imports, and the packages in which it lies."""
    for folder in path.parents:
        if folder == PACKAGE.parent:
            break
        yield folder / "__init__.py"
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
        if isinstance(node, ast.ImportFrom) and node.module:
            names = [node.module, *(f"{node.module}.{alias.name}" for alias in node.names)]
        yield from filter(None, map(_file_of, names))


def _file_of(module: str) -> Path | None:
    """Return the file of one of the grader's modules; None for what is none."""
    path = PACKAGE.parent / module.replace(".", "/")
    found = (path.with_suffix(".py"), path / "__init__.py")
    return next((file for file in found if module.startswith("autograder.") and file.is_file()), None)
