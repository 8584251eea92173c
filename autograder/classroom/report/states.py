"""How a step went, in a word, a sign and a shade: each distinguishes them, so that none needs a colour."""

from dataclasses import dataclass
from typing import Any

from autograder.marking.marks import NOT_ATTEMPTED, PASSED

Json = dict[str, Any]

UNTRIED = (NOT_ATTEMPTED, "missing")
"""Verdicts of a step that the student has written nothing for."""


@dataclass(frozen=True)
class State:
    """How a step went. name: `right`, `half`, `little`, `wrong` or `open`. sign: a character, or the points."""

    name: str
    sign: str
    words: str


def state_of(step: Json) -> State:
    """Return how a step went, from its marks."""
    headline = next((check.get("headline") for check in step["checks"] if not check["passed"]), None)
    words = headline or step["verdict"].replace("_", " ")
    if step["verdict"] == PASSED:
        return State("right", "✓", words)
    if step["verdict"] in UNTRIED:
        return State("open", "·", words)
    if step["score"] > 0:
        name = "half" if step["score"] >= step["max_score"] / 4 else "little"
        return State(name, f"{step['score']:g}", words)
    return State("wrong", "✗", words)


def tried(step: Json) -> bool:
    """Return whether the student has written something for a step."""
    return step["verdict"] not in UNTRIED
