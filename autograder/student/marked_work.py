"""The student's modules as they were marked last: a stub that comes over one, as when a release is unpacked there, loses nothing."""

from collections.abc import Iterator, Mapping

from autograder.course.verdicts import Verdict
from autograder.grading.results import Marks, PartMarks
from autograder.student.digests import file_digest
from autograder.student.editing import back_up, can_be_parsed, lines_of_step, marked_copy, write_file
from autograder.student.progress import Progress
from autograder.workspace import Workspace


def keep(workspace: Workspace, progress: Progress, marks: Marks, files: Mapping[str, str]) -> list[str]:
    """Keep what was marked, and return what is to be said of steps that were written before and are stubs again.

    progress: from before the marks were recorded. files: by part, the digest of the file that was marked. Raises OSError.
    """
    said = []
    for part in marks.parts:
        path, copy = workspace.exercise(part.part), marked_copy(workspace, part.part)
        if file_digest(path) != files[part.part] or (part.error and path.is_file()):
            continue  # saved meanwhile, or not readable for the moment: the next check keeps it
        written = list(_written_before(part, progress, path.is_file()))
        lost = [step for step in written if lines_of_step(copy, step) != lines_of_step(path, step)]
        if lost and copy.is_file():
            back_up(workspace, copy)
            said.append(
                f"{', '.join(lost)}: written before, and not there any more. If you did not mean that, `attn reset {part.part} --undo` "
                f"puts back {path.name} as it was marked before."
            )
        attempted = any(step.verdict != Verdict.NOT_ATTEMPTED for step in part.steps)
        if path.is_file() and attempted and can_be_parsed(path):
            write_file(copy, path.read_bytes())
    return said


def _written_before(part: PartMarks, progress: Progress, there: bool) -> Iterator[str]:
    """Yield the steps that were written, and are stubs now or gone with their file."""
    for step in part.steps:
        known = progress.steps.get(f"{part.part}.{step.step}")
        if known and known.verdict != Verdict.NOT_ATTEMPTED and (step.verdict == Verdict.NOT_ATTEMPTED or not there):
            yield step.step
