"""Late submissions: when a part was submitted, and the penalty by the plugin that nbgrader's configuration names."""

import contextlib
import io
import logging
import math
from datetime import UTC, datetime, tzinfo
from pathlib import Path

from dateutil import parser, tz
from nbgrader.api import SubmittedAssignment, SubmittedNotebook
from nbgrader.apps import NbGrader
from nbgrader.plugins import LateSubmissionPlugin
from nbgrader.preprocessors import AssignLatePenalties
from nbgrader.utils import chdir

from autograder.classroom.gradebook.database import CannotKeep

CONFIG = "nbgrader_config.py"


def read_policy(course: Path) -> LateSubmissionPlugin | None:
    """Load a course directory's configuration as nbgrader does; None if it has no penalties. Raises CannotKeep."""
    app = NbGrader(log_level=logging.CRITICAL)
    app.raise_config_file_errors = True
    try:
        with chdir(str(course)), contextlib.redirect_stderr(io.StringIO()):
            app.initialize([], root=str(course))
            assigning = AssignLatePenalties(parent=app)
            assigning.init_plugin()
    except (Exception, SystemExit) as error:
        raise CannotKeep(f"{course / CONFIG} could not be loaded: {type(error).__name__}: {error}") from error
    plugin = assigning.plugin_inst
    takes_nothing = type(plugin) is LateSubmissionPlugin and plugin.penalty_method == "none"
    return None if takes_nothing else plugin


def seconds_late(submission: SubmittedAssignment) -> int:
    """Return how late a part was submitted; 0 without a due date, of which nbgrader's sum fails on an extension."""
    return math.ceil(submission.total_seconds_late) if submission.assignment.duedate is not None else 0


def penalty(policy: LateSubmissionPlugin, own: SubmittedNotebook) -> float | None:
    """Return the points taken off, within what was scored; None for none. Raises CannotKeep."""
    student, seconds = own.assignment.student_id, seconds_late(own.assignment)
    if not seconds:
        return None
    try:
        taken = policy.late_submission_penalty(student, own.score, seconds)
        return None if taken is None else max(0.0, min(float(taken), own.score))
    except Exception as error:
        said = f"{type(error).__name__}: {error}"
        raise CannotKeep(f"The plugin for late submissions failed for {student}: {said}") from error


def read_time(text: str) -> datetime | None:
    """Return the moment that a timestamp names, in UTC without a time zone, as nbgrader keeps it; None if it names none.

    nbgrader's own reader reads `+0200` as 200 seconds, and unknown zones as UTC.
    """
    try:
        moment: datetime = parser.parse(text, tzinfos=_zone)
        return moment.astimezone(UTC).replace(tzinfo=None)
    except (ValueError, ArithmeticError):
        return None


def _zone(name: str | None, offset: int | None) -> tzinfo:
    zone: tzinfo | None = tz.gettz(name) if name and offset is None else tz.tzoffset(name, offset or 0)
    if zone is None:
        raise ValueError(f"no time zone: {name}")
    return zone
