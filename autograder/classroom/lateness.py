"""Compute how late a part was handed in, and the share of points that the part keeps."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import MAXYEAR, MINYEAR, UTC, datetime, timedelta
from math import ceil

from autograder.classroom.adjustments import Adjustment
from autograder.course.course import Counting, Late

ZONE = re.compile(r"\s*(UTC|GMT|Z)$")


@dataclass(frozen=True)
class Lateness:
    """The lateness of a part. share: the share of points, from 0 to 1, that the part keeps.

    words: how late the part is; empty if on time. reasons: adjustments and delay, in words.
    """

    share: float
    words: str
    reasons: tuple[str, ...] = ()


def lateness(part: str, handed_in: str, own: Sequence[Adjustment], counting: Counting) -> Lateness:
    """Return the lateness of a part. handed_in: a time, or a platform's text. own: its adjustments."""
    for one in own:
        if one.late is not None:
            by_hand = f"{_days(one.late)} late by hand{one.because}"
            return Lateness(share_left(one.late, counting.late), by_hand if one.late else "", (by_hand,))
    time, due = read_time(handed_in), counting.due.get(part)
    unknown = "" if time else handed_in
    if due is None:
        return Lateness(1.0, unknown)
    reasons = []
    if longer := next((one for one in own if one.extension is not None), None):
        due = longer.extended(due)
        reasons.append(f"due {due:%Y-%m-%d %H:%M}{longer.because}")
    grace = timedelta(minutes=counting.late.grace_minutes)
    if not time or time <= due + grace:
        return Lateness(1.0, unknown, tuple(reasons))
    days = ceil((time - due - grace) / timedelta(days=1))  # a day that has begun counts
    delay = f"{_days(days)} late, handed in {time.astimezone(due.tzinfo):%Y-%m-%d %H:%M}"
    return Lateness(share_left(days, counting.late), delay, (*reasons, delay))


def read_time(text: str) -> datetime | None:
    """Read a time in ISO 8601. A time without a zone is in UTC. Returns None for any other text."""
    try:
        moment = datetime.fromisoformat(ZONE.sub("+00:00", text.strip()))
    except ValueError:
        return None
    in_range = MINYEAR < moment.year < MAXYEAR  # so that it can be converted to every zone
    return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)) if in_range else None


def share_left(days: float, late: Late) -> float:
    """Return the share of points, from 0 to 1, that work keeps if it is `days` late."""
    if days > late.at_most_days:
        return 0.0
    return max(0.0, 1 - min(late.percent_per_day * days, late.at_most_percent) / 100)


def _days(days: float) -> str:
    return f"{days:g} day{'s' if days != 1 else ''}"
