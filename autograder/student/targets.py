"""Find the parts and steps that a user means by a name, a number or the beginning of a name."""

import difflib
from collections.abc import Sequence

from autograder.course.errors import ExplainedError
from autograder.exam.syllabus import Syllabus, SyllabusStep, load
from autograder.student.machine_checks import way_to_exams
from autograder.workspace import Workspace


def syllabus_of(workspace: Workspace) -> Syllabus:
    """Read the syllabus of the course. Raises ExplainedError."""
    try:
        return load(workspace.syllabus)
    except (OSError, ValueError) as error:
        raise ExplainedError(
            f"{workspace.syllabus} cannot be read ({error}). {way_to_exams(workspace.root)}"
        ) from error


def find_steps(
    syllabus: Syllabus, names: Sequence[str], following: SyllabusStep | None = None
) -> tuple[SyllabusStep, ...]:
    """Return the steps that names mean, in the order of the course. Without names, return all steps.

    following: the step that `next` means. Of several steps with a name, the one in its part is meant.
    """
    if not names:
        return syllabus.steps
    wanted = {step.path for name in names for step in _steps_of(syllabus, name, following)}
    return tuple(step for step in syllabus.steps if step.path in wanted)


def find_step(syllabus: Syllabus, name: str, following: SyllabusStep | None = None) -> SyllabusStep:
    """Return the step that a name means. following: see `find_steps`. Raises ExplainedError."""
    steps = _steps_of(syllabus, name, following)
    if len(steps) != 1:
        example = steps[0].path if steps else syllabus.steps[0].path
        raise ExplainedError(f"`{name}` is a whole part. Name one of its steps, for example `{example}`.")
    return steps[0]


def _steps_of(syllabus: Syllabus, name: str, following: SyllabusStep | None) -> tuple[SyllabusStep, ...]:
    if name == "next" and following:
        return (following,)
    if name.endswith(".ipynb"):
        raise ExplainedError(
            f"{name} is a notebook, which is marked in Jupyter: run its cells, or `check()` in a cell."
        )
    part_name, _, step_name = name.removesuffix(".py").strip().rpartition("/")[2].partition(".")
    part = syllabus.part_meant(part_name)
    if part and not step_name:
        return part.steps
    among, wanted, within = (part.steps, step_name, f"{part.name}.") if part else (syllabus.steps, name, "")
    found = [step for step in among if step.name == wanted or (part and str(step.number) == wanted)]
    found = [step for step in found if following and step.part == following.part] or found
    if len(found) > 1:
        paths = " or ".join(f"`{step.path}`" for step in found)
        raise ExplainedError(f"`{name}` is a step of several parts: {paths}.")
    if not found:
        known = dict.fromkeys([*(() if part else (one.name for one in syllabus.parts)), *(step.name for step in among)])
        similar = difflib.get_close_matches(wanted, known, n=2)
        guess = f" Did you mean {' or '.join(f'`{within}{one}`' for one in similar)}?" if similar else ""
        raise ExplainedError(f"There is no part or step `{within}{wanted}`.{guess} `attn list` shows all.")
    return tuple(found)
