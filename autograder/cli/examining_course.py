"""Examining the course: its exam, what the student writes in, what is remembered, and whether it can be written to."""

import os
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

from autograder.cli import repairs
from autograder.cli.progress import progress_file, read_progress
from autograder.cli.symptoms import Symptom
from autograder.exam.syllabus import Syllabus, load
from autograder.workspace import COURSE, Workspace

LITTLE = 200 << 20
"""Bytes: with less room on the disk, pip and torch's compiler fail sooner or later."""


BEGIN_ANEW = "Nothing is lost but the record: what passes is noted again when it is checked."
CHECK = ("attn check",)


def examine_course(workspace: Workspace | None, exam_trouble: str) -> Iterator[Symptom]:
    """Yield how the course's files are. exam_trouble: why the practice exam cannot be read, empty where it can."""
    if not workspace:
        yield Symptom("course", "there is no exams/syllabus.json here or above", False, repairs.way_to_course())
        return
    yield _course(workspace, exam_trouble)
    try:
        syllabus = load(workspace.syllabus)
    except (OSError, ValueError) as error:
        found = f"{workspace.syllabus} cannot be read: {error}"
        yield Symptom("syllabus", found, False, *repairs.bring_exam_back(workspace))
    else:
        yield _exercises(workspace, syllabus)
        yield _progress(workspace, syllabus)
    yield _disk(workspace)


def _course(workspace: Workspace, exam_trouble: str) -> Symptom:
    if not workspace.practice_exam.is_file():
        return Symptom("course", "the practice exam is missing", False, *repairs.bring_exam_back(workspace))
    if (workspace.root / "autograder").is_dir() and workspace.root.resolve() != COURSE.root:
        return Symptom(
            "course",
            f"you are in {workspace.root}, but this attn belongs to {COURSE.root}",
            False,
            "Two copies of the course are mixed up, and their exams may differ. Install the one that you are in:",
            repairs.install(workspace),
        )
    if exam_trouble:
        found = f"the practice exam cannot be used: {exam_trouble}"
        return Symptom("course", found, False, *repairs.bring_exam_back(workspace))
    return Symptom("course", f"{workspace.root}, with its practice exam", True)


def _exercises(workspace: Workspace, syllabus: Syllabus) -> Symptom:
    missing = [part.name for part in syllabus.parts if not workspace.exercise(part.name).is_file()]
    if missing:
        found = f"missing: {', '.join(f'{part}.py' for part in missing)}"
        commands = tuple(f"attn reset {part} --yes" for part in missing)
        return Symptom("exercises", found, False, "You write in them. To have their stubs:", commands)
    return Symptom("exercises", f"{len(syllabus.parts)} files in {workspace.exercises}", True)


def _progress(workspace: Workspace, syllabus: Syllabus) -> Symptom:
    path = progress_file(workspace)
    if os.path.isfile(path.parent):
        return _in_the_way(path.parent, "a file", "folder")
    if os.path.isdir(path):
        return _in_the_way(path, "a folder", "file")
    try:
        progress = read_progress(path)
    except FileNotFoundError:
        aside = sorted(path.parent.glob(f"{path.stem}.unreadable*"))
        if not aside:
            return Symptom("progress", "none yet; the first check begins it", True)
        return Symptom("progress", f"what was there could not be read and is now {aside[-1]}", None, BEGIN_ANEW, CHECK)
    except PermissionError as error:
        advice = "What has passed is still in it. To have the right to read it:"
        return Symptom(
            "progress", f"{path} cannot be read: {error.strerror}", False, advice, repairs.have_rights(path.parent)
        )
    except (OSError, ValueError) as error:
        return Symptom("progress", f"{path} cannot be read: {error}", False, BEGIN_ANEW, CHECK)
    done = sum(progress.passed(step.path) for step in syllabus.steps)
    return Symptom("progress", f"{done} of {len(syllabus.steps)} steps have passed, in {path}", True)


def _in_the_way(path: Path, found: str, expected: str) -> Symptom:
    advice = f"Progress is kept in a {expected} of that name, which the next check makes. Move what is there away:"
    return Symptom(
        "progress", f"{path} is {found}, where a {expected} should be", False, advice, repairs.move_away(path)
    )


def _disk(workspace: Workspace) -> Symptom:
    """Try to write where progress is kept, and leave nothing there."""
    folder = workspace.memory if workspace.memory.is_dir() else workspace.root
    try:
        with tempfile.TemporaryFile(dir=folder) as file:
            file.write(bytes(1 << 16))
        free = shutil.disk_usage(folder).free
    except OSError as error:
        found = f"{folder} cannot be written to: {error.strerror}"
        if folder == workspace.memory and isinstance(error, PermissionError):
            advice = "Progress and backups are kept there. To have the right to write there:"
            return Symptom("disk", found, False, advice, repairs.have_rights(folder))
        return Symptom(
            "disk",
            found,
            False,
            "Progress and backups are kept there. Make room on the disk if it is full; else take the course to a folder "
            "of your own, or have this one given to you.",
        )
    if free < LITTLE:
        return Symptom("disk", f"{free / 1e6:.0f} MB are free", None, "It is nearly full. Make room before you go on.")
    return Symptom("disk", f"{folder} can be written to, {free / 1e9:.0f} GB are free", True)
