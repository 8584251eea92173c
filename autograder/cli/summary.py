"""What an instructor sees of a batch: how far it is, and at its end a summary of the marks."""

from __future__ import annotations

import time
from collections import Counter
from datetime import timedelta
from types import TracebackType
from typing import TYPE_CHECKING, Any

from rich.cells import cell_len, set_cell_size
from rich.progress import BarColumn, MofNCompleteColumn, Progress, ProgressColumn, TextColumn, TimeRemainingColumn
from rich.table import Table
from rich.text import Text

from autograder.course.verdicts import Verdict
from autograder.render.screen import make_console
from autograder.submission.model import Urgency

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

    from rich.console import Console
    from rich.progress import Task

    from autograder.classroom.batch import Batch
    from autograder.classroom.class_folder import ClassFolder
    from autograder.classroom.counted_causes import CountedCauses
    from autograder.classroom.gradebook.writing import Written
    from autograder.classroom.grades import Grades
    from autograder.classroom.people import People
    from autograder.classroom.results import Results
    from autograder.cli.gradebook import Kept

MOST_CAUSES = 3
MOST_LOOKS = 20
MOST_TOLD = 5
WIDEST_NAME = 24
SHARE = 10
"""Without a terminal, a line each time another tenth is done."""


class _Rate(ProgressColumn):
    def render(self, task: Task) -> Text:
        return Text(f"{task.speed:.1f}/s" if task.speed else "")


class Meter:
    """Shows on standard error how many of `total` submissions have marks: a bar in a terminal, else a line now and then."""

    def __init__(self, total: int) -> None:
        self._console = make_console(stderr=True)
        self.total = total
        self._begun = time.monotonic()
        self._told = 0
        columns: Any = (TextColumn("marking"), BarColumn(), MofNCompleteColumn(), _Rate(), TimeRemainingColumn())
        self._bar = Progress(*columns, console=self._console, disable=not self._console.is_terminal)
        self._task = self._bar.add_task("marking", total=total)

    @property
    def seconds(self) -> float:
        """How long it has taken so far."""
        return time.monotonic() - self._begun

    def update(self, done: int) -> None:
        """Show that another submission has marks. done: how many have."""
        self._bar.update(self._task, completed=done)
        share = SHARE * done // self.total
        if not self._console.is_terminal and share > self._told:
            self._told = share
            left = self.seconds / done * (self.total - done)
            self._console.print(f"{done} of {self.total} marked, about {left:.0f} s left")

    def __enter__(self) -> Meter:
        self._bar.start()
        return self

    def __exit__(self, *_: type[BaseException] | BaseException | TracebackType | None) -> None:
        self._bar.stop()


def tell_class(
    console: Console, batch: Batch, folder: ClassFolder, people: People, results: Results, seconds: float
) -> None:
    """Print how many were marked, what was ignored, and who handed in nothing."""
    marked = len(batch.done) - batch.kept
    rate = f" in {seconds:.1f} s, {marked / seconds:.1f} per second" if marked else ""
    before = f"; {batch.kept} had marks before" if batch.kept else ""
    ignored = f"; {folder.ignored} hidden or other files ignored" if folder.ignored else ""
    console.print(f"{marked} of {len(batch.done)} submissions marked{rate}{before}{ignored}", soft_wrap=True)
    if folder.beside:
        console.print(f"ignored, not submissions: {_listed(folder.beside)}", markup=False, soft_wrap=True)
    students = [entry.student for entry in folder.entries]
    if absent := [person.name or person.entry for person in people.absent(students)]:
        console.print(f"handed in nothing: {_listed(absent)}", markup=False, soft_wrap=True)
    if people.all and (strangers := people.strangers(students)):
        console.print(f"not in the roster: {_listed(strangers)}", style="yellow", markup=False, soft_wrap=True)
    if others := results.others(students):
        told = f"{results.marks} also holds marks of students who are not in this class folder; exports and reports count them"
        console.print(f"{told}: {_listed(others)}", style="yellow", markup=False, soft_wrap=True)
    written = f"marks: {results.marks}, all students: {results.summary}"
    console.print(written, markup=False, soft_wrap=True)
    console.print()


