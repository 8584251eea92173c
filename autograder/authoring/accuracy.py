"""How often the grader is wrong, measured: does it accept what is wrong, refuse what is right, or misname a mistake?"""

import json
import tomllib
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from autograder.authoring import alternatives
from autograder.authoring.trial import describe_marks, text_with, try_text
from autograder.course.errors import BrokenCourse
from autograder.course.verdicts import Verdict
from autograder.diagnosis.operators.edits import mutants
from autograder.exam.files import read_exam
from autograder.exam.model import Exam, Scope, restricted_to
from autograder.exam.reference import read
from autograder.exam.syllabus import SyllabusPart
from autograder.runner.processes import Runner
from autograder.workspace import Workspace

Key = tuple[str, str, str]
"""A mutant: the path of its step, and the line before and after."""

Progress = Callable[[str], None]

FEWEST_ALTERNATIVES = 3


@dataclass
class Accuracy:
    """What was tried in one part, how much of it was marked as it should be, and what was not. passing: unlisted mutants."""

    part: str
    mutants: int = 0
    caught: int = 0
    equivalent: int = 0
    alternatives: int = 0
    accepted: int = 0
    mistakes: int = 0
    named: int = 0
    problems: list[str] = field(default_factory=list)
    passing: list[Key] = field(default_factory=list)

    @property
    def counts(self) -> tuple[int, ...]:
        """The numbers in the order of the columns."""
        return tuple(getattr(self, column) for column in COLUMNS)


COLUMNS = ("mutants", "caught", "equivalent", "alternatives", "accepted", "mistakes", "named")


def measure(workspace: Workspace, runner: Runner, progress: Progress, scope: Scope = None) -> Iterator[Accuracy]:
    """Measure part by part. scope: the steps that are checked. Raises BrokenCourse."""
    exam = read_exam(workspace.practice_exam)
    for part in restricted_to(exam, scope).syllabus.parts:
        _check_steps(workspace, exam.syllabus.part(part.name))
        accuracy = Accuracy(part.name)
        own = read_equivalents(part.name, workspace.root / "course" / part.name / "equivalent.toml")
        _try_mutants(accuracy, workspace, runner, exam, part, own, progress)
        _try_alternatives(accuracy, workspace, runner, exam, part, progress)
        _try_mistakes(accuracy, workspace, runner, exam, part, progress)
        yield accuracy


def tried_promises(workspace: Workspace, runner: Runner, exam: Exam, part: SyllabusPart) -> Iterator[tuple[Key, bool]]:
    """Yield each mutant that breaks what a docstring says beside the numbers, and whether it passes and is not listed as right."""
    steps = {step.name for step in part.steps}
    module = read(workspace.solutions / f"{part.name}.py")
    equivalent = read_equivalents(part.name, workspace.root / "course" / part.name / "equivalent.toml")
    for mutant in mutants(module.text, lines=()):
        if mutant.definition in steps:
            key = f"{part.name}.{mutant.definition}", mutant.was, mutant.becomes
            marks = try_text(runner, exam, part.step(mutant.definition), mutant.text)
            yield key, marks.verdict == Verdict.PASSED and key not in equivalent


def read_equivalents(part: str, path: Path) -> dict[Key, str]:
    """Return why each listed mutant answers as the reference does; none if there is no list. Raises BrokenCourse."""
    if not path.exists():
        return {}
    try:
        entries = tomllib.loads(path.read_text(encoding="utf-8")).get("equivalent", [])
        reasons = [(entry["reason"], entry["mutants"]) for entry in entries]
        if not all(reason.strip() for reason, _ in reasons):
            raise ValueError("a reason is empty")
        return {(f"{part}.{step}", was, becomes): reason for reason, listed in reasons for step, was, becomes in listed}
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        form = '[[equivalent]], each with `reason = "..."` and `mutants = [["step", "was", "becomes"], ...]`'
        raise BrokenCourse(f"{path.name} cannot be read ({error!r}); it holds {form}") from error


