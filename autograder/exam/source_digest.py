"""Compute the digest of the sources of an exam: a changed one shows that the exam is out of date."""

import ast
import hashlib
from collections.abc import Iterable
from importlib.util import resolve_name
from pathlib import Path

import msgspec

from autograder.course.course import FOR_INSTRUCTORS, PACKAGES, Course

ENGINE = "autograder/exam/build.py"
"""The module that builds exams. An exam depends on this module and all modules it imports."""

UNRELATED = ("autograder/__init__.py",)
"""The module that every import runs, but that no exam depends on: it loads the notebook extension."""


def digest_of_sources(course: Course, part: str) -> str:
    """Return the digest of the files from which the cases and the key of a part are made.

    The files are the reference, the part's steps and known mistakes, the judges, the modules that
    build exams, all modules that these import, and the data files in `course/`. The texts of
    `course.toml` that affect an exam are included; the kind of line ends is ignored.
    """
    root = course.root
    roots = [ENGINE, f"course/{part}/steps.py", f"course/{part}/mistakes.py", f"{course.judges.replace('.', '/')}.py"]
    data = [
        path
        for path in (root / "course").rglob("*")
        if path.is_file() and path.suffix not in (".py", ".pyc") and path.name not in FOR_INSTRUCTORS
    ]
    files = reached_modules(roots, root, UNRELATED)
    files |= {path.relative_to(root).as_posix(): path.read_bytes() for path in sorted([course.solution(part), *data])}
    texts = repr((course.words, course.forbidden.names, course.slips, course.hints, course.criteria))
    content = [texts, {path: text.replace(b"\r\n", b"\n") for path, text in files.items()}]
    return f"sha256:{hashlib.sha256(msgspec.msgpack.encode(content)).hexdigest()}"


GRADER = Path(__file__).resolve().parents[1]


def reached_modules(roots: Iterable[str], course: Path, without: Iterable[str] = ()) -> dict[str, bytes]:
    """Return the contents of modules and of all modules they import, by path.

    roots: the paths of the modules, as `autograder/course/model.py`. course: the course's folder.
    without: the paths of modules to leave out, with the modules that only they import.
    """
    homes = {GRADER.name: GRADER.parent} | dict.fromkeys(PACKAGES, course)
    absent, reached, waiting = set(without), dict[str, bytes](), list(roots)
    while waiting:
        path = waiting.pop()
        file = homes.get(path.partition("/")[0], course) / path
        if path not in reached and path not in absent and file.is_file():
            reached[path] = file.read_bytes()
            names = [name for node in ast.walk(ast.parse(reached[path], path)) for name in _imported(node, path)]
            modules = [name.replace(".", "/") for name in names if name.partition(".")[0] in homes]
            waiting += [f"{module}{end}" for module in modules for end in (".py", "/__init__.py")]
            waiting += [f"{folder.as_posix()}/__init__.py" for folder in Path(path).parents]
    return dict(sorted(reached.items()))


def _imported(node: ast.AST, path: str) -> list[str]:
    """Return the names of modules that a statement of the module at a path may import."""
    if isinstance(node, ast.Import):
        return [alias.name for alias in node.names]
    if isinstance(node, ast.ImportFrom):
        module = resolve_name("." * node.level + (node.module or ""), ".".join(Path(path).parent.parts))
        return [module, *(f"{module}.{alias.name}" for alias in node.names)]
    return []
