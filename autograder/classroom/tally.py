"""The class at a glance while it is being marked: verdicts, the commonest causes, who needs a look. Its size does not grow with texts."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field

from autograder.classroom.counted_causes import CountedCauses
from autograder.course.verdicts import Verdict
from autograder.marking.marks import Marks

LONGEST_REASON = 160

DIED = (Verdict.TIMED_OUT, Verdict.CRASHED, Verdict.OUT_OF_MEMORY)
"""Verdicts that a person should look at: the machine may have caused them."""


@dataclass(frozen=True)
class Row:
    """One submission in the list of all. look: why a person should look at it; empty if nobody needs to."""

    student: str
    score: float
    parts: dict[str, float]
    look: str


@dataclass
class Tally:
    """A summary of the marks. verdicts: of steps. causes: of wrong ones."""

    submissions: int = 0
    verdicts: Counter[Verdict] = field(default_factory=Counter)
    causes: CountedCauses = field(default_factory=CountedCauses)
    rows: list[Row] = field(default_factory=list)

    @property
    def looks(self) -> list[Row]:
        """The submissions that a person should look at."""
        return [row for row in self.rows if row.look]

    def add(self, marks: Marks) -> None:
        """Add one submission's marks."""
        self.submissions += 1
        for part in marks.parts:
            for step in part.steps:
                self.verdicts[step.verdict] += 1
                if step.diagnosis:
                    self.causes.add(f"{part.part}.{step.step}", step.diagnosis)
        parts = {part.part: part.score for part in marks.parts}
        self.rows.append(Row(marks.submission, marks.score, parts, _short(_why_look(marks))))


def tally_of(all_marks: Iterable[Marks]) -> Tally:
    """Return what marks add up to."""
    tally = Tally()
    for marks in all_marks:
        tally.add(marks)
    return tally


def _why_look(marks: Marks) -> str:
    """Return why a person should look at these marks; empty if nobody needs to."""
    for part in marks.parts:
        if part.error:
            return f"{part.part}: {part.error.splitlines()[0]}"
    died = [
        f"{part.part}.{step.step} {step.verdict.words}"
        for part in marks.parts
        for step in part.steps
        if step.verdict in DIED
    ]
    return ", ".join(died) or " ".join(marks.notes)


def _short(text: str) -> str:
    return text if len(text) <= LONGEST_REASON else text[: LONGEST_REASON - 1] + "…"
