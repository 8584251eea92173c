"""The steps whose causes are searched for. The search itself is imported only then: many commands find nothing wrong."""

from autograder.course.verdicts import Verdict
from autograder.grading.callees import CALLS_OPEN
from autograder.grading.grade import UNDIAGNOSED
from autograder.grading.results import StepMarks

MENDED = ("not_imported", "defined_elsewhere", CALLS_OPEN)
"""Causes that say themselves what to mend first."""


UNSEARCHED = {*UNDIAGNOSED, Verdict.OUT_OF_MEMORY} - {Verdict.INCOMPLETE}
"""Verdicts on what answers nothing that an edit could mend in time."""


def is_searched(step: StepMarks) -> bool:
    """Return whether the cause of a step is searched for: it is wrong in what it answers, and no cause says yet what to mend."""
    is_known = step.diagnosis and (step.diagnosis.kind == "mistake" or step.diagnosis.id in MENDED)
    return not (step.passed or step.verdict in UNSEARCHED or is_known)
