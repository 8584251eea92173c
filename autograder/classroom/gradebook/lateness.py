"""Late submissions, by the rules of nbgrader and of the course's own configuration."""

import contextlib
import io
import logging
import math
import re
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from dateutil.tz import gettz
from nbgrader.apps import NbGrader
from nbgrader.plugins import LateSubmissionPlugin
from nbgrader.preprocessors import AssignLatePenalties
from nbgrader.utils import chdir, parse_utc

from autograder.classroom.gradebook.address import CannotKeep

CONFIG = "nbgrader_config.py"
OFFSET = re.compile(r"[+-]\d\d:?\d\d")


@dataclass(frozen=True)
class Late:
    """A part that came too late. seconds: how much."""

    student: str
    part: str
    seconds: int


class Policy:
    """What a late submission costs: the plugin that a course directory of nbgrader's names in its configuration."""

    def __init__(self, plugin: LateSubmissionPlugin) -> None:
        self._plugin = plugin

    def penalty(self, student: str, score: float, seconds: float) -> float | None:
        """Return the points taken off, within what was scored; None for none. Raises CannotKeep."""
        if not seconds:
            return None
        try:
            taken = self._plugin.late_submission_penalty(student, score, seconds)
            return None if taken is None else max(0.0, min(float(taken), score))
        except Exception as error:
            raise CannotKeep(f"The plugin for late submissions failed for {student}: {_said(error)}") from error


def read_policy(course: Path) -> Policy | None:
    """Load a course directory's configuration as nbgrader does; None where it takes nothing off. Raises CannotKeep."""
    app = NbGrader(log_level=logging.CRITICAL)
    app.raise_config_file_errors = True
    try:
        with chdir(str(course)), contextlib.redirect_stderr(io.StringIO()):
            app.initialize([], root=str(course))
            assigning = AssignLatePenalties(parent=app)
            assigning.init_plugin()
    except (Exception, SystemExit) as error:
        raise CannotKeep(f"{course / CONFIG} could not be loaded: {_said(error)}") from error
    plugin = assigning.plugin_inst
    takes_nothing = type(plugin) is LateSubmissionPlugin and plugin.penalty_method == "none"
    return None if takes_nothing else Policy(plugin)


def read_time(text: str) -> datetime | None:
    """Return the moment that a timestamp names, in UTC without saying so, as nbgrader keeps it; None where it names none.

    nbgrader takes `+0200` for 200 seconds, and zones that it does not know for UTC; here the one is understood, the other is no time.
    """
    moment, _, zone = text.rpartition(" ")
    try:
        if OFFSET.fullmatch(zone):
            found = parse_utc(datetime.fromisoformat(f"{moment.strip()}{zone}"))
        elif zone.isalpha() and not gettz(zone):
            return None
        else:
            found = parse_utc(text)
    except (ValueError, OverflowError, TypeError, AttributeError):
        return None
    return found if isinstance(found, datetime) else None


def seconds_late(submitted: datetime | None, due: datetime | None, extension: timedelta | None) -> int:
    """Return how many whole seconds a submission came after its due date and the student's extension; 0 where it did not."""
    if submitted is None or due is None:
        return 0
    late = submitted - due - (extension or timedelta())
    return max(0, math.ceil(late.total_seconds()))


def _said(error: Any) -> str:
    return f"{type(error).__name__}: {error}"
