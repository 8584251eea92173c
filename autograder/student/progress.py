"""The progress of a checkout in one JSON file: last verdicts, digests of marked files, hints shown.

If a stub replaces a marked module, as when a release is unpacked over it, its copy becomes a backup.
"""

import hashlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from autograder.atomic_write import atomic_write
from autograder.course.model import Text
from autograder.course.verdicts import Verdict
from autograder.exam.syllabus import Syllabus, SyllabusStep, load
from autograder.render.screen import say_error
from autograder.student.editing import back_up, line_to_look_at, marked_copy, text_of, write_file
from autograder.workspace import Workspace

if TYPE_CHECKING:
    from autograder.grading.results import Marks, PartMarks, StepMarks

SCHEMA = "attn-progress/1"


@dataclass(frozen=True)
class StepProgress:
    """The last verdict of one step. file: the digest of the file that was marked.

    hint: the hint for the step's error. line: the line of the file to look at; 0 if unknown.
    """

    verdict: Verdict
    score: float
    checked_at: str
    file: str
    hint: Text = ""
    line: int = 0


@dataclass
class _Kept:
    """The form of the file. asked: by step, its file's digest and how many levels of its cause were shown."""

    schema: str = SCHEMA
    steps: dict[str, StepProgress] = field(default_factory=dict)
    hints: dict[str, int] = field(default_factory=dict)
    asked: dict[str, tuple[str, int]] = field(default_factory=dict)


class Progress:
    """A checkout's progress. path: its file, which is read again before each change, and written after it."""

    def __init__(self, path: Path, kept: _Kept | None = None) -> None:
        self.path, self._kept = path, kept or _Kept()

    @property
    def steps(self) -> dict[str, StepProgress]:
        """The last verdict of each checked step, by path."""
        return self._kept.steps

    @property
    def hints(self) -> dict[str, int]:
        """The number of hints shown of each step, by path."""
        return self._kept.hints

    def passed(self, step: str) -> bool:
        """Return whether the step passed when it was checked last."""
        return step in self.steps and self.steps[step].verdict == Verdict.PASSED

    def next_step(self, syllabus: Syllabus, checked: Sequence[SyllabusStep] = ()) -> SyllabusStep | None:
        """Return the first open step: among those just checked, else in their parts, else in the course.

        checked: by default, the steps that were checked last. Returns None if every step has passed.
        """
        last = max((step.checked_at for step in self.steps.values()), default="")
        paths = {step.path for step in checked} or {path for path, one in self.steps.items() if one.checked_at == last}
        parts = {path.partition(".")[0] for path in paths}
        still_open = (step for step in syllabus.steps if not self.passed(step.path))
        return min(still_open, key=lambda step: (step.path not in paths, step.part not in parts), default=None)

    def record(self, marks: "Marks", workspace: Workspace) -> None:
        """Record the verdicts of new marks and save them. Raises OSError."""
        now = datetime.now(UTC).isoformat(timespec="seconds")
        self._kept = _load(self.path)
        for part in marks.parts:
            file = workspace.exercise(part.part)
            digest = file_digest(file)
            for step in part.steps:
                line = line_to_look_at(file, step, part.error or "")
                known = StepProgress(step.verdict, step.score, now, digest, step.hint or "", line)
                self.steps[f"{part.part}.{step.step}"] = known
        self.save()

    def hints_of(self, step: SyllabusStep) -> tuple[str, ...]:
        """Return the hints of a step. A hint for the error of the last check comes first."""
        return hints_led_by(self.steps[step.path].hint if step.path in self.steps else None, step)

    def next_hint(self, step: str, available: int) -> int:
        """Reveal one more hint of a step and return how many are shown now. Raises OSError."""
        self._kept = _load(self.path)
        self.hints[step] = min(self.hints.get(step, 0) + 1, available)
        self.save()
        return self.hints[step]

    def next_rung(self, step: str, file: str, available: int) -> int:
        """Reveal one more hint level of a step's cause and return how many are shown. Raises OSError.

        file: the digest of the student's file. A changed file starts again at the first level.
        """
        self._kept = _load(self.path)
        of, shown = self._kept.asked.get(step, ("", 0))
        shown = min((shown if of == file else 0) + 1, available)
        self._kept.asked[step] = file, shown
        self.save()
        return shown

    def save(self) -> None:
        """Write the file atomically. Raises OSError."""
        self.path.parent.mkdir(parents=True, exist_ok=True)
        atomic_write(self.path, msgspec.json.format(msgspec.json.encode(self._kept), indent=1) + b"\n")


