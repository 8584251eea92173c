"""Which steps' causes are searched for. What searches is imported only where one is: many commands find nothing wrong."""

from autograder.course.verdicts import Verdict
from autograder.marking.mark import UNDIAGNOSED
from autograder.marking.marks import StepMarks


def is_searched(step: StepMarks) -> bool:
    """Tell whether the cause of a step is searched for: of one that is wrong in what it answers, and is no known mistake."""
    has_answers = not step.passed and step.verdict not in (*UNDIAGNOSED, Verdict.OUT_OF_MEMORY)
    return has_answers and not (step.diagnosis and step.diagnosis.kind == "mistake")
