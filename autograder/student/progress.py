"""The student's progress in a JSON file: the last verdict on each step, and the hints shown.

Each marked module is also copied. If its stub replaces the module, the copy becomes a backup.
"""

from collections.abc import Callable, Iterable, Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING

import msgspec

from autograder.atomic_write import write_output
from autograder.course.model import Text
from autograder.course.verdicts import Verdict
from autograder.exam.syllabus import Syllabus, SyllabusStep, load
from autograder.render.screen import say_error
from autograder.student.editing import back_up, marked_copy, text_of
from autograder.workspace import Workspace

if TYPE_CHECKING:
    from autograder.grading.results import Marks, StepMarks

PROGRESS = "progress.json"


class StepProgress(msgspec.Struct, frozen=True):
    """The last verdict on one step. hint: the hint for the step's error; empty if there is none."""

    verdict: Verdict
    score: float
    checked_at: str
    hint: Text = ""


class Progress(msgspec.Struct, tag_field="schema", tag="attn-progress/1"):
    """A student's progress. hints, causes: by step, how many hints, or texts on the cause, were shown."""

    steps: dict[str, StepProgress] = {}
    hints: dict[str, int] = {}
    causes: dict[str, int] = {}

    def passed(self, step: str) -> bool:
        """Return whether the step passed in its last check."""
        return step in self.steps and self.steps[step].verdict == Verdict.PASSED

    def next_step(self, syllabus: Syllabus, checked: Sequence[SyllabusStep] = ()) -> SyllabusStep | None:
        """Return the first step not passed: one of `checked`, else of their parts, else of the course.

        checked: by default, the steps of the last check. Returns None if every step has passed.
        """
        last = max((step.checked_at for step in self.steps.values()), default="")
        paths = {step.path for step in checked} or {path for path, one in self.steps.items() if one.checked_at == last}
        parts = {path.partition(".")[0] for path in paths}
        still_open = (step for step in syllabus.steps if not self.passed(step.path))
        return min(still_open, key=lambda step: (step.path not in paths, step.part not in parts), default=None)

    def reveal(self, workspace: Workspace, shown: dict[str, int], step: str, available: int) -> int:
        """Count one more text of a step as shown, and return the count. Raises OSError.

        shown: the counts, `hints` or `causes`. available: how many texts the step has.
        """
        shown[step] = min(shown.get(step, 0) + 1, available)
        self.save(workspace)
        return shown[step]

    def save(self, workspace: Workspace) -> None:
        """Write the progress file atomically. Raises OSError."""
        write_output(workspace.memory / PROGRESS, msgspec.json.format(msgspec.json.encode(self), indent=1) + b"\n")


def hints_of(step: SyllabusStep, known: "StepProgress | StepMarks | None") -> tuple[str, ...]:
    """Return the hints of a step. The hint for the error of its last check, if any, comes first."""
    return tuple(dict.fromkeys((*([known.hint] if known and known.hint else ()), *step.hints)))


def load_progress(workspace: Workspace) -> Progress:
    """Read the progress file. If it is invalid, rename it and return no progress. Raises OSError."""
    path = workspace.memory / PROGRESS
    try:
        return msgspec.json.decode(path.read_bytes(), type=Progress)
    except (FileNotFoundError, NotADirectoryError):
        pass
    except (ValueError, RecursionError) as error:
        aside = path.replace(path.with_suffix(".unreadable.json"))
        say_error(f"{path} is not a progress file ({error}). It was renamed to {aside.name}; progress starts again.")
    return Progress()


def remember(workspace: Workspace, marks: "Marks", tell: Callable[[str], None], of_notebook: bool = False) -> list[str]:
    """Record marks as progress, and copy the marked modules. Return the steps that newly pass.

    tell: called with messages about lost work and disk errors. of_notebook: whether the marks are of a
    notebook. Then no module is copied, and failed steps are left out: the module may pass them.
    """
    now, passed = datetime.now(UTC).isoformat(timespec="seconds"), []
    try:
        progress = load_progress(workspace)
        for part in marks.parts:
            if not of_notebook:
                _keep(workspace, part.part, tell)
            for step in part.steps:
                path = f"{part.part}.{step.step}"
                if step.passed and not progress.passed(path):
                    passed.append(path)
                if step.passed or not of_notebook:
                    progress.steps[path] = StepProgress(step.verdict, step.score, now, step.hint or "")
                    progress.causes.pop(path, None)
        progress.save(workspace)
    except OSError as error:
        tell(f"progress could not be saved in {error.filename or workspace.memory}: {error.strerror}.")
    return passed


def _keep(workspace: Workspace, part: str, tell: Callable[[str], None]) -> None:
    """Copy a marked module. If the module is a stub again, back up the last copy. Raises OSError."""
    path, copy = workspace.exercise(part), marked_copy(workspace, part)
    content = path.read_bytes() if path.is_file() else b""
    if content and text_of(content) != load(workspace.syllabus).part(part).stub:
        write_output(copy, content)
    elif copy.is_file():
        back_up(workspace, copy)
        undo = f"`attn reset {part} --undo` puts back your text as it was marked before"
        tell(f"{path.name} holds nothing but stubs now. If you did not mean that, {undo}.")


def way_to_solutions(workspace: Workspace, passed: Iterable[str]) -> str:
    """Return a sentence on how to see the solutions of passed steps; empty if this copy has none."""
    shown = [path for path in passed if (workspace.solutions / f"{path.partition('.')[0]}.py").is_file()]
    return f"How the reference does it: attn hint --solution {shown[0] if len(shown) == 1 else 'STEP'}" if shown else ""


def nothing_to_tell(step: SyllabusStep, marks: "StepMarks | None") -> str:
    """Return a sentence on why no cause of a step's error can be shown."""
    if marks and marks.passed:
        return f"{step.path} passes."
    if not marks or marks.verdict == Verdict.NOT_ATTEMPTED:
        return f"{step.path} is not written yet: `attn show {step.path}` says what it asks."
    return f"No more is known than that. `attn trace {step.path}` shows your tensors line by line."
