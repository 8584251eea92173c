"""Collect from a student's marks the flags that the summary and the report show to a teacher."""

import re
from collections.abc import Iterable, Iterator, Mapping

from autograder.course.verdicts import Verdict
from autograder.grading.results import Marks
from autograder.submission.model import Look, Urgency, most_urgent_first

DIED = (Verdict.TIMED_OUT, Verdict.CRASHED, Verdict.OUT_OF_MEMORY)
"""Verdicts that a teacher should check, because the machine or an attack may have caused them."""

UNPARSED = re.compile(r"\b(Syntax|Indentation|Tab)Error\b")
"""The name of the exception in the message about a step that cannot be parsed, and in those about its callers."""


def looks_of(marks: Marks) -> list[Look]:
    """Return the flags in a student's marks, the most urgent first. `unreadable` yields more flags."""
    return most_urgent_first(_looks(marks))


def unreadable(reasons: Mapping[str, str], parts: int) -> Iterator[Look]:
    """Yield a flag for each reason why parts are unreadable. reasons: by part. parts: number of parts."""
    by_reason: dict[str, list[str]] = {}
    for part, reason in reasons.items():
        by_reason.setdefault(_first_line(reason), []).append(part)
    for reason, names in by_reason.items():
        what = "nothing could be read" if len(names) == parts > 1 else f"{', '.join(names)} could not be read"
        yield Look(Urgency.MUST_ACT, f"{what}: {reason}")


def in_a_line(says: Iterable[str]) -> str:
    """Join the messages of flags into one line."""
    return " ".join("; ".join(says).replace(".; ", "; ").split())


def _looks(marks: Marks) -> Iterator[Look]:
    yield from marks.looks
    for part in marks.parts:
        steps = [] if part.error else part.steps
        died = [f"{part.part}.{step.step} {step.verdict.words}" for step in steps if step.verdict in DIED]
        failed = ((f"{part.part}.{step.step}", step.verdict, step.first_failure) for step in part.steps)
        lost = [(step, verdict) for step, verdict, why in failed if why and UNPARSED.search(why.message)]
        unparsed = [step for step, verdict in lost if verdict == Verdict.MISSING]
        callers = [step for step, verdict in lost if verdict == Verdict.RAISED]
        also = f", which also costs {', '.join(callers)}" if callers else ""
        for names, says in ((died, ""), (unparsed, f" cannot be parsed{also}")):
            if names:
                yield Look(Urgency.CHECK, f"{', '.join(names)}{says}", part.part)
    told = [(note, "") for note in marks.notes]
    told += [(_first_line(note), part.part) for part in marks.parts for note in part.notes]
    said = {look.says for look in marks.looks}
    yield from (Look(Urgency.TOLD, note, part) for note, part in told if note not in said)


def _first_line(text: str) -> str:
    return next(iter(text.strip().splitlines()), "no reason is given")
