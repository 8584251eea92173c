"""Flags in a student's marks that a teacher should see, for the summary and the report."""

import re
from collections.abc import Iterable, Iterator, Mapping

from autograder.course.verdicts import Verdict
from autograder.grading.results import Marks
from autograder.submission.model import Look, Urgency, most_urgent_first

DIED = (Verdict.TIMED_OUT, Verdict.CRASHED, Verdict.OUT_OF_MEMORY)
"""Verdicts for a teacher to check, because the machine or an attack may have caused them."""

UNPARSED = re.compile(r"\b(Syntax|Indentation|Tab)Error\b")
"""The error in the message of a step that cannot be parsed."""


def looks_of(marks: Marks) -> list[Look]:
    """Return the flags in a student's marks, the most urgent first, without those of `unreadable`."""
    return most_urgent_first(_looks(marks))


def unreadable(reasons: Mapping[str, str], parts: int) -> Iterator[Look]:
    """Yield a flag for each reason. reasons: by unreadable part. parts: the number of all parts."""
    by_reason: dict[str, list[str]] = {}
    for part, reason in reasons.items():
        by_reason.setdefault(_first_line(reason), []).append(part)
    for reason, names in by_reason.items():
        what = "nothing could be read" if len(names) == parts > 1 else f"{', '.join(names)} could not be read"
        yield Look(Urgency.MUST_ACT, f"{what}: {reason}")


def in_a_line(says: Iterable[str]) -> str:
    """Return the texts of flags in one line."""
    return " ".join("; ".join(says).replace(".; ", "; ").split())


def _looks(marks: Marks) -> Iterator[Look]:
    yield from marks.looks
    for part in marks.parts:
        steps = [] if part.error else part.steps
        died = [f"{part.part}.{step.step} {step.verdict.words}" for step in steps if step.verdict in DIED]
        missing = [(step, step.first_failure) for step in part.steps if step.verdict == Verdict.MISSING]
        unparsed = [f"{part.part}.{step.step}" for step, why in missing if why and UNPARSED.search(why.message)]
        for names, says in ((died, ""), (unparsed, " cannot be parsed")):
            if names:
                yield Look(Urgency.CHECK, f"{', '.join(names)}{says}", part.part)
    told = [(note, "") for note in marks.notes]
    told += [(_first_line(note), part.part) for part in marks.parts for note in part.notes]
    said = {look.says for look in marks.looks}
    yield from (Look(Urgency.TOLD, note, part) for note, part in told if note not in said)


def _first_line(text: str) -> str:
    return next(iter(text.strip().splitlines()), "no reason is given")
