"""Read and write exam files, and compute the digest that shows whether an exam is out of date.

A file is MessagePack with each part compressed separately. Equal exams give equal bytes.
"""

import ast
import functools
import hashlib
import zlib
from collections.abc import Iterable
from dataclasses import dataclass, replace
from importlib.util import resolve_name
from pathlib import Path

import msgspec

from autograder.course import codec
from autograder.course.course import FOR_INSTRUCTORS, PACKAGES, Course
from autograder.course.errors import ExplainedError
from autograder.exam.model import Exam, Key, Paper, joined, restricted_to
from autograder.exam.syllabus import Syllabus


class NotAnExam(ExplainedError):
    """A file is not a valid exam. The message gives the reason."""


class _File(msgspec.Struct, tag_field="schema", tag="attn-exam/7"):
    """The content of an exam file, compressed.

    made_from: the digest of the files from which a step's cases and answers are made, by step path.
    parts: the paper and key of each part, by name.
    """

    syllabus: bytes
    made_from: dict[str, str]
    parts: dict[str, bytes]


@dataclass(frozen=True)
class _Part:
    paper: Paper
    key: Key


def write_exam(exam: Exam, path: Path, mode: int = 0o666) -> None:
    """Write an exam to a file atomically. mode: the permissions of a new file. Raises OSError."""
    from autograder.atomic_write import atomic_write  # missing in a sandbox, which only reads exams

    path.parent.mkdir(parents=True, exist_ok=True)
    atomic_write(path.resolve(), exam_to_bytes(exam), mode)


def read_exam(path: Path, parts: Iterable[str] | None = None) -> Exam:
    """Read an exam from a file. Raises NotAnExam.

    parts: the names of the parts whose paper and key are read; all parts by default.
    """
    try:
        return exam_from_bytes(path.read_bytes(), None if parts is None else frozenset(parts))
    except FileNotFoundError:
        raise NotAnExam(f"there is no exam at {path}") from None
    except Exception as error:  # zlib and msgspec raise exceptions of many types
        advice = "set it again with `attn build --exam`, the practice exam with `attn build`"
        what = f"it was made by an earlier version, or is damaged; {advice}"
        raise NotAnExam(f"{path} is not an exam ({type(error).__name__}: {error}): {what}") from error


@functools.lru_cache(maxsize=8)
def exam_from_bytes(content: bytes, parts: frozenset[str] | None = None) -> Exam:
    """Decode an exam, with a cache. Raises errors of zlib and msgspec; KeyError for a missing part.

    parts: the names of the parts whose paper and key are read; all parts by default.
    """
    file = msgspec.msgpack.decode(content, type=_File)
    syllabus = codec.decode(zlib.decompress(file.syllabus), Syllabus)
    names = [part.name for part in syllabus.parts if parts is None or part.name in parts]
    read = [codec.decode(zlib.decompress(file.parts[name]), _Part) for name in names]
    exam = joined(syllabus, [Exam(syllabus, part.paper, part.key) for part in read])
    return replace(exam, digest=f"sha256:{hashlib.sha256(content).hexdigest()}", made_from=file.made_from)


def exam_to_bytes(exam: Exam) -> bytes:
    """Encode an exam as the content of its file."""
    parts = {}
    for part in exam.syllabus.parts:
        some = restricted_to(exam, {step.path for step in part.steps})
        parts[part.name] = zlib.compress(codec.encode(_Part(some.paper, some.key)))
    syllabus = zlib.compress(codec.encode(exam.syllabus))
    return msgspec.msgpack.encode(_File(syllabus, dict(exam.made_from), parts))


ENGINE = "autograder/exam/build.py"
"""The module that builds exams. An exam depends on this module and all modules it imports."""

UNRELATED = ("autograder/__init__.py",)
"""A module that every import runs. No exam depends on it: it only loads the notebook extension."""


def digest_of_sources(course: Course, part: str) -> str:
    """Return the digest of all files and texts that determine the cases and the key of a part.

    The files are the reference, the part's steps and known mistakes, the judges, the modules that
    build exams, all modules that these import, and the data files in `course/`.
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
    texts = repr((course.words, course.forbidden.names, course.hints, course.criteria))
    content = [texts, {path: text.replace(b"\r\n", b"\n") for path, text in files.items()}]
    return f"sha256:{hashlib.sha256(msgspec.msgpack.encode(content)).hexdigest()}"


GRADER = Path(__file__).resolve().parents[1]


def reached_modules(roots: Iterable[str], course: Path, without: Iterable[str] = ()) -> dict[str, bytes]:
    """Return the contents of modules and of all modules they import, by path.

    roots: paths of modules, such as `autograder/course/model.py`. course: the course's folder.
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
    if isinstance(node, ast.Import):
        return [alias.name for alias in node.names]
    if isinstance(node, ast.ImportFrom):
        module = resolve_name("." * node.level + (node.module or ""), ".".join(Path(path).parent.parts))
        return [module, *(f"{module}.{alias.name}" for alias in node.names)]
    return []
