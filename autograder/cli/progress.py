"""What one checkout remembers of its student: verdicts of the last check and hints shown, in one readable file."""

import contextlib
import hashlib
import json
import os
import tempfile
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from autograder.marking.marks import PASSED, Marks
from autograder.workspace import Workspace

SCHEMA = "attn-progress/1"


@dataclass(frozen=True)
class StepProgress:
    """The last verdict of one step. file: the digest of the student's file at that time."""

    verdict: str
    score: float
    checked_at: str
    file: str


@dataclass
class Progress:
    """The progress of one checkout."""

    path: Path
    steps: dict[str, StepProgress] = field(default_factory=dict)
    hints: dict[str, int] = field(default_factory=dict)

    def passed(self, step: str) -> bool:
        """Tell whether the step passed when it was checked last."""
        return step in self.steps and self.steps[step].verdict == PASSED

    def record(self, marks: Marks, workspace: Workspace) -> None:
        """Remember the verdicts of marks just made, and save."""
        now = datetime.now(UTC).isoformat(timespec="seconds")
        for part in marks.parts:
            if part.error:
                continue  # a file that cannot be loaded for now takes nothing back that had passed
            digest = file_digest(workspace.exercise(part.part))
            for step in part.steps:
                self.steps[f"{part.part}.{step.step}"] = StepProgress(step.verdict, step.score, now, digest)
        self.save()

    def next_hint(self, step: str, available: int) -> int:
        """Reveal one more hint of a step and return how many are shown now."""
        self.hints[step] = min(self.hints.get(step, 0) + 1, available)
        self.save()
        return self.hints[step]

    def save(self) -> None:
        """Write the file in one go: a kill leaves the old one or the new one, never half of either."""
        data = {
            "schema": SCHEMA,
            "steps": {path: vars(step) for path, step in self.steps.items()},
            "hints": self.hints,
        }
        self.path.parent.mkdir(parents=True, exist_ok=True)
        descriptor, name = tempfile.mkstemp(dir=self.path.parent, prefix=self.path.name, suffix=".part")
        try:
            with os.fdopen(descriptor, "w", encoding="utf-8") as file:
                json.dump(data, file, indent=1)
                file.write("\n")
                file.flush()
                os.fsync(file.fileno())
            os.replace(name, self.path)
        except BaseException:
            with contextlib.suppress(OSError):
                os.unlink(name)
            raise


def load_progress(workspace: Workspace) -> Progress:
    """Read the progress file; one that cannot be read is set aside under another name, and progress begins anew."""
    path = workspace.memory / "progress.json"
    try:
        data: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
        steps = {
            name: StepProgress(str(step["verdict"]), float(step["score"]), str(step["checked_at"]), str(step["file"]))
            for name, step in data["steps"].items()
        }
        hints = {name: int(shown) for name, shown in data["hints"].items()}
    except FileNotFoundError:
        return Progress(path)
    except (ValueError, KeyError, TypeError, AttributeError):
        path.replace(_unused(path.with_suffix(".unreadable.json")))
        return Progress(path)
    return Progress(path, steps, hints)


def _unused(path: Path) -> Path:
    """Return the path, numbered if a file of that name is there already."""
    candidate, copies = path, 1
    while candidate.exists():
        copies += 1
        candidate = path.with_stem(f"{path.stem}-{copies}")
    return candidate


def file_digest(path: Path) -> str:
    """Return the digest of a file's content, empty for a file that is not there."""
    try:
        return hashlib.sha256(path.read_bytes()).hexdigest()[:16]
    except OSError:
        return ""
