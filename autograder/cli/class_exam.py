"""The exam of a class: the one that was asked for, else one from a random seed that students do not have."""

from __future__ import annotations

import contextlib
from pathlib import Path
from typing import TYPE_CHECKING

from autograder.cli.context import Refusal, Stop
from autograder.workspace import Workspace

if TYPE_CHECKING:
    from autograder.course.course import Course
    from autograder.exam.model import Exam
    from autograder.exam.syllabus import Syllabus

CLASS_EXAM, SUPERSEDED = "class.exam", "superseded"
OWNERS = 0o600
"""Who may read an exam of a class, which holds the key."""

SEED_BITS = 128
"""Of a seed that nobody gives. Submissions see seeds of cases, which are drawn from it: it must be beyond any search."""

DRAWS = 8
"""How often an exam is drawn until one distinguishes all known mistakes; nearly every one does."""


def open_class_exam(workspace: Workspace, path: Path | None, out: Path) -> tuple[Exam, bytes]:
    """Read the exam that was asked for, else the one in the folder of results.

    There one is set if there is none, or if steps were worth something else when it was: that one is kept.
    """
    from autograder.student.practice import open_exam

    chosen = path or out / CLASS_EXAM
    if not path and not chosen.is_file():
        if any((out / "marks").glob("*.json")):
            told = f"{out} holds marks but not the exam that they were made with"
            raise Stop(f"{told}: give that one with --exam, or another folder with --out.")
        set_class_exam(workspace, chosen)
    exam = open_exam(chosen)
    _require_same_course(workspace, exam, chosen)
    if changes := _changes(workspace, exam):
        if path:
            raise Stop(f"{chosen} was set when the course had other points: {changes}. Set an exam again.")
        _keep_earlier(chosen, exam, changes)
        set_class_exam(workspace, chosen)
        exam = open_exam(chosen)
    if _is_known(exam, workspace.practice_exam):
        raise Stop(f"{chosen} is the practice exam: students have its key. `attn exam --out FILE` sets another.")
    return exam, chosen.read_bytes()


def _is_known(exam: Exam, practice_exam: Path) -> bool:
    """Return whether cases of an exam are those of the practice exam: each has a seed that comes with no other exam."""
    from autograder.exam.files import NotAnExam, read_exam

    try:
        known = {(case.path, case.seed) for case in read_exam(practice_exam).paper.cases}
    except NotAnExam:  # it tells nobody anything
        return False
    return any((case.path, case.seed) in known for case in exam.paper.cases)


def _changes(workspace: Workspace, exam: Exam) -> str:
    """Return which steps are worth something else than when an exam was set, in words."""
    from autograder.classroom.changed_points import changes_of_course, listed
    from autograder.cli.context import syllabus_of

    return listed(changes_of_course(exam.syllabus, syllabus_of(workspace)))


def _keep_earlier(path: Path, exam: Exam, changes: str) -> None:
    """Keep a copy of an exam whose points are those of before, and say so."""
    from autograder.atomic_write import atomic_write
    from autograder.render.screen import say_error

    kept = path.parent / SUPERSEDED / f"{exam.digest.removeprefix('sha256:')[:16]}.exam"
    try:
        kept.parent.mkdir(exist_ok=True)
        atomic_write(kept, path.read_bytes(), OWNERS)
    except OSError as error:
        raise Stop(f"{path} could not be kept as {kept}: {error.strerror}.") from error
    say_error(f"The points of the course have changed: {changes}. All are marked again; the exam of before is {kept}.")


def set_class_exam(workspace: Workspace, path: Path) -> None:
    """Set an exam from a random seed, in another process: this one does without torch."""
    from concurrent.futures import ProcessPoolExecutor

    from autograder.cli.context import syllabus_of
    from autograder.course.errors import BrokenCourse
    from autograder.render.screen import make_console
    from autograder.runner.processes import spawning

    if not workspace.solutions.is_dir():
        raise Stop(
            "setting an exam needs solutions/, which this copy of the course does not include: give one, --exam FILE."
        )
    console = make_console(stderr=True)
    if not console.is_terminal:
        console.print("setting an exam …")
    with (
        console.status("setting an exam …"),
        ProcessPoolExecutor(1, spawning()) as process,
    ):
        try:
            process.submit(write_random_exam, workspace.course, syllabus_of(workspace), path).result()
        except BrokenCourse as error:
            raise Refusal(str(error)) from error
        except OSError as error:
            raise Stop(f"{path} could not be written: {error.strerror}.") from error


def write_random_exam(course: Course, syllabus: Syllabus, path: Path) -> None:
    """Set an exam from a random seed and write it, whole or not at all.

    syllabus: what the course's steps are worth to all other commands. Raises BrokenCourse, also where that is outdated, and OSError.
    """
    from autograder.classroom.changed_points import changes_of_course, listed
    from autograder.course.errors import BrokenCourse
    from autograder.exam.files import write_exam

    made = random_exam(course)
    if changes := changes_of_course(syllabus, made.syllabus):
        raise BrokenCourse(
            f"The points of the course have changed: {listed(changes)}. Run `attn sync`, then this again."
        )
    write_exam(made, path, OWNERS)


def random_exam(course: Course) -> Exam:
    """Set an exam from a seed that nobody can guess. Raises BrokenCourse."""
    import secrets

    from autograder.course.errors import BrokenCourse
    from autograder.exam.build import build_exam

    for _ in range(DRAWS - 1):
        with contextlib.suppress(BrokenCourse):  # with some numbers, a known mistake answers as the reference does
            return build_exam(course, secrets.randbits(SEED_BITS))
    return build_exam(course, secrets.randbits(SEED_BITS))


def _require_same_course(workspace: Workspace, exam: Exam, path: Path) -> None:
    from autograder.cli.context import syllabus_of

    steps = {step.path for step in syllabus_of(workspace).steps}
    if other := sorted({step.path for step in exam.syllabus.steps} ^ steps):
        raise Stop(f"{path} was set for another version of this course: they differ in {other[0]}. Set an exam again.")
