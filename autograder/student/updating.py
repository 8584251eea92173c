"""Copy a newer release into the folder of an earlier one, except over the student's work."""

import contextlib
import shutil
import zipfile
from collections.abc import Iterator, Sequence
from datetime import datetime
from pathlib import Path
from tempfile import TemporaryDirectory

from autograder.course.course import read_course
from autograder.course.errors import FILE, ExplainedError
from autograder.exam.syllabus import load
from autograder.student.editing import text_of, write_file
from autograder.workspace import Workspace

NOT_RELEASED = {".attn", ".venv", ".git", "__pycache__", ".ipynb_checkpoints"}
"""Files and folders that are never taken from a release, whatever the case of their letters."""

NEEDS = {"pyproject.toml", "requirements.lock"}
"""The files that say which libraries are needed."""


class CannotUpdate(ExplainedError):
    """A release cannot be taken in; the message says why and what to do."""


def update(workspace: Workspace, release: Path, install: Sequence[str] = ()) -> list[str]:
    """Take in a release, a zip or a folder. Return messages. Raises CannotUpdate, BrokenCourse, OSError.

    Exercises with work and existing notebooks stay. Old versions of other changed files are kept aside.
    install: the commands that install other libraries.
    """
    if workspace.solutions.is_dir():
        raise CannotUpdate(
            f"{workspace.root} is the whole course, with its solutions, and no release: nothing was changed."
        )
    with _unpacked(release) as folder:
        found, course = Workspace(_top(folder, release)), workspace.course
        new = read_course(found.root)
        if new.id != course.id:
            raise CannotUpdate(f"{release} is a release of another course, {new.title!r}: nothing was changed.")
        files = {path: (found.root / path).read_bytes() for path in _files(found.root)}
    changed = {path for path, content in files.items() if _content(workspace.root / path) != content}
    kept = {path for path in changed if _has_work(workspace, path)}
    aside = workspace.memory / "replaced" / f"{datetime.now():%Y-%m-%d-%H%M%S-%f}"
    for path in sorted(changed - kept):
        if (workspace.root / path).is_file():
            (aside / path).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(workspace.root / path, aside / path)
        write_file(workspace.root / path, files[path])
    parts = [part for part in new.parts if part not in course.parts]
    said = [f"New: {', '.join(parts)}" if parts else "There are no new parts; the rest is as in the release."]
    if kept:
        said.append(f"Kept as you have written them: {', '.join(sorted(path.as_posix() for path in kept))}")
    if aside.is_dir():
        said.append(f"What was replaced is in {aside.relative_to(workspace.root)}, should you have written in it.")
    if NEEDS & {path.as_posix() for path in changed}:
        said += ["Other libraries may be needed than before:", *(f"    {line}" for line in install)]
    return said


@contextlib.contextmanager
def _unpacked(release: Path) -> Iterator[Path]:
    """Yield the folder of a release. A zip is unpacked into a temporary folder."""
    if release.is_dir():
        yield release.resolve()
        return
    with TemporaryDirectory() as place:
        try:
            with zipfile.ZipFile(release) as archive:
                archive.extractall(place)
        except OSError:
            raise
        except Exception as error:  # zipfile and zlib have a dozen ways to fail at a broken archive
            raise CannotUpdate(f"{release} is not a zip that can be unpacked ({error}): download it again.") from error
        yield Path(place).resolve()


def _top(folder: Path, release: Path) -> Path:
    """Return the folder that contains the release: this folder or, as in many zips, one inside it."""
    for top in (folder, *sorted(path for path in folder.iterdir() if path.is_dir())):
        if (top / FILE).is_file() and (top / "exams").is_dir():
            return top
    raise CannotUpdate(f"{release} holds no release: a zip or a folder with {FILE} and exams/ was expected.")


def _files(top: Path) -> Iterator[Path]:
    """Yield the files of a release, relative to its folder. Links are left out."""
    for path in sorted(top.rglob("*")):
        inner = path.relative_to(top)
        if path.is_file() and not path.is_symlink() and not NOT_RELEASED & {name.casefold() for name in inner.parts}:
            yield inner


def _has_work(workspace: Workspace, path: Path) -> bool:
    """Return whether a file may hold a student's work: a changed exercise or an existing notebook."""
    there = _content(workspace.root / path)
    if there is None or path.parts[0] not in (workspace.exercises.name, "notebooks"):
        return False
    stubs = {f"{part.name}.py": part.stub for part in load(workspace.syllabus).parts}
    return text_of(there) != stubs.get(path.name)


def _content(path: Path) -> bytes | None:
    return path.read_bytes() if path.is_file() else None
