"""Following the reference through the cases of an exam. Like setting one, this needs the solutions."""

from pathlib import Path

import torch

from autograder.course import parts as course_parts
from autograder.course.threads import one_thread
from autograder.course.tracing import follow
from autograder.exam import consistency
from autograder.exam.flows import ReferenceFlow, summary_of
from autograder.exam.model import Paper
from autograder.exam.reference import read
from autograder.exam.setting import AGAIN, DOUBLE, run_module


@one_thread()
def set_flows(solutions: Path, paper: Paper) -> dict[str, ReferenceFlow]:
    """Return the reference's flow of shapes in each case that the author wrote; the others have no other shapes."""
    flows: dict[str, ReferenceFlow] = {}
    for name in course_parts.NAMES:
        part, module = consistency.load_part(name), read(solutions / f"{name}.py")
        implementations, sources = run_module(module), {str(module.path): module.text}
        for case in paper.of(name):
            if case.name not in (AGAIN, DOUBLE):
                inputs = {
                    given: torch.from_numpy(value) if hasattr(value, "dtype") else value
                    for given, value in case.inputs.items()
                }
                step = part.step(case.step)
                flow = follow(
                    step.probe, implementations[case.step], inputs, case.seed, sources, consistency.failure_at
                )
                flows[case.path] = summary_of(flow)
    return flows
