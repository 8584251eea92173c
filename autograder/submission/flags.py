"""What a person should look at in what was handed in, and how urgently."""

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum


class Urgency(StrEnum):
    """How urgent it is: nobody else can decide; a person should see it; it calls for nothing, and is only told."""

    MUST_ACT = "must act"
    CHECK = "check"
    TOLD = "told"


@dataclass(frozen=True)
class Look:
    """One thing to look at. part: that it is about; empty if it is about no part alone."""

    urgency: Urgency
    says: str
    part: str = ""


BY_URGENCY = list(Urgency)


def most_urgent_first(looks: Iterable[Look]) -> list[Look]:
    """Return what there is to look at, what is as urgent in the order in which it was."""
    return sorted(looks, key=lambda look: BY_URGENCY.index(look.urgency))
