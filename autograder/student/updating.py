"""Copy a newer release into the folder of an earlier one, without replacing the student's work."""

import contextlib
import shutil
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from tempfile import TemporaryDirectory

from autograder.atomic_write import write_output
from autograder.course.course import read_course
from autograder.course.errors import FILE, ExplainedError
from autograder.exam.syllabus import load
from autograder.student.editing import text_of
from autograder.student.machine_checks import pip_install
from autograder.workspace import Workspace

NOT_RELEASED = {".attn", ".venv", ".git", "__pycache__", ".ipynb_checkpoints"}
"""Names of files and folders that are never copied from a release. Their case does not matter."""


def update(workspace: Workspace, release: Path) -> list[str]:
    """Copy a release, a zip or a folder, into the course. Return messages about what was done.

    Exercises with work and existing notebooks stay. Other files that differ are replaced, and their
    old versions are kept in `.attn/replaced`. Raises ExplainedError, OSError.
    """
    if workspace.solutions.is_dir():
        raise ExplainedError(
            f"{workspace.root} is the whole course, with its solutions, and no release: nothing was changed."
        )
    course = workspace.course
    stubs = {f"{part.name}.py": part.stub for part in load(workspace.syllabus).parts}
    aside = workspace.memory / "replaced" / f"{datetime.now():%Y-%m-%d-%H%M%S-%f}"
    kept = []
    with _unpacked(release) as top:
        new = read_course(top)
        if new.id != course.id:
            raise ExplainedError(f"{release} is a release of another course, {new.title!r}: nothing was changed.")
        for path in _files(top):
            mine, content = workspace.root / path, (top / path).read_bytes()
            before = mine.read_bytes() if mine.is_file() else None
            if before == content:
                continue
            if before is not None:
                if path.parts[0] in ("exercises", "notebooks") and text_of(before) != stubs.get(path.name):
                    kept.append(path.as_posix())
                    continue
                write_output(aside / path, before)
            write_output(mine, content)
    parts = [part for part in new.parts if part not in course.parts]
    said = [f"New: {', '.join(parts)}" if parts else "There are no new parts; the rest is as in the release."]
    if kept:
        said.append(f"Kept as you have written them: {', '.join(kept)}")
    if aside.is_dir():
        said.append(f"The replaced files are in {aside.relative_to(workspace.root)}, in case you had changed them.")
    if (aside / "requirements.lock").is_file():
        said.append(f"Other libraries may be needed than before: python -m {pip_install()}")
    return said


@contextlib.contextmanager
def _unpacked(release: Path) -> Iterator[Path]:
    """Yield the folder with the files of a release. A zip is unpacked into a temporary folder."""
    if release.is_dir():
        yield _top(release, release)
        return
    with TemporaryDirectory() as place:
        try:
            shutil.unpack_archive(release, place, "zip")
        except shutil.ReadError as error:
            raise ExplainedError(
                f"{release} is not a zip that can be unpacked ({error}): download it again."
            ) from error
        yield _top(Path(place), release)


def _top(folder: Path, release: Path) -> Path:
    """Return the folder with the files of the release: this folder or, as in many zips, one inside it."""
    for top in (folder, *sorted(path for path in folder.iterdir() if path.is_dir())):
        if (top / FILE).is_file() and (top / "exams").is_dir():
            return top
    raise ExplainedError(f"{release} holds no release: a zip or a folder with {FILE} and exams/ was expected.")


def _files(top: Path) -> Iterator[Path]:
    """Yield the relative paths of a release's files. Links and names in NOT_RELEASED are left out."""
    for path in sorted(top.rglob("*")):
        inner = path.relative_to(top)
        if path.is_file() and not path.is_symlink() and not NOT_RELEASED & {name.casefold() for name in inner.parts}:
            yield inner
