"""Trying the grader out: a text sits some steps of an exam and is marked, the way a student's is."""

import inspect
from collections.abc import Iterable, Iterator
from importlib import import_module

from autograder.course import mistakes as known_mistakes
from autograder.exam.model import Exam, Fingerprint
from autograder.exam.syllabus import SyllabusStep
from autograder.marking.mark import mark
from autograder.marking.marks import StepMarks
from autograder.sitting.host import sit
from autograder.sitting.processes import Sitter
from autograder.sitting.submission import Source, Submission


def try_out(
    sitter: Sitter, exam: Exam, submission: Submission, steps: Iterable[SyllabusStep]
) -> Iterator[tuple[SyllabusStep, StepMarks]]:
    """Let a submission sit some steps and yield their marks."""
    by_part: dict[str, set[str]] = {}
    for step in steps:
        by_part.setdefault(step.part, set()).add(step.name)
    wanted = {part: frozenset(names) for part, names in by_part.items()}
    marks = mark(exam, sit(sitter, submission, exam.syllabus, exam.paper, wanted), submission)
    for part in marks.parts:
        for step_marks in part.steps:
            yield exam.syllabus.part(part.part).step(step_marks.step), step_marks


def try_text(sitter: Sitter, exam: Exam, step: SyllabusStep, text: str) -> StepMarks:
    """Return the marks of one step, for a text that is the whole module."""
    submission = Submission("trial", {step.part: Source.module(f"{step.part}.py", text)})
    ((_, marks),) = try_out(sitter, exam, submission, [step])
    return marks


def text_with(part: str, mistake: Fingerprint) -> str:
    """Return a module that makes one known mistake: the bank's own text, with the mistake under the step's name."""
    text = inspect.getsource(import_module(f"{known_mistakes.__name__}.{part}"))
    return f"{text}\n{mistake.step} = {mistake.id}\n"


def told(marks: StepMarks) -> str:
    """Say in one line how a step was marked."""
    failure = marks.first_failure
    return f"{marks.verdict}" + (f" ({failure.case}: {failure.message})" if failure else "")
