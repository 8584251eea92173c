"""The digest of the sources that an exam is made from. Drift is another digest: no number is compared."""

import hashlib
from collections.abc import Iterable

from autograder.course.course import FOR_INSTRUCTORS, Course
from autograder.course.imported_modules import reached_modules

ENGINE = "autograder/exam/build.py"
"""The module that makes exams. The modules that it imports shape an exam, too."""

UNRELATED = ("autograder/__init__.py",)
"""Imported by every module, and imports the notebook extension."""


def digest_of_sources(course: Course, part: str) -> str:
    """Return the digest of the sources of one part's cases and key.

    The sources are the reference, the part's modules with all that they import, data files in
    `course/`, the texts of `course.toml` that an exam holds, and the modules of the engine that
    make exams. They are text: line ends do not count.
    """
    root = course.root
    own = [f"course/{part}/steps.py", f"course/{part}/mistakes.py"]
    own += [f"{course.judges.replace('.', '/')}.py"] if course.judges else []
    roots = [ENGINE, *(path for path in own if (root / path).is_file())]
    data = [
        path
        for path in sorted((root / "course").rglob("*"))
        if path.is_file() and path.suffix not in (".py", ".pyc") and path.name not in FOR_INSTRUCTORS
    ]
    files = reached_modules(roots, root, UNRELATED)
    files |= {path.relative_to(root).as_posix(): path.read_bytes() for path in [course.solution(part), *data]}
    texts = repr((course.words, course.forbids, course.slips, course.hints, course.criteria))
    return _digest([texts.encode(), *(item for path, content in files.items() for item in (path.encode(), content))])


def _digest(items: Iterable[bytes]) -> str:
    """Return the digest of some contents and their lengths."""
    digest = hashlib.sha256()
    for item in items:
        content = item.replace(b"\r\n", b"\n")
        digest.update(b"%d " % len(content) + content)
    return f"sha256:{digest.hexdigest()}"
