"""Taking a newer release into the folder of an earlier one: all of it but what the student has written."""

import contextlib
import os
import shutil
import zipfile
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from tempfile import TemporaryDirectory

from autograder.course.course import read_course
from autograder.course.errors import FILE, ExplainedError
from autograder.exam.syllabus import load
from autograder.student.editing import made_in_course, write_file
from autograder.workspace import Workspace

NOT_RELEASED = {".attn", ".venv", ".git", "__pycache__", ".ipynb_checkpoints"}
"""What appears where students work: no release brings it, in small letters or large ones, which some systems take for the same."""

LARGEST = 500_000_000
"""Bytes of a release, unpacked: many times those of any."""

MOST_FILES = 20_000
"""Of a release, and its folders: many times those of any."""

NEEDS = {"pyproject.toml", "requirements.lock"}
"""The files that say which libraries are needed."""


class CannotUpdate(ExplainedError):
    """A release cannot be taken in; the message says why and what to do."""


@dataclass(frozen=True)
class Update:
    """What has come of a release.

    parts: those that are there now and were not. gone: those that the release lacks. kept: the files in which the student has
    written. other_needs: whether other libraries are needed than before. replaced: where files are kept that were replaced, None if none was.
    """

    parts: tuple[str, ...]
    gone: tuple[str, ...]
    kept: tuple[Path, ...]
    other_needs: bool
    replaced: Path | None


def update(workspace: Workspace, release: Path) -> Update:
    """Take in a release, a zip or a folder. Nothing is lost: nobody knows in which files of a release somebody has written. Raises CannotUpdate, BrokenCourse and OSError."""
    if workspace.solutions.is_dir():
        raise CannotUpdate(
            f"{workspace.root} is the whole course, with its solutions, and no release: nothing was changed."
        )
    with _unpacked(release) as folder:
        found, course = Workspace(_top(folder, release)), workspace.course
        if found.root == workspace.root:
            raise CannotUpdate(f"{release} is this folder itself: name the zip of the new release, or its own folder.")
        new = read_course(found.root)
        if new.id != course.id:
            raise CannotUpdate(f"{release} is a release of another course, {new.title!r}: nothing was changed.")
        kept_out = [workspace.root / name for name in NOT_RELEASED]
        files = {
            path: (found.root / path).read_bytes()
            for path in (path.relative_to(found.root) for path in _files(found.root))
            if not _leads_into(workspace.root / path, kept_out)
        }
    changed = {path for path, content in files.items() if _content(workspace.root / path) != content}
    kept = {path for path in changed if _has_work(workspace, path)}
    replaced = _kept_aside(workspace, changed - kept)
    for path in sorted(changed - kept):
        write_file(workspace.root / path, files[path])
    return Update(
        tuple(part for part in new.parts if part not in course.parts),
        tuple(part for part in course.parts if part not in new.parts),
        tuple(sorted(kept)),
        bool(NEEDS & {path.as_posix() for path in changed}),
        replaced,
    )


def _kept_aside(workspace: Workspace, paths: Iterable[Path]) -> Path | None:
    """Copy those of some files that are there beside the backups; return where. Raises OSError, also where a link leads out of the course."""
    there = [path for path in paths if (workspace.root / path).is_file()]
    if not there:
        return None
    folder = made_in_course(workspace, workspace.memory / "replaced" / datetime.now().strftime("%Y-%m-%d-%H%M%S-%f"))
    for path in there:
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(workspace.root / path, folder / path)
    return folder


@contextlib.contextmanager
def _unpacked(release: Path) -> Iterator[Path]:
    """Give the folder of a release, unpacked for the time being if it is a zip."""
    if release.is_dir():
        yield release.resolve()
        return
    with TemporaryDirectory() as place:
        try:
            with zipfile.ZipFile(release) as archive:
                if len(archive.infolist()) > MOST_FILES:
                    raise zipfile.BadZipFile(f"it has more than {MOST_FILES:,} files")
                if sum(member.file_size for member in archive.infolist()) > LARGEST:
                    raise zipfile.BadZipFile(f"it has more than {LARGEST:,} bytes, unpacked")
                archive.extractall(place)
        except FileNotFoundError:
            raise CannotUpdate(f"there is no {release}: name the zip of the new release, or its folder.") from None
        except OSError:
            raise
        except Exception as error:  # zipfile and zlib have a dozen ways to fail at a broken archive
            raise CannotUpdate(f"{release} is not a zip that can be unpacked ({error}): download it again.") from error
        yield Path(place).resolve()


def _top(folder: Path, release: Path) -> Path:
    """Return where a release begins: zips often hold one folder that holds it."""
    for top in (folder, *sorted(path for path in folder.iterdir() if path.is_dir())):
        if (top / FILE).is_file() and (top / "exams").is_dir():
            return top
    raise CannotUpdate(f"{release} holds no release: a zip or a folder with {FILE} and exams/ was expected.")


def _files(top: Path) -> Iterator[Path]:
    for path in sorted(top.iterdir()):
        if path.name.casefold() in NOT_RELEASED or path.is_symlink():
            continue
        if path.is_dir():
            yield from _files(path)
        elif path.is_file():
            yield path


def _has_work(workspace: Workspace, path: Path) -> bool:
    """Return whether a file may hold work of a student's: an exercise that is no stub any more, or a notebook that is there."""
    there = _content(workspace.root / path)
    folders = workspace.exercises, workspace.root / "notebooks"
    named = path.parts[0].casefold() in [folder.name for folder in folders]
    if there is None or not (named or _leads_into(workspace.root / path, folders)):
        return False
    stubs = {f"{part.name}.py": part.stub for part in load(workspace.syllabus).parts}
    return there.decode("utf-8", "replace").replace("\r\n", "\n") != stubs.get(path.name)


def _leads_into(path: Path, folders: Iterable[Path]) -> bool:
    """Return whether a path leads into one of some folders, under whatever name: by a link, or as Windows shortens `.git` to `GIT~1`."""
    lies = Path(os.path.realpath(path))
    return any(lies.is_relative_to(os.path.realpath(folder)) for folder in folders)


def _content(path: Path) -> bytes | None:
    return path.read_bytes() if path.is_file() else None
