"""Open the exam of a class, or set one from a random seed that students cannot guess."""

import contextlib
import secrets
from concurrent import futures
from pathlib import Path

from autograder.classroom.changes import changes_of_course
from autograder.cli.context import Stop, solutions_of
from autograder.course.course import Course
from autograder.course.errors import BrokenCourse
from autograder.exam.files import write_exam
from autograder.exam.model import Exam
from autograder.render.screen import make_console
from autograder.runner.processes import spawning
from autograder.student.practice import open_exam
from autograder.student.targets import syllabus_of
from autograder.workspace import Workspace

CLASS_EXAM = "class.exam"
OWNERS = 0o600
"""The permissions of a class's exam. Only its owner may read it, because it contains the key."""

SEED_BITS = 128
"""The bits of a random seed. With fewer, the seeds that submissions see could reveal it."""

DRAWS = 8
"""The most seeds tried to set an exam that every known mistake fails. Nearly every seed sets one."""


def open_class_exam(workspace: Workspace, path: Path | None, out: Path) -> tuple[Exam, bytes]:
    """Return an exam and its bytes: the one at `path`, else in the folder `out`, else a new one in `out`."""
    chosen = path or out / CLASS_EXAM
    if not path and not chosen.is_file():
        solutions_of(workspace)
        make_console(stderr=True).print("setting an exam …")
        with futures.ProcessPoolExecutor(1, spawning()) as process:  # so that this process need not import torch
            exam = process.submit(random_exam, workspace.course).result()
        write_exam(exam, chosen, OWNERS)
    exam, content = open_exam(chosen), chosen.read_bytes()
    if changes := changes_of_course(exam.syllabus, syllabus_of(workspace)):
        raise Stop(
            f"{chosen} does not fit the course: {changes}. Run `attn build` if you have changed the course. If they "
            "still differ, move this exam away: without --exam another is set, and all are marked again."
        )
    if workspace.practice_exam.is_file() and content == workspace.practice_exam.read_bytes():
        raise Stop(f"{chosen} is the practice exam: students have its key. `attn build --exam FILE` sets another.")
    return exam, content


def random_exam(course: Course) -> Exam:
    """Set an exam from a seed that nobody can guess. Raises BrokenCourse."""
    from autograder.exam.build import build_exam

    for _ in range(DRAWS - 1):
        with contextlib.suppress(BrokenCourse):  # by chance, a known mistake may answer like the reference
            return build_exam(course, secrets.randbits(SEED_BITS))
    return build_exam(course, secrets.randbits(SEED_BITS))
