"""The output of `attn grade`: a progress bar, a summary of the marks, and the marks that changed."""

from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn
from rich.table import Table
from rich.text import Text

from autograder.classroom.batch import Batch
from autograder.classroom.changes import compare, write_moves
from autograder.classroom.class_folder import ClassFolder
from autograder.classroom.class_marks import ClassMarks
from autograder.classroom.counted_causes import causes_of
from autograder.classroom.grades import Grades
from autograder.classroom.looks import in_a_line
from autograder.classroom.people import People
from autograder.classroom.results import Results
from autograder.cli.context import MOST_LISTED, listed
from autograder.render.screen import make_console
from autograder.submission.model import Urgency

MOST_CAUSES = 3
MOST_TOLD = 5
MOST_MOVES = 40
MOVES = "moves.csv"


def bar_of_marking() -> Progress:
    """Return a progress bar of marked submissions. It appears only if standard error is a terminal."""
    console = make_console(stderr=True)
    columns: Any = (TextColumn("marking"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    return Progress(*columns, console=console, disable=not console.is_terminal)


def tell_class(batch: Batch, folder: ClassFolder, people: People, results: Results, seconds: float) -> None:
    """Print how many were marked, what was ignored, and who handed in nothing."""
    console, marked = make_console(), len(batch.done) - batch.kept
    rate = f" in {seconds:.1f} s, {marked / seconds:.1f} per second" if marked else ""
    before = f"; {batch.kept} had marks before" if batch.kept else ""
    ignored = f"; {folder.ignored} hidden or other files ignored" if folder.ignored else ""
    console.print(f"{marked} of {len(batch.done)} submissions marked{rate}{before}{ignored}", soft_wrap=True)
    students = [entry.student for entry in folder.entries]
    others = (
        f"{results.marks} also holds marks of students who are not in this class folder; exports and reports count them"
    )
    for said, names in {
        "ignored, not submissions": folder.beside,
        "handed in nothing": [person.name or person.entry for person in people.absent(students)],
        "not in the roster": [name for name in students if people.all and not people.of(name)],
        others: results.others(students),
    }.items():
        if names:
            console.print(f"{said}: {listed(names)}", markup=False, soft_wrap=True)
    console.print(f"marks: {results.marks}, all students: {results.summary}\n", markup=False, soft_wrap=True)


class Summary:
    """The verdicts, causes, flags and lateness of some students of a class."""

    def __init__(self, grades: Grades | None, students: Sequence[str]) -> None:
        self._grades = grades
        self._students = {*students, *(grades.unknown if grades else ())}

    @property
    def needs_a_look(self) -> bool:
        """True if a person must act on something or should check it."""
        return bool(self._looks(Urgency.MUST_ACT) or self._looks(Urgency.CHECK))

    def tell(self, all_in: Path) -> None:
        """Print the summary, with the first students of long lists. all_in: the file that lists all."""
        console, everybody = make_console(), self._grades.students if self._grades else {}
        found = [one for name, one in everybody.items() if name in self._students]
        steps = (step.marks for one in found for part in one.parts for step in part.steps)
        verdicts = Counter(marks.verdict for marks in steps if marks)
        console.print(_table(["steps", "verdict"], [(f"{count}", one.words) for one, count in verdicts.most_common()]))
        if causes := causes_of(one.marks for one in found)[:MOST_CAUSES]:
            console.print("\nMost common causes", style="bold")
            console.print(_table([], [(f"{count}", step.partition(".")[2], says) for step, says, count in causes]))
        for urgency in Urgency:
            told = urgency == Urgency.TOLD
            style, most = ("bold", MOST_TOLD) if told else ("bold yellow", MOST_LISTED)
            show_lines(urgency.capitalize(), style, self._looks(urgency), most, f": they are in {all_in}")
        late = [(one.name, one.late) for one in found if one.late]
        show_lines("Late", "bold", late, more=f": they are in {all_in}")

    def _looks(self, urgency: Urgency) -> list[tuple[str, str]]:
        looks = self._grades.looks(urgency) if self._grades else {}
        return sorted((name, in_a_line(says)) for name, says in looks.items() if name in self._students)


def show_moves(before: ClassMarks, older: Path, after: ClassMarks, out: Path) -> None:
    """Print the marks that changed since an older run, and write all of them to a table in `out`."""
    moves, written = list(compare(before, after)), out / MOVES
    write_moves(moves, written)
    both, movers = before.students.keys() & after.students.keys(), {move.student for move in moves}
    lines = [
        f"\nCompared with {older}",
        f"{len(movers)} of {len(both)} students' marks changed; every step that changed: {written}",
        *(
            f"{one.student}  {one.step}  {one.score_before:g} → {one.score:g}  {one.verdict_before} → {one.verdict}  ({one.why})"
            for one in moves[:MOST_MOVES]
        ),
        *([f"and {len(moves) - MOST_MOVES} more"] if len(moves) > MOST_MOVES else []),
    ]
    for line in lines:
        make_console().print(line, markup=False, soft_wrap=True)


def tell_unmarked(unmarked: Mapping[str, str]) -> None:
    """Print who has no marks of this run, and why."""
    heading = "Not marked. The same command tries again"
    show_lines(heading, "bold yellow", list(unmarked.items()), stderr=True)


def show_lines(
    heading: str,
    style: str,
    lines: Sequence[tuple[str, str]],
    most: int = MOST_LISTED,
    more: str = "",
    stderr: bool = False,
) -> None:
    """Print a line for each of the first `most` students. more: where the others are listed."""
    if not lines:
        return
    console = make_console(stderr)
    console.print(f"\n{heading}: {len(lines)}", style=style, markup=False, soft_wrap=True)
    width = max(len(student) for student, _ in lines[:most])
    for student, says in lines[:most]:
        console.print(f"{student:<{width}}  {says}", markup=False, soft_wrap=True)
    if len(lines) > most:
        console.print(f"and {len(lines) - most} more{more}", markup=False, soft_wrap=True)


def _table(columns: Sequence[str], rows: Sequence[tuple[str, ...]]) -> Table:
    table = Table(*columns, box=None, padding=(0, 2, 0, 0), pad_edge=False, show_header=bool(columns))
    for row in rows:
        table.add_row(f"{row[0]:>5}", *map(Text, row[1:]))
    return table
