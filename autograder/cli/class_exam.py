"""Open the exam of a class, or set one from a random seed that students cannot know."""

import contextlib
import secrets
from concurrent import futures
from pathlib import Path

from autograder.atomic_write import atomic_write
from autograder.classroom.changes import changes_of_course
from autograder.cli.context import Stop
from autograder.course.course import Course
from autograder.course.errors import BrokenCourse
from autograder.exam.files import NotAnExam, read_exam, write_exam
from autograder.exam.model import Exam
from autograder.exam.syllabus import Syllabus
from autograder.render.screen import make_console, say_error
from autograder.runner.processes import spawning
from autograder.student.practice import open_exam
from autograder.student.targets import syllabus_of
from autograder.workspace import Workspace

CLASS_EXAM, SUPERSEDED = "class.exam", "superseded"
OWNERS = 0o600
"""The permissions of a class's exam. Only its owner may read it, because it contains the key."""

SEED_BITS = 128
"""The length of a random seed. It must be too long to guess: submissions see seeds drawn from it."""

DRAWS = 8
"""The most seeds that are tried until an exam distinguishes all known mistakes. Nearly every one does."""


def open_class_exam(workspace: Workspace, path: Path | None, out: Path) -> tuple[Exam, bytes]:
    """Read the exam at `path`, or else the one in the folder of results, `out`.

    Set a new exam there if there is none, or if points of steps have changed. The old one is kept.
    """
    chosen, syllabus = path or out / CLASS_EXAM, syllabus_of(workspace)
    if not path and not chosen.is_file():
        if any((out / "marks").glob("*.json")):
            told = f"{out} holds marks but not the exam that they were made with"
            raise Stop(f"{told}: give that one with --exam, or another folder with --out.")
        set_class_exam(workspace, chosen)
    exam = open_exam(chosen)
    if other := sorted({step.path for step in exam.syllabus.steps} ^ {step.path for step in syllabus.steps}):
        raise Stop(
            f"{chosen} was set for another version of this course: they differ in {other[0]}. Set an exam again."
        )
    if changes := changes_of_course(exam.syllabus, syllabus):
        if path:
            raise Stop(f"{chosen} was set when the course had other points: {changes}. Set an exam again.")
        kept = out / SUPERSEDED / f"{exam.digest.removeprefix('sha256:')[:16]}.exam"
        kept.parent.mkdir(exist_ok=True)
        atomic_write(kept, chosen.read_bytes(), OWNERS)
        say_error(
            f"The points of the course have changed: {changes}. All are marked again; the exam of before is {kept}."
        )
        set_class_exam(workspace, chosen)
        exam = open_exam(chosen)
    if _is_known(exam, workspace.practice_exam):
        raise Stop(f"{chosen} is the practice exam: students have its key. `attn exam --out FILE` sets another.")
    return exam, chosen.read_bytes()


def _is_known(exam: Exam, practice_exam: Path) -> bool:
    """Return whether an exam shares a case, with its seed, with the practice exam."""
    try:
        known = {(case.path, case.seed) for case in read_exam(practice_exam).paper.cases}
    except NotAnExam:  # nobody can read its key
        return False
    return any((case.path, case.seed) in known for case in exam.paper.cases)


def set_class_exam(workspace: Workspace, path: Path) -> None:
    """Set an exam from a random seed in another process, so that this one need not import torch."""
    if not workspace.solutions.is_dir():
        raise Stop(
            "setting an exam needs solutions/, which this copy of the course does not include: give one, --exam FILE."
        )
    console = make_console(stderr=True)
    if not console.is_terminal:
        console.print("setting an exam …")
    with console.status("setting an exam …"), futures.ProcessPoolExecutor(1, spawning()) as process:
        process.submit(write_random_exam, workspace.course, syllabus_of(workspace), path).result()


def write_random_exam(course: Course, syllabus: Syllabus, path: Path) -> None:
    """Set an exam from a random seed and write it atomically. Raises OSError.

    syllabus: the one in use. Raises BrokenCourse if its points are outdated or the course is broken.
    """
    made = random_exam(course)
    if changes := changes_of_course(syllabus, made.syllabus):
        raise BrokenCourse(f"The points of the course have changed: {changes}. Run `attn sync`, then this again.")
    write_exam(made, path, OWNERS)


def random_exam(course: Course) -> Exam:
    """Set an exam from a seed that nobody can guess. Raises BrokenCourse."""
    from autograder.exam.build import build_exam

    for _ in range(DRAWS - 1):
        with contextlib.suppress(BrokenCourse):  # by chance, a known mistake may answer like the reference
            return build_exam(course, secrets.randbits(SEED_BITS))
    return build_exam(course, secrets.randbits(SEED_BITS))