def as_equivalents(passing: Iterable[Key]) -> str:
    """Return the entry that lists mutants as equivalent, but for the reason."""
    lines = (json.dumps([path.partition(".")[2], was, becomes], ensure_ascii=False) for path, was, becomes in passing)
    return "\n".join(["[[equivalent]]", 'reason = ""', "mutants = [", *(f"    {line}," for line in lines), "]"])


def _check_steps(workspace: Workspace, part: SyllabusPart) -> None:
    """Raise BrokenCourse if the practice exam was set on other steps than there are now."""
    now = [step.name for step in read(workspace.solutions / f"{part.name}.py").steps]
    if now != [step.name for step in part.steps]:
        raise BrokenCourse(
            f"solutions/{part.name}.py has other steps than the practice exam: run `attn sync`, then verify again"
        )


def _try_mutants(
    accuracy: Accuracy,
    workspace: Workspace,
    runner: Runner,
    exam: Exam,
    part: SyllabusPart,
    equivalent: dict[Key, str],
    progress: Progress,
) -> None:
    steps = {step.path for step in part.steps}
    listed = {key for key in equivalent if key[0] in steps}
    module = read(workspace.solutions / f"{part.name}.py")
    for mutant in mutants(module.text, module.solution_lines):
        path = f"{part.name}.{mutant.definition}"
        if path not in steps:
            continue
        progress(f"mutants of {path}")
        accuracy.mutants += 1
        marks = try_text(runner, exam, part.step(mutant.definition), mutant.text)
        key = path, mutant.was, mutant.becomes
        if marks.verdict != Verdict.PASSED:
            accuracy.caught += 1
        elif key in listed:
            accuracy.equivalent += 1
            listed.remove(key)
        else:
            accuracy.problems.append(f"{path}: a mutant passes: `{mutant.was}` became `{mutant.becomes}`")
            accuracy.passing.append(key)
    accuracy.problems += [
        f"{path}: listed as equivalent, but no mutant that passes: `{was}` became `{becomes}`"
        for path, was, becomes in sorted(listed)
    ]


def _try_alternatives(
    accuracy: Accuracy, workspace: Workspace, runner: Runner, exam: Exam, part: SyllabusPart, progress: Progress
) -> None:
    known = {step.name for step in read(workspace.solutions / f"{part.name}.py").steps}
    counts = {step.name: 0 for step in part.steps}
    for alternative in alternatives.read(part.name, workspace.root / "course" / part.name / "alternatives.py"):
        if alternative.step in known and alternative.step not in counts:
            continue
        where = f"{part.name}.{alternative.step}"
        progress(f"alternatives of {where}")
        accuracy.alternatives += 1
        if alternative.step not in counts:
            accuracy.problems.append(f"{where}: there is no such step, but an alternative ({alternative.label})")
            continue
        counts[alternative.step] += 1
        marks = try_text(runner, exam, part.step(alternative.step), alternative.text)
        if marks.verdict == Verdict.PASSED:
            accuracy.accepted += 1
        else:
            accuracy.problems.append(f"{where}: refused, though right ({alternative.label}): {describe_marks(marks)}")
    accuracy.problems += [
        f"{part.name}.{step}: {count} alternatives; write at least {FEWEST_ALTERNATIVES}"
        for step, count in counts.items()
        if count < FEWEST_ALTERNATIVES
    ]


def _try_mistakes(
    accuracy: Accuracy, workspace: Workspace, runner: Runner, exam: Exam, part: SyllabusPart, progress: Progress
) -> None:
    for step in part.steps:
        progress(f"mistakes of {step.path}")
        for known in exam.key.known_wrong.get(step.path, ()):
            accuracy.mistakes += 1
            marks = try_text(runner, exam, step, text_with(workspace.course, part.name, known))
            if marks.diagnosis and marks.diagnosis.id == known.id:
                accuracy.named += 1
            else:
                accuracy.problems.append(f"{step.path}: {known.id} is not named: {describe_marks(marks)}")
