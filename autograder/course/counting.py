"""Weights of steps, due dates and lateness. An example of their tables in `course.toml`:

[steps]
"part1_basics.softmax" = { factor = 2 } # or { factor = 0 }, not counted, or { bonus = true }

[due]
part1_basics = 2026-10-01T23:59:00+02:00

[late]
percent_per_day = 10
at_most_days = 5
grace_minutes = 15
"""

from collections.abc import Mapping
from datetime import datetime
from math import inf
from typing import Annotated

import msgspec

Amount = Annotated[float, msgspec.Meta(ge=0, le=1e9)]


class Weight(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The weight of a step. factor: multiplies the step's points; 0 excludes the step.

    bonus: whether the step's points count as earned, but not in the maximum.
    """

    factor: Amount = 1.0
    bonus: bool = False

    @property
    def words(self) -> str:
        """The weight in words for students; empty for the default weight."""
        if not self.factor:
            return "not counted"
        times = "" if self.factor == 1 else f"counts {self.factor:g} times"
        return ", ".join(filter(None, ["a bonus" if self.bonus else "", times]))


class Late(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The deduction for late work: a percentage of the work's points for each day or part of a day.

    at_most_days: the days after which work earns nothing. grace_minutes: added to the due time
    before days are counted. at_most_percent: the largest deduction within at_most_days.
    """

    percent_per_day: Amount = 0.0
    at_most_days: Amount = inf
    grace_minutes: Amount = 0.0
    at_most_percent: Amount = 100.0


class Counting(msgspec.Struct, frozen=True):
    """Rules for points. steps: weights, by path. due: due dates, by part. late: the deduction."""

    steps: Mapping[str, Weight] = {}
    due: Mapping[str, Annotated[datetime, msgspec.Meta(tz=True)]] = {}
    late: Late = Late()

    def weight(self, path: str) -> Weight:
        """Return the weight of a step, or Weight(). path: such as `part1_basics.softmax`."""
        return self.steps.get(path, Weight())

    def due_words(self, part: str) -> str:
        """Return the due date of a part in words, in its own time zone; empty if it has none."""
        return f"due {self.due[part]:%Y-%m-%d %H:%M %Z}" if part in self.due else ""
