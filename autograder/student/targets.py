"""What a user means by PART or PART.STEP: whole names, numbers, beginnings; and the message if nothing fits."""

import difflib
from collections.abc import Sequence

from autograder.course.errors import ExplainedError
from autograder.exam.syllabus import Syllabus, SyllabusPart, SyllabusStep


class UnknownTarget(ExplainedError):
    """A name that fits no step, or several; the message says which exist."""


def find_steps(syllabus: Syllabus, names: Sequence[str]) -> tuple[SyllabusStep, ...]:
    """Return the steps that the names mean, in the order of the course; all steps for no names."""
    if not names:
        return syllabus.steps
    wanted = {step.path for name in names for step in _steps_of(syllabus, name)}
    return tuple(step for step in syllabus.steps if step.path in wanted)


def find_step(syllabus: Syllabus, name: str) -> SyllabusStep:
    """Return the one step that a name means."""
    steps = _steps_of(syllabus, name)
    if len(steps) != 1:
        example = steps[0].path if steps else syllabus.steps[0].path
        raise UnknownTarget(f"`{name}` is a whole part. Name one of its steps, for example `{example}`.")
    return steps[0]


def names_whole_part(syllabus: Syllabus, name: str) -> bool:
    """Return whether a name means a part, and not a step that may be its only one."""
    part, step = _part_and_step(name)
    return not step and syllabus.part_meant(part) is not None


def _steps_of(syllabus: Syllabus, name: str) -> tuple[SyllabusStep, ...]:
    if name.endswith(".ipynb"):
        stem = name.rpartition("/")[2].removesuffix(".ipynb")
        raise UnknownTarget(
            f"`{name}` is a notebook: each of its steps is marked when you run its cell. `attn notebook {stem}` opens it."
        )
    part_name, step_name = _part_and_step(name)
    if part := syllabus.part_meant(part_name):
        if not step_name:
            return part.steps
        if step := _step(part, step_name):
            return (step,)
        raise UnknownTarget(_unknown(step_name, [step.name for step in part.steps], f"step of {part.name}"))
    found = [step for step in syllabus.steps if step.name == part_name] if not step_name else []
    if len(found) == 1:
        return (found[0],)
    if found:
        raise UnknownTarget(
            f"`{name}` is a step of several parts: " + " or ".join(f"`{step.path}`" for step in found) + "."
        )
    known = [part.name for part in syllabus.parts]
    if step_name:
        raise UnknownTarget(_unknown(part_name, known, "part"))
    raise UnknownTarget(_unknown(name, [*known, *(step.name for step in syllabus.steps)], "part or step"))


def _part_and_step(name: str) -> tuple[str, str]:
    """Split a name where the step's begins; the step's is empty if there is none."""
    part, _, step = name.removesuffix(".py").strip().partition(".")
    return part.rpartition("/")[2], step


def _step(part: SyllabusPart, name: str) -> SyllabusStep | None:
    return next((step for step in part.steps if name in (step.name, str(step.number))), None)


def _unknown(name: str, known: list[str], kind: str) -> str:
    similar = difflib.get_close_matches(name, dict.fromkeys(known), n=2)
    guess = f" Did you mean {' or '.join(f'`{one}`' for one in similar)}?" if similar else ""
    return f"There is no {kind} `{name}`.{guess} `attn list` shows all."
