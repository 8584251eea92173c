"""Check that each mutant (a reference with one edit) fails or is listed in `equivalent.toml`."""

import json
from collections.abc import Iterable, Iterator

import msgspec

from autograder.authoring.trial import Finding, Progress, try_text
from autograder.course.errors import BrokenCourse
from autograder.course.verdicts import Verdict
from autograder.diagnosis.operators.edits import mutants
from autograder.exam.model import Exam
from autograder.exam.reference import read
from autograder.exam.syllabus import SyllabusPart
from autograder.runner.processes import Runner
from autograder.workspace import Workspace

Key = tuple[str, str, str]
"""Identifies a mutant: the path of its step, and the edited line before and after the edit."""


def mutants_fail(workspace: Workspace, runner: Runner, exam: Exam, progress: Progress) -> Finding:
    """Report mutants that pass but are not listed, and listed mutants that fail. Raises BrokenCourse."""
    finding = Finding("mutants that fail, or that equivalent.toml lists as right")
    for part in exam.syllabus.parts:
        listed = [key for key in read_equivalents(workspace, part.name) if key[0] in {step.path for step in part.steps}]
        passing = []
        for key, passes in _tried(workspace, runner, exam, part, None):
            progress(f"mutants of {key[0]}")
            finding.looked_at += 1
            passing += [key] * passes
        for path, was, becomes in set(listed) - set(passing):
            finding.blame(path, f"listed as equivalent, but no mutant that passes: `{was}` became `{becomes}`")
        unlisted = [key for key in passing if key not in listed]
        for path, was, becomes in unlisted:
            finding.blame(path, f"a mutant passes: `{was}` became `{becomes}`")
        if unlisted:
            finding.problems.append(
                f"A case that catches them is missing. For those that are right nevertheless, write the reason in "
                f"course/{part.name}/equivalent.toml:\n{as_equivalents(unlisted)}"
            )
    return finding


def promises_are_checked(workspace: Workspace, runner: Runner, exam: Exam) -> Finding:
    """Report steps that pass although a mutant renames an attribute or changes a model's mode."""
    finding = Finding("attributes and modes of docstrings that the practice exam looks at")
    for part in exam.syllabus.parts:
        equivalent = read_equivalents(workspace, part.name)
        for key, passes in _tried(workspace, runner, exam, part, ()):
            finding.looked_at += 1
            if passes and key not in equivalent:
                path, was, becomes = key
                said = f"its docstring names what no case looks at: it passes when `{was}` becomes `{becomes}`"
                finding.blame(path, said)
    return finding


def _tried(
    workspace: Workspace, runner: Runner, exam: Exam, part: SyllabusPart, lines: tuple[int, ...] | None
) -> Iterator[tuple[Key, bool]]:
    """Yield each mutant, and whether it passes. lines: the lines to edit; None for all solution lines."""
    module = read(workspace.solutions / f"{part.name}.py")
    for mutant in mutants(module.text, module.solution_lines if lines is None else lines):
        if mutant.definition in {step.name for step in part.steps}:
            marks = try_text(runner, exam, part.step(mutant.definition), mutant.text)
            key = f"{part.name}.{mutant.definition}", mutant.was, mutant.becomes
            yield key, marks.verdict == Verdict.PASSED


def read_equivalents(workspace: Workspace, part: str) -> set[Key]:
    """Return the mutants that `equivalent.toml` lists; empty without the file. Raises BrokenCourse."""
    path = workspace.root / "course" / part / "equivalent.toml"
    if not path.exists():
        return set()
    try:
        reasons = msgspec.toml.decode(path.read_bytes(), type=dict[str, list[Key]])
        if not all(map(str.strip, reasons)):
            raise ValueError("a reason is empty")
        return {(f"{part}.{step}", was, becomes) for rows in reasons.values() for step, was, becomes in rows}
    except (OSError, ValueError) as error:
        form = '`"reason" = [["step", "was", "becomes"], ...]`'
        raise BrokenCourse(f"{path.name} cannot be read ({error!r}); it holds {form}") from error


def as_equivalents(passing: Iterable[Key]) -> str:
    """Return the TOML entry that lists mutants as equivalent, with an empty reason as its key."""
    lines = (json.dumps([path.partition(".")[2], was, becomes], ensure_ascii=False) for path, was, becomes in passing)
    return "\n".join(['"" = [', *(f"    {line}," for line in lines), "]"])
