"""The class at a glance while it is being marked: verdicts, the commonest mistakes, who needs a look. Its size does not grow with texts."""

from collections import Counter
from dataclasses import dataclass, field
from typing import Any

LONGEST_REASON = 160

DIED = ("timed_out", "crashed", "out_of_memory")
"""Verdicts that a person should look at: they may come from the machine as well as from the student."""


@dataclass(frozen=True)
class Look:
    """A submission that a person should look at, and why."""

    student: str
    reason: str


@dataclass
class Tally:
    """What the marks add up to. verdicts: of steps. mistakes: by step and what the student was told."""

    submissions: int = 0
    verdicts: Counter[str] = field(default_factory=Counter)
    mistakes: Counter[tuple[str, str]] = field(default_factory=Counter)
    looks: list[Look] = field(default_factory=list)

    def add(self, marks: dict[str, Any]) -> None:
        """Add one submission's marks, as their JSON."""
        self.submissions += 1
        for part in marks["parts"]:
            for step in part["steps"]:
                self.verdicts[step["verdict"]] += 1
                if diagnosis := step["diagnosis"]:
                    self.mistakes[f"{part['part']}.{step['step']}", diagnosis["says"]] += 1
        if reason := _why_look(marks):
            self.looks.append(Look(marks["submission"], reason))


def _why_look(marks: dict[str, Any]) -> str:
    """Return why a person should look at these marks; empty where nobody needs to."""
    if not marks["parts"]:
        return _short(" ".join(marks["notes"]) or "nothing was handed in")
    for part in marks["parts"]:
        if part["error"]:
            return _short(f"{part['part']}: {part['error'].splitlines()[0]}")
    died = [
        f"{part['part']}.{step['step']} {step['verdict'].replace('_', ' ')}"
        for part in marks["parts"]
        for step in part["steps"]
        if step["verdict"] in DIED
    ]
    return _short(", ".join(died))


def _short(text: str) -> str:
    return text if len(text) <= LONGEST_REASON else text[: LONGEST_REASON - 1] + "…"