def file_digest(path: Path) -> str:
    """Return the digest of a file's content, or an empty string if the file cannot be read."""
    try:
        return hashlib.sha256(path.read_bytes()).hexdigest()[:16]
    except OSError:
        return ""


def hints_led_by(first: str | None, step: SyllabusStep) -> tuple[str, ...]:
    """Return the hints of a step without repetitions. first: the hint in its marks, or None."""
    return tuple(dict.fromkeys((*filter(None, [first]), *step.hints)))


def load_progress(workspace: Workspace, tell: Callable[[str], None] = say_error) -> Progress:
    """Read the progress file. Rename an invalid file, and start again without progress.

    A file that cannot be opened is not renamed, because its content may be valid. tell: called with
    messages about these problems. By default, the messages go to standard error.
    """
    path = workspace.memory / "progress.json"
    try:
        return Progress(path, _load(path, tell))
    except OSError as error:
        tell(f"{path} could not be read or written: {error.strerror}. `attn doctor` says what to do.")
        return Progress(path)


def remember(workspace: Workspace, marks: "Marks", tell: Callable[[str], None], of_notebook: bool = False) -> list[str]:
    """Record marks as progress, and copy the marked modules. Return the steps that newly pass.

    tell: called with messages about lost work and errors of the disk. of_notebook: the marks are of a
    notebook, so that no module is copied.
    """
    progress = load_progress(workspace, tell)
    paths = (f"{part.part}.{step.step}" for part in marks.parts for step in part.steps if step.passed)
    passed = [path for path in paths if not progress.passed(path)]
    try:
        for lost in () if of_notebook else _keep(workspace, marks.parts):
            tell(lost)
        progress.record(marks, workspace)
    except OSError as error:
        where = error.filename or workspace.memory
        tell(f"progress could not be saved in {where}: {error.strerror}. `attn doctor` says more.")
    return passed


def _keep(workspace: Workspace, parts: Iterable["PartMarks"]) -> Iterator[str]:
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


def way_to_solutions(workspace: Workspace, passed: Iterable[str]) -> str:
    """Return how to show the solutions of steps that have just passed; empty if there are none here."""
    shown = [path for path in passed if (workspace.solutions / f"{path.partition('.')[0]}.py").is_file()]
    return f"How the reference does it: attn solution {shown[0] if len(shown) == 1 else 'STEP'}" if shown else ""


def nothing_to_tell(step: SyllabusStep, marks: "StepMarks | None") -> str:
    """Return why no cause of a step can be shown."""
    if marks and marks.passed:
        return f"{step.path} passes."
    if not marks or marks.verdict == Verdict.NOT_ATTEMPTED:
        return f"{step.path} is not written yet: `attn show {step.path}` says what it asks."
    return f"No more is known than that. `attn shapes {step.path}` shows your tensors line by line."


def _load(path: Path, tell: Callable[[str], None] = lambda _: None) -> _Kept:
    """Read a progress file, and rename an invalid one. A missing file is no error. Raises OSError."""
    try:
        text = path.read_text(encoding="utf-8-sig")  # Windows' editor begins with a mark
        return msgspec.json.decode(text, type=_Kept)
    except (FileNotFoundError, NotADirectoryError):
        return _Kept()
    except (ValueError, RecursionError) as error:
        aside = path.replace(path.with_suffix(".unreadable.json"))
        tell(
            f"{path} could not be read: it is not a progress file of a course ({error}). It was renamed to {aside.name}. "
            "Progress starts again: steps count when you check them."
        )
        return _Kept()
