"""What the watch asks for marks and causes: the modules of a folder, against one exam."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from autograder.check import check, explain
from autograder.exam.model import Exam
from autograder.exam.syllabus import SyllabusStep
from autograder.grading.results import Marks, StepMarks
from autograder.runner.processes import Runner
from autograder.runner.run import Interruption, OnStep
from autograder.student.practice import read_exercises
from autograder.submission.model import Submission


class Grader:
    """Marks some steps, and then finds the cause of one in the text that was marked, whatever was saved since.

    timeout: seconds a step. seconds: that the search for a cause may take.
    """

    def __init__(self, runner: Runner, exam: Exam, folder: Path, timeout: float, seconds: float) -> None:
        self._runner, self._exam, self._folder = runner, exam, folder
        self._timeout, self._seconds = timeout, seconds
        self._marked: dict[str, tuple[Submission, Marks]] = {}

    def check(self, steps: Sequence[SyllabusStep], on_step: OnStep, interruption: Interruption) -> Marks:
        """Mark some steps. Raises CannotRun, Interrupted."""
        submission = read_exercises(self._folder, steps)
        marks = check(self._exam, submission, steps, self._runner, self._timeout, on_step, interruption)
        self._marked |= {part.part: (submission, replace(marks, parts=(part,))) for part in marks.parts}
        return marks

    def explain(self, step: SyllabusStep, interruption: Interruption) -> StepMarks:
        """Return the marks of a step with its cause, as far as one is found. Raises CannotRun, Interrupted."""
        submission, marks = self._marked[step.part]
        (part,) = marks.parts
        alone = replace(marks, parts=(replace(part, steps=tuple(one for one in part.steps if one.step == step.name)),))
        found = explain(alone, self._exam, submission, self._runner, self._seconds, self._timeout, interruption)
        return found.parts[0].steps[0]
