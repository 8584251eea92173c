"""Record progress after marking, copy the marked modules, and point to solutions.

If a stub replaces a marked module, as when a release is unpacked over it, its copy becomes a backup.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping

from autograder.course.verdicts import Verdict
from autograder.exam.syllabus import SyllabusStep, load
from autograder.grading.results import Marks, PartMarks, StepMarks
from autograder.student.editing import back_up, marked_copy, text_of, write_file
from autograder.student.progress import Progress
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
        for lost in () if of_notebook else _keep(workspace, marks.parts):
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


def _keep(workspace: Workspace, parts: Iterable[PartMarks]) -> Iterator[str]:
    """Copy the modules of marked parts. Yield messages about modules that are stubs again. Raises OSError."""
    syllabus = load(workspace.syllabus)
    for part in parts:
        path, copy = workspace.exercise(part.part), marked_copy(workspace, part.part)
        content = path.read_bytes() if path.is_file() else b""
        if content and text_of(content) != syllabus.part(part.part).stub:
            write_file(copy, content)
        elif copy.is_file():
            back_up(workspace, copy)
            yield (
                f"{path.name} holds nothing but stubs now. If you did not mean that, `attn reset {part.part} --undo` puts "
                "back your text as it was marked before."
            )
