"""The class at a glance while it is being marked: verdicts, the commonest causes, who needs a look. Its size does not grow with texts."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field, replace

from autograder.classroom.counted_causes import CountedCauses, cause_of
from autograder.classroom.final import FinalPoints
from autograder.classroom.looks import looks_of
from autograder.course.verdicts import Verdict
from autograder.grading.results import Marks
from autograder.submission.model import Look, Urgency

LONGEST_REASON = 500
MOST_LOOKS = 10
"""Of one submission; the most urgent are kept."""


@dataclass(frozen=True)
class Row:
    """One submission in the list of all, or somebody of whom there is none.

    score: None of somebody whom only a decision names. looks: what a person should look at, the most urgent first. late: how late it came.
    """

    student: str
    score: float | None
    parts: dict[str, float]
    looks: tuple[Look, ...] = ()
    late: str = ""

    def says(self, urgency: Urgency) -> str:
        """Return what is of an urgency, in a line, in which many spaces in a file's name leave no room for another; empty if nothing is."""
        told = "; ".join(look.says for look in self.looks if look.urgency == urgency).replace(".; ", "; ")
        return " ".join(told.split())

    @property
    def look(self) -> str:
        """All of it, in a line: `must act: …; check: …`."""
        return "; ".join(f"{urgency}: {says}" for urgency in Urgency if (says := self.says(urgency)))


@dataclass
class Tally:
    """A summary of the marks. verdicts: of steps. causes: of wrong ones."""

    submissions: int = 0
    verdicts: Counter[Verdict] = field(default_factory=Counter)
    causes: CountedCauses = field(default_factory=CountedCauses)
    rows: list[Row] = field(default_factory=list)

    @property
    def needs_a_look(self) -> bool:
        """Whether there is more than what is only told."""
        return any(self.to_look_at(urgency) for urgency in (Urgency.MUST_ACT, Urgency.CHECK))

    def to_look_at(self, urgency: Urgency) -> list[Row]:
        """Return the submissions of which something is of an urgency, in the order of their names."""
        return sorted((row for row in self.rows if row.says(urgency)), key=lambda row: row.student)

    @property
    def late(self) -> list[Row]:
        """The submissions that came late, in the order of their names."""
        return sorted((row for row in self.rows if row.late), key=lambda row: row.student)

    def add_decisions(self, final: FinalPoints) -> None:
        """Add what the marks alone do not tell: who was late, who handed in nothing, where something is left to act on, and what somebody has looked at."""
        here = {row.student for row in self.rows}
        acts: dict[str, tuple[Look, ...]] = {}
        for act in final.must_act:
            if act.student in here or not act.in_marks:
                acts[act.student] = (*acts.get(act.student, ()), Look(Urgency.MUST_ACT, _short(act.says)))
        self.rows = [
            replace(
                row,
                looks=(*acts.pop(row.student, ()), *final.undecided_looks(row.student, row.looks)),
                late=final.students[row.student].late,
            )
            for row in self.rows
        ]
        absent = (name for name, student in final.students.items() if student.is_absent)
        self.rows += [Row(name, 0.0, {}, acts.pop(name, ())) for name in absent]
        self.rows += [Row(name, None, {}, looks) for name, looks in acts.items()]

    def add(self, marks: Marks) -> None:
        """Add one submission's marks."""
        self.submissions += 1
        for part in marks.parts:
            for step in part.steps:
                self.verdicts[step.verdict] += 1
                if cause := cause_of(step):
                    self.causes.add(f"{part.part}.{step.step}", cause)
        parts = {part.part: part.score for part in marks.parts}
        found = looks_of(marks)
        looks = [replace(look, says=_short(look.says)) for look in found[:MOST_LOOKS]]
        if more := found[MOST_LOOKS:]:
            looks.append(replace(more[0], says=f"and {len(more)} more, in the report"))
        self.rows.append(Row(marks.submission, marks.score, parts, tuple(looks)))


def tally_of(all_marks: Iterable[Marks]) -> Tally:
    """Return what marks add up to."""
    tally = Tally()
    for marks in all_marks:
        tally.add(marks)
    return tally


def _short(text: str) -> str:
    return text if len(text) <= LONGEST_REASON else text[: LONGEST_REASON - 1] + "…"
