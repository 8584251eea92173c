"""A sitting in this process, in the foreground, so that `breakpoint()` and a debugger work. No time-out, no isolation."""

import time

import torch

from autograder.course import parts as course_parts
from autograder.course.answer import Answer, Failure
from autograder.course.probing import observe
from autograder.exam.model import Paper
from autograder.sitting.answers import Answers, PartAnswers
from autograder.sitting.loading import SubmittedModules
from autograder.sitting.submission import Submission


def sit_in_foreground(submission: Submission, paper: Paper, part: str, step: str) -> Answers:
    """Run one step's cases here, each once, until one fails."""
    begun = time.monotonic()
    found = PartAnswers(part, error=submission.problems.get(part))
    answers = Answers(submission.name, {part: found})
    modules = SubmittedModules(submission.modules)
    if not found.error:
        try:
            namespace = modules.load(part).__dict__
        except Exception as error:
            found.error = modules.describe(error)
    if found.error:
        return answers
    probe = course_parts.load(part).step(step).probe
    for case in paper.of(part, frozenset({step})):
        inputs = {
            name: torch.from_numpy(value) if hasattr(value, "dtype") else value for name, value in case.inputs.items()
        }
        if step not in namespace:
            found.answers[case.path] = Answer(failure=Failure("missing", f"there is no `{step}` in your file"))
            continue
        found.answers[case.path] = observe(probe, namespace[step], inputs, case.seed, case.gradients, modules.describe)
    answers.seconds = time.monotonic() - begun
    return answers
