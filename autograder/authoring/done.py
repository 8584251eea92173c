"""What an author's command has done already, and from what: where nothing of that has changed, it is not done again.

A part's state is one digest of all that can change what a command makes of it or finds in it. The state in which each step was found
right is kept in `.attn/done.json`, which is no part of the course: a fresh clone knows of nothing that was done.
"""

import contextlib
import functools
import hashlib
import json
import platform
import re
import sys
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from autograder.authoring.imported_modules import GRADER
from autograder.authoring.sync import STYLESHEETS
from autograder.course.broken_course import FILE
from autograder.course.course import Course
from autograder.exam.files import NotAnExam, exam_to_bytes, read_exam
from autograder.exam.scope import restricted_to
from autograder.exam.syllabus import to_json
from autograder.workspace import Workspace

NOT_READ = ("course", "solutions", "exercises", "exams", "docs", GRADER.name)
"""Folders whose files are looked at in other ways, if at all: a part names the page that teaches it, and does not read it."""

RELEASE = "release"
"""The name for what the course is as a whole, which a release is made from; a part's steps have dots in their names."""

Contents = dict[str, bytes]
"""Files by their paths in the course."""


@dataclass(frozen=True)
class Done:
    """What a command has found right. states: those that the parts are in now. again: whether to forget what was found before."""

    workspace: Workspace
    command: str
    states: Mapping[str, str]
    again: bool = False

    def left(self, steps: Iterable[str]) -> frozenset[str]:
        """Return the steps that the command has not found right in the state that their part is in."""
        noted = {} if self.again else self._noted().get(self.command, {})
        return frozenset(step for step in steps if not self._state(step) or noted.get(step) != self._state(step))

    def note(self, steps: Iterable[str]) -> None:
        """Note that the command has found steps right; where that cannot be written, they are looked at again."""
        noted = self._noted()
        noted[self.command] = noted.get(self.command, {}) | {step: self._state(step) for step in steps}
        with contextlib.suppress(OSError):
            self._path.parent.mkdir(exist_ok=True)
            self._path.write_text(json.dumps(noted, indent=1), encoding="utf-8")

    def _state(self, step: str) -> str:
        return self.states.get(step.partition(".")[0], "")

    @property
    def _path(self) -> Path:
        return self.workspace.memory / "done.json"

    def _noted(self) -> dict[str, dict[str, str]]:
        try:
            noted: Any = json.loads(self._path.read_text(encoding="utf-8"))
        except (OSError, ValueError):
            return {}
        return noted if isinstance(noted, dict) and all(isinstance(steps, dict) for steps in noted.values()) else {}


def sources_of(course: Course) -> dict[str, str]:
    """Return a digest of what each part is made from: its own files, those of others that it names, and what all depend on."""
    folders = _folders(course)
    files_of = functools.cache(lambda owner: _files(course.root, *folders[owner]))
    shared = _files(course.root, course.root / "course", course.root / "solutions")
    for part in course.parts:
        shared = {path: content for path, content in shared.items() if path not in files_of(part)}
    everywhere = _digest([_grader(), *_libraries(), (course.root / FILE).read_bytes(), _digest_of(shared)])
    sources = {}
    for part in course.parts:
        reached: dict[str, Contents] = {}
        waiting = [part, *_named_in(shared, folders)]
        while waiting:
            owner = waiting.pop()
            if owner not in reached:
                reached[owner] = files_of(owner)
                waiting += _named_in(reached[owner], folders)
        sources[part] = _digest([everywhere, *(_digest_of(reached[owner]) for owner in sorted(reached))])
    return sources


def states_of(workspace: Workspace, sources: Mapping[str, str]) -> dict[str, str]:
    """Return the state of each part, and of the course as a whole: what it is made from, and what is made of it; none without an exam.

    sources: of the parts, from before anything was made of them.
    """
    try:
        exam = read_exam(workspace.practice_exam)
    except NotAnExam:
        return {}
    syllabus = to_json(exam.syllabus)
    made = _files(workspace.root, workspace.exercises, workspace.syllabus)
    agrees = made.get("exams/syllabus.json") == syllabus.encode()
    names = [part.name for part in exam.syllabus.parts]
    styles = _files(
        workspace.root, *(workspace.root / "docs" / "stylesheets" / path.name for path in STYLESHEETS.iterdir())
    )
    states = {}
    for part in exam.syllabus.parts:
        piece = exam_to_bytes(restricted_to(exam, {step.path for step in part.steps}))
        stub = made.get(f"exercises/{part.name}.py", b"")
        states[part.name] = _digest([sources.get(part.name, ""), piece, stub, *names, str(agrees), _digest_of(styles)])
    release = workspace.course.release
    read = [path for pattern in (*release.pages, *release.files) for path in workspace.root.glob(pattern)]
    others = _files(workspace.root, *read, *(workspace.root / folder for folder in ("docs", "workbench", "solutions")))
    return states | {RELEASE: _digest([*sources.values(), exam.digest, _digest_of(made), _digest_of(others)])}


def _folders(course: Course) -> dict[str, tuple[Path, ...]]:
    """Return where the files of each part lie, and those of every other folder that a part may read."""
    others = (path for path in course.root.iterdir() if path.is_dir() and not path.name.startswith("."))
    folders = {path.name: (path,) for path in others if path.name not in NOT_READ}
    return folders | {part: (course.root / "course" / part, course.solution(part)) for part in course.parts}


def _named_in(files: Contents, names: Iterable[str]) -> list[str]:
    """Return the names that occur as words in files, as in `course.part1.steps` or `data/prices.csv`: who is read is named."""
    word = re.compile(rb"\b(?:%s)\b" % b"|".join(re.escape(name).encode() for name in names))
    return [name.decode() for content in files.values() for name in set(word.findall(content))]


def _files(root: Path, *paths: Path) -> dict[str, bytes]:
    """Return files, and those in folders, by their paths in the course; files that Python has compiled do not count."""
    found = {file for path in paths for file in (path.rglob("*") if path.is_dir() else [path])}
    own = sorted(file for file in found if file.is_file() and file.suffix != ".pyc")
    return {file.relative_to(root).as_posix(): file.read_bytes() for file in own}


def _grader() -> str:
    return _digest_of(_files(GRADER, GRADER))


def _libraries() -> list[str]:
    """Return what is installed, by names that hold its version, and the Python that runs it."""
    folders = [folder for folder in sys.path if folder.endswith(("site-packages", "dist-packages"))]
    installed = {path.name for folder in folders for path in Path(folder).glob("*.dist-info")}
    return [sys.version, platform.machine(), *sorted(installed)]


def _digest_of(files: Contents) -> str:
    return _digest(item for path, content in files.items() for item in (path, content))


def _digest(items: Iterable[str | bytes]) -> str:
    """Return one digest of texts and bytes, and of where each of them ends."""
    digest = hashlib.sha256()
    for item in items:
        content = item.encode() if isinstance(item, str) else item
        digest.update(b"%d " % len(content) + content)
    return digest.hexdigest()
