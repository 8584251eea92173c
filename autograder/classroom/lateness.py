"""How late a part was handed in, and what it loses by that."""

import re
from datetime import MAXYEAR, MINYEAR, UTC, datetime, timedelta
from math import ceil

from autograder.course.counting import Late

DAY = timedelta(days=1)
ZONE = re.compile(r"\s*(UTC|GMT|Z)$")


def read_time(text: str) -> datetime | None:
    """Return the moment that a hand-in names, UTC where it names no zone; None if it names no moment, or one at the end of all years.

    In another zone that would be in no year.
    """
    try:
        moment = datetime.fromisoformat(ZONE.sub("+00:00", text.strip()))
    except ValueError:
        return None
    return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)) if MINYEAR < moment.year < MAXYEAR else None


def days_late(handed_in: datetime, due: datetime, late: Late) -> int:
    """Return how many days have begun since the due date and its grace were over."""
    over = handed_in - due - timedelta(minutes=late.grace_minutes)
    return max(0, ceil(over / DAY))


def share_left(days: float, late: Late) -> float:
    """Return the share of its points that work keeps that came so many days late."""
    if days > late.at_most_days:
        return 0.0
    return max(0.0, 1 - min(late.percent_per_day * days, late.at_most_percent) / 100)
