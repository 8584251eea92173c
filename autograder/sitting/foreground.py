"""A sitting in this process, in the foreground, so that `breakpoint()` and a debugger work. No time-out, no isolation."""

import bdb
import time

import torch

from autograder.course.answer import Answer, Failure
from autograder.course.course import Course
from autograder.course.probing import observe
from autograder.exam.model import Paper
from autograder.exam.syllabus import SyllabusStep
from autograder.sitting.answers import Answers, PartAnswers
from autograder.sitting.child import find_implementation
from autograder.sitting.loading import SubmittedModules
from autograder.sitting.submission import Submission


def sit_in_foreground(course: Course, submission: Submission, paper: Paper, step: SyllabusStep) -> Answers:
    """Run one step's cases here. Raises BdbQuit when the debugger is left, KeyboardInterrupt at Ctrl-C."""
    begun = time.monotonic()
    found = PartAnswers(step.part, frozenset({step.name}), error=submission.problems.get(step.part))
    answers = Answers(submission.name, {step.part: found})
    modules = SubmittedModules(submission.modules)
    if not found.error:
        try:
            namespace = modules.load(step.part).__dict__
        except (Exception, SystemExit) as error:
            found.error = modules.describe(error)
    if found.error:
        return answers
    cases = paper.of(step.part, frozenset({step.name}))
    part = course.part(step.part)
    data = part.step(step.name)
    implementation, problem = find_implementation(part, data, namespace, cases[0], modules)
    for case in cases:
        if problem:
            found.answers[case.path] = Answer(failure=problem)
            continue
        inputs = {
            name: torch.from_numpy(value) if hasattr(value, "dtype") else value for name, value in case.inputs.items()
        }
        found.answers[case.path] = observe(
            data.probe,
            implementation,
            inputs,
            case.seed,
            case.gradients,
            lambda error: _describe(error, modules),
            forbids=step.forbids,
        )
    answers.seconds = time.monotonic() - begun
    return answers


def _describe(error: BaseException, modules: SubmittedModules) -> Failure:
    """Describe what a step raised; that it was stopped from outside is no fault of the step's."""
    if isinstance(error, bdb.BdbQuit | KeyboardInterrupt):
        raise error
    return modules.describe(error)
