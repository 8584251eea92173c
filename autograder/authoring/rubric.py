"""Check the laws of points: whole or half ones, half of a step for its idea, none for doing nothing."""

from collections import defaultdict
from collections.abc import Iterable, Mapping

from autograder.authoring.trial import Finding, try_out
from autograder.course.model import IDEA
from autograder.exam.model import Exam
from autograder.exam.syllabus import FORM, VALUES, SyllabusStep
from autograder.grading.points import LARGEST_UNIT, points_of
from autograder.runner.processes import Runner
from autograder.submission.model import Source, Submission

LARGEST_DIFFERENCE = 0.15
"""The largest difference between the shares of one criterion in two steps, unless it is the idea of one."""

NOTHING_DONE = {
    "raises": ("raise ValueError", "torch.nn.Module"),
    "returns its first argument": ("return [*given, *named.values()][0]", "torch.nn.Identity"),
}
"""Code that does nothing: the body of a function, and the base of a class without a body."""


def laws_of_points(runner: Runner, exam: Exam) -> Finding:
    """Return the breaches of the laws of points."""
    steps = [step for step in exam.syllabus.steps if step.points]
    finding = Finding("steps whose points keep the laws of points", len(steps))
    for step in steps:
        points = points_of(step)
        unit = LARGEST_UNIT / 2 if step.points <= 1 else LARGEST_UNIT
        for name in (name for name, value in points.items() if value % unit):
            finding.blame(step.path, f"{name} has {points[name]:g} points; give it a multiple of {unit:g}")
        if max(points.values()) < step.points / 2:
            finding.blame(step.path, "no criterion has half of the points; give the idea of the step half")
    for name, shares in _shares_of_criteria(steps).items():
        if max(shares) - min(shares) > LARGEST_DIFFERENCE:
            finding.problems.append(f"{name} has {min(shares):.0%} of one step and {max(shares):.0%} of another")
    for what, (body, base) in NOTHING_DONE.items():
        for step, marks in try_out(runner, exam, _nothing_done(exam, body, base), steps):
            if marks.score:
                finding.blame(step.path, f"code that {what} earns {marks.score:g} points")
    return finding


def _shares_of_criteria(steps: Iterable[SyllabusStep]) -> Mapping[str, list[float]]:
    """Return the shares that each criterion has in its steps, unless it is the idea of one."""
    found: defaultdict[str, list[float]] = defaultdict(list)
    for step in steps:
        for one in step.criteria:
            if one.name not in (VALUES, FORM) and one.share < IDEA:
                found[one.name].append(points_of(step)[one.name] / step.points)
    return found


def _nothing_done(exam: Exam, body: str, base: str) -> Submission:
    texts = {"function": f"def {{}}(*given, **named):\n    {body}\n", "class": f"class {{}}({base}):\n    pass\n"}
    modules = {
        part.name: "\n\n".join(["import torch", *(texts[step.kind].format(step.name) for step in part.steps)])
        for part in exam.syllabus.parts
    }
    return Submission("idle", {name: Source.module(f"{name}.py", text) for name, text in modules.items()})
