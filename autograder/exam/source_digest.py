"""Compute the digest of the sources of an exam.

A changed digest shows that the exam is out of date, without a comparison of answers.
"""

import ast
import hashlib
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

import msgspec

from autograder.course.course import FOR_INSTRUCTORS, PACKAGES, Course

ENGINE = "autograder/exam/build.py"
"""The module that builds exams. An exam depends on this module and all modules it imports."""

UNRELATED = ("autograder/__init__.py",)
"""The modules that are left out of the digest.

Every import runs `autograder/__init__.py`, which imports the notebook extension.
"""


def digest_of_sources(course: Course, part: str) -> str:
    """Return the digest of the sources of the cases and the key of a part.

    The sources are the reference, the part's steps and known mistakes, the judges, the modules that
    build exams, all modules that any of them import, the data files in `course/`, and the texts of
    `course.toml` that affect an exam. The kind of line ends does not affect the digest.
    """
    root = course.root
    own = [f"course/{part}/steps.py", f"course/{part}/mistakes.py", f"{course.judges.replace('.', '/')}.py"]
    data = [
        path
        for path in (root / "course").rglob("*")
        if path.is_file() and path.suffix not in (".py", ".pyc") and path.name not in FOR_INSTRUCTORS
    ]
    files = reached_modules([ENGINE, *(path for path in own if (root / path).is_file())], root, UNRELATED)
    files |= {path.relative_to(root).as_posix(): path.read_bytes() for path in sorted([course.solution(part), *data])}
    texts = repr((course.words, course.forbidden.names, course.slips, course.hints, course.criteria))
    content = [texts, {path: text.replace(b"\r\n", b"\n") for path, text in files.items()}]
    return f"sha256:{hashlib.sha256(msgspec.msgpack.encode(content)).hexdigest()}"


GRADER = Path(__file__).resolve().parents[1]


def reached_modules(roots: Iterable[str], course: Path, without: Iterable[str] = ()) -> dict[str, bytes]:
    """Return the contents of modules and of all modules they import, by path.

    roots: the paths of the modules, such as `autograder/course/model.py`.
    course: the folder of the course.
    without: the paths of modules to leave out; what only they import is left out as well.
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
    """Yield the `__init__.py` of each package that contains a module."""
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
    """Return the path of a module of the grader or the course; None for any other module."""
    home, path = homes.get(module.partition(".")[0]), module.replace(".", "/")
    return next((file for file in (f"{path}.py", f"{path}/__init__.py") if home and (home / file).is_file()), None)