class Summary:
    """The verdicts, causes, flags and lateness of some students of a class."""

    def __init__(self, grades: Grades | None, students: Sequence[str]) -> None:
        self._grades = grades
        self._students = {*students, *(grades.unknown if grades else ())}

    @property
    def needs_a_look(self) -> bool:
        """True if a person must act on something or should check it."""
        return bool(self._looks(Urgency.MUST_ACT) or self._looks(Urgency.CHECK))

    def tell(self, console: Console, listed: Path) -> None:
        """Print all of it, with the first of many students. listed: the file that has all."""
        from autograder.classroom.counted_causes import CountedCauses, cause_of

        everybody = self._grades.students if self._grades else {}
        found = [one for name, one in everybody.items() if name in self._students]
        verdicts, causes = Counter[Verdict](), CountedCauses()
        for part in (part for one in found for part in one.marks.parts):
            for step in part.steps:
                verdicts[step.verdict] += 1
                if cause := cause_of(step):
                    causes.add(f"{part.part}.{step.step}", cause)
        console.print(_verdicts(verdicts))
        if causes:
            console.print("\nMost common causes", style="bold")
            console.print(_causes(causes))
        for urgency in Urgency:
            told = urgency == Urgency.TOLD
            style, most = ("bold", MOST_TOLD) if told else ("bold yellow", MOST_LOOKS)
            _tell(console, Text(urgency.capitalize(), style), self._looks(urgency), most, listed)
        late = [(one.name, one.late) for one in found if one.late]
        _tell(console, Text("Late", "bold"), late, MOST_LOOKS, listed)

    def _looks(self, urgency: Urgency) -> list[tuple[str, str]]:
        from autograder.classroom.looks import in_a_line

        looks = self._grades.looks(urgency) if self._grades else {}
        return sorted((name, in_a_line(says)) for name, says in looks.items() if name in self._students)


def _tell(console: Console, heading: Text, lines: Sequence[tuple[str, str]], most: int, listed: Path) -> None:
    """Print a line for each student, the first of many. listed: the file that has all."""
    if not lines:
        return
    console.print(Text.assemble("\n", heading, (f": {len(lines)}", heading.style)))
    width = min(WIDEST_NAME, max(cell_len(student) for student, _ in lines[:most]))
    for student, says in lines[:most]:
        console.print(Text(f"{set_cell_size(student, width)}  {says}"), soft_wrap=True)
    if len(lines) > most:
        console.print(f"and {len(lines) - most} more: they are in {listed}", markup=False, soft_wrap=True)


def tell_unmarked(console: Console, unmarked: Mapping[str, str]) -> None:
    """Print who has no marks of this run, and why."""
    if not unmarked:
        return
    console.print(f"\nNot marked: {len(unmarked)}. The same command tries again.", style="bold yellow")
    for student, reason in list(unmarked.items())[:MOST_LOOKS]:
        console.print(f"{student}: {reason}", markup=False, soft_wrap=True)
    if len(unmarked) > MOST_LOOKS:
        console.print(f"and {len(unmarked) - MOST_LOOKS} more", soft_wrap=True)


def tell_gradebook(console: Console, kept: Kept) -> None:
    """Print what has gone into the gradebook, who was late and by how much, and what had to be left out."""
    written = kept.written
    console.print(
        f"\ngradebook: {kept.place}, {written.submissions} submissions of parts", markup=False, soft_wrap=True
    )
    for outdated in written.outdated[:MOST_LOOKS]:
        console.print(outdated, markup=False, soft_wrap=True)
    if written.waiting:
        told = f"cells that wait for a grade by hand in formgrader: {_listed(list(dict.fromkeys(written.waiting)))}"
        console.print(told, markup=False, soft_wrap=True)
    if written.late:
        console.print(f"\nLate: {len(written.late)}", style="bold yellow")
        for late in _late(written):
            console.print(late, no_wrap=True, overflow="ellipsis")
    for unclear in written.unclear[:MOST_LOOKS]:
        console.print(unclear, markup=False, soft_wrap=True)
    for reason, students in kept.left_out.items():
        console.print(f"not in autograded/: {_listed(students)}, because {reason}", markup=False, soft_wrap=True)


def _late(written: Written) -> Iterator[Text]:
    """Yield a line for each student who was late, the latest first and the first of many."""
    latest = sorted(written.late.items(), key=lambda late: -late[1])[:MOST_LOOKS]
    width = min(WIDEST_NAME, max(cell_len(student) for student, _ in latest))
    for student, seconds in latest:
        yield Text(f"{set_cell_size(student, width)}  {timedelta(seconds=seconds)}")


def _listed(names: Sequence[str]) -> str:
    """Return the first of many names in a line. Names may have commas."""
    more = f" and {len(names) - MOST_LOOKS} more" if len(names) > MOST_LOOKS else ""
    return "; ".join(names[:MOST_LOOKS]) + more


def _verdicts(verdicts: Counter[Verdict]) -> Table:
    table = _table("steps", "verdict")
    for verdict, count in verdicts.most_common():
        table.add_row(f"{count}", verdict.words)
    return table


def _causes(causes: CountedCauses) -> Table:
    table = _table("", "", "")
    for step, says, count in causes.commonest(MOST_CAUSES):
        table.add_row(f"{count}", Text(step.partition(".")[2]), Text(says))
    return table


def _table(*columns: str) -> Table:
    table = Table(box=None, padding=(0, 2, 0, 0), pad_edge=False, show_header=any(columns))
    for number, column in enumerate(columns):
        table.add_column(column, justify="right" if number == 0 else "left")
    return table
