"""What a download has brought, for the person who collects."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from autograder.classroom.collecting.handed_in import HandedIn
from autograder.classroom.collecting.platforms import Download
from autograder.exam.syllabus import SyllabusPart


@dataclass(frozen=True)
class Collected:
    """What a download has brought, by the names of students.

    added, replaced, unchanged, older, untouched: hand-ins that are there now, in place of an earlier one, as they were, aside since a
    later one is there, and aside since they hold nothing but stubs of what is there. late: of the added and replaced. partless: whose hand-in holds no part of the course that can be found. strangers: not in the
    roster. renumbered: whose part is there under another number of Moodle's, so that it has not been replaced: the name alone tells that this is theirs. problems: what could not be copied. lacking: by part, who has handed in nothing of it, and by an empty name, who nothing at all.
    """

    download: Download
    added: list[str] = field(default_factory=list)
    replaced: list[str] = field(default_factory=list)
    unchanged: list[str] = field(default_factory=list)
    older: list[str] = field(default_factory=list)
    untouched: list[str] = field(default_factory=list)
    late: list[str] = field(default_factory=list)
    partless: list[str] = field(default_factory=list)
    strangers: list[str] = field(default_factory=list)
    renumbered: list[str] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)
    lacking: dict[str, list[str]] = field(default_factory=dict)

    def tell_lacking(self, students: Iterable[str], rows: Iterable[HandedIn], parts: Sequence[SyllabusPart]) -> None:
        """Note who has handed in nothing, and who nothing of a part that more than half of the others have."""
        handed_in: dict[str, set[str]] = {}
        for row in rows:
            handed_in.setdefault(row.student, set()).add(row.part)
        count = Counter(name for found in handed_in.values() for name in found)
        there = [part.name for part in parts if 2 * count[part.name] > len(handed_in)]
        for student in students:
            found = handed_in.get(student)
            lacks = [""] if found is None else [] if "" in found else [part for part in there if part not in found]
            for part in lacks:
                self.lacking.setdefault(part, []).append(student)
