"""The progress of a checkout in one JSON file: last verdicts, digests of marked files, hints shown."""

import hashlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from autograder.atomic_write import atomic_write
from autograder.course.model import Text
from autograder.course.verdicts import Verdict
from autograder.exam.syllabus import Syllabus, SyllabusStep
from autograder.workspace import Workspace

if TYPE_CHECKING:
    from autograder.grading.results import Marks

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
        """How many hints of each step were shown, by path."""
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

    def record(self, marks: "Marks", files: Mapping[str, str]) -> None:
        """Record the verdicts of new marks and save them. Raises OSError.

        files: by part, the file's digest from before the marking, so that a later save counts as unmarked.
        """
        from autograder.student.editing import line_to_look_at

        now = datetime.now(UTC).isoformat(timespec="seconds")
        self._kept = _load(self.path)
        for part in marks.parts:
            for step in part.steps:
                line = line_to_look_at(Path(f"{part.part}.py"), step, part.error or "")
                self.steps[f"{part.part}.{step.step}"] = StepProgress(
                    step.verdict, step.score, now, files[part.part], step.hint or "", line
                )
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


def file_digests(workspace: Workspace, parts: Iterable[str]) -> dict[str, str]:
    """Return the digests of the student's files of some parts."""
    return {part: file_digest(workspace.exercise(part)) for part in parts}


def hints_led_by(first: str | None, step: SyllabusStep) -> tuple[str, ...]:
    """Return the hints of a step without repetitions. first: the hint in its marks, or None."""
    return tuple(dict.fromkeys((*filter(None, [first]), *step.hints)))


def load_progress(workspace: Workspace, tell: Callable[[str], None] | None = None) -> Progress:
    """Read the progress file. Rename an invalid file, and start again without progress.

    A file that cannot be opened is not renamed, because its content may be valid. tell: called with
    messages about these problems. By default, the messages go to standard error.
    """
    path = workspace.memory / "progress.json"
    try:
        return Progress(path, _load(path, tell or _say))
    except OSError as error:
        (tell or _say)(f"{path} could not be read or written: {error.strerror}. `attn doctor` says what to do.")
        return Progress(path)


def _load(path: Path, tell: Callable[[str], None] = lambda _: None) -> _Kept:
    """Read a progress file, and rename an invalid one. A missing file is no error. Raises OSError."""
    try:
        return msgspec.json.decode(
            path.read_text(encoding="utf-8-sig"), type=_Kept
        )  # Windows' editor begins with a mark
    except (FileNotFoundError, NotADirectoryError):
        return _Kept()
    except (ValueError, RecursionError) as error:
        aside = path.replace(path.with_suffix(".unreadable.json"))
        tell(
            f"{path} could not be read: it is not a progress file of a course ({error}). It was renamed to {aside.name}. "
            "Progress starts again: steps count when you check them."
        )
        return _Kept()


def _say(text: str) -> None:
    from autograder.render.screen import say_error  # Rich, which few who read progress need

    say_error(text)
