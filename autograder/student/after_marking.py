"""Record progress after marking, copy the marked modules, and point to solutions.

If a stub replaces a marked module, as when a release is unpacked over it, its copy becomes a backup.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping

from autograder.course.verdicts import Verdict
from autograder.exam.syllabus import SyllabusStep
from autograder.grading.results import Marks, PartMarks, StepMarks
from autograder.student.editing import back_up, can_be_parsed, lines_of_step, marked_copy, write_file
from autograder.student.progress import Progress, file_digest
from autograder.workspace import Workspace


def remember(
    workspace: Workspace,
    progress: Progress,
    marks: Marks,
    files: Mapping[str, str],
    tell: Callable[[str], None],
    of_notebook: bool = False,
) -> list[str]:
    """Record marks as progress, and copy the marked modules. Return the steps that newly pass.

    files: by part, the digest of the marked file. tell: called with messages about lost work and errors
    of the disk. of_notebook: the marks are of a notebook, so that no module is copied.
    """
    paths = (f"{part.part}.{step.step}" for part in marks.parts for step in part.steps if step.passed)
    passed = [path for path in paths if not progress.passed(path)]
    try:
        for lost in () if of_notebook else _keep(workspace, progress, marks, files):
            tell(lost)
        progress.record(marks, files)
    except OSError as error:
        tell(
            f"progress could not be saved in {error.filename or workspace.memory}: {error.strerror}. `attn doctor` says more."
        )
    return passed


def way_to_solutions(workspace: Workspace, passed: Iterable[str]) -> str:
    """Return how to show the solutions of steps that have just passed; empty if there are none here."""
    shown = [path for path in passed if (workspace.solutions / f"{path.partition('.')[0]}.py").is_file()]
    return f"How the reference does it: attn solution {shown[0] if len(shown) == 1 else 'STEP'}" if shown else ""


def nothing_to_tell(step: SyllabusStep, marks: StepMarks | None) -> str:
    """Return why no cause of a step can be shown."""
    if marks and marks.passed:
        return f"{step.path} passes."
    if not marks or marks.verdict == Verdict.NOT_ATTEMPTED:
        return f"{step.path} is not written yet: `attn show {step.path}` says what it asks."
    return f"No more is known than that. `attn shapes {step.path}` shows your tensors line by line."


def _keep(workspace: Workspace, progress: Progress, marks: Marks, files: Mapping[str, str]) -> Iterator[str]:
    """Copy the marked modules. Yield messages about steps that have become stubs again. Raises OSError."""
    for part in marks.parts:
        path, copy = workspace.exercise(part.part), marked_copy(workspace, part.part)
        if file_digest(path) != files[part.part] or (part.error and path.is_file()):
            continue  # saved meanwhile, or not readable for the moment: the next check keeps it
        written = list(_written_before(part, progress, path.is_file()))
        lost = [step for step in written if lines_of_step(copy, step) != lines_of_step(path, step)]
        if lost and copy.is_file():
            back_up(workspace, copy)
            yield (
                f"{', '.join(lost)}: written before, and not there any more. If you did not mean that, `attn reset {part.part} --undo` "
                f"puts back {path.name} as it was marked before."
            )
        attempted = any(step.verdict != Verdict.NOT_ATTEMPTED for step in part.steps)
        if path.is_file() and attempted and can_be_parsed(path):
            write_file(copy, path.read_bytes())


def _written_before(part: PartMarks, progress: Progress, there: bool) -> Iterator[str]:
    """Yield the steps that were attempted before and are stubs or missing now."""
    for step in part.steps:
        known = progress.steps.get(f"{part.part}.{step.step}")
        if known and known.verdict != Verdict.NOT_ATTEMPTED and (step.verdict == Verdict.NOT_ATTEMPTED or not there):
            yield step.step
