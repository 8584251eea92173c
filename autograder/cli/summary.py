"""The output of `attn grade`: a progress bar, a summary of the marks, and the marks that changed."""

from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from pathlib import Path

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
from autograder.cli.context import MOST_LISTED, listed, print_lines
from autograder.render.screen import make_console
from autograder.submission.model import Urgency

MOST_CAUSES = 3
MOVES = "moves.csv"


def show_marked(batch: Batch, folder: ClassFolder, people: People) -> None:
    """Print how many submissions were marked, what was ignored, and who handed in nothing."""
    students, results = [entry.student for entry in folder.entries], batch.results
    before = f"; {batch.kept} had marks before" if batch.kept else ""
    lines = [f"{len(batch.done) - batch.kept} of {len(batch.done)} submissions marked{before}"]
    lists = {
        "ignored, not submissions": folder.beside,
        "handed in nothing": [person.name or person.entry for person in people.absent(students)],
        "not in the roster": [name for name in students if people.all and not people.of(name)],
        "marked before, not in this class folder, but counted by exports and reports": results.others(students),
    }
    lines += [f"{heading}: {listed(names)}" for heading, names in lists.items() if names]
    lines.append(f"marks: {results.marks}, all students: {results.summary}\n")
    print_lines(*lines)


def show_summary(grades: Grades, students: Collection[str], all_in: Path) -> bool:
    """Print the verdicts, causes, flags and lateness of students. Return whether a flag needs a person.

    all_in: the table of all students; its path is printed below a list that is cut off.
    """
    console, shown = make_console(), {*students, *grades.unknown}
    found = [one for name, one in grades.students.items() if name in shown]
    steps = (step.marks for one in found for part in one.parts for step in part.steps)
    verdicts = Counter(marks.verdict for marks in steps if marks)
    console.print(_table(["steps", "verdict"], [(f"{count}", one.words) for one, count in verdicts.most_common()]))
    if causes := causes_of(one.marks for one in found)[:MOST_CAUSES]:
        console.print("\nMost common causes", style="bold")
        console.print(_table([], [(f"{count}", step.partition(".")[2], says) for step, says, count in causes]))
    flags = {
        urgency: sorted((name, in_a_line(says)) for name, says in grades.looks(urgency).items() if name in shown)
        for urgency in Urgency
    }
    for heading, lines in (*flags.items(), ("Late", [(one.name, one.late) for one in found if one.late])):
        show_lines(heading.replace("told", "for your information").capitalize(), lines, f": {all_in} lists them")
    return bool(flags[Urgency.MUST_ACT] or flags[Urgency.CHECK])


def show_moves(before: ClassMarks, older: Path, after: ClassMarks, out: Path) -> None:
    """Print the marks that changed since an older run, and write all of them to `moves.csv` in `out`."""
    moves = list(compare(before, after))
    write_moves(moves, out / MOVES)
    both, movers = before.students.keys() & after.students.keys(), {move.student for move in moves}
    changed = f"{len(movers)} of {len(both)} students' marks changed; every step that changed: {out / MOVES}"
    print_lines(f"\nCompared with {older}", changed)
    lines = []
    for one in moves:
        points, verdicts = f"{one.score_before:g} → {one.score:g}", f"{one.verdict_before} → {one.verdict}"
        lines.append((one.student, f"{one.step}  {points}  {verdicts}  ({one.why})"))
    show_lines("Steps", lines)


def show_lines(heading: str, lines: Iterable[tuple[str, str]], more: str = "", stderr: bool = False) -> None:
    """Print a heading and the first lines, each on a student. more: says where the other lines are."""
    rows = [f"{student}  {says}" for student, says in lines]
    if rows:
        print_lines(f"\n{heading}: {len(rows)}", style="bold", stderr=stderr)
        print_lines(*rows[:MOST_LISTED], stderr=stderr)
    if len(rows) > MOST_LISTED:
        print_lines(f"and {len(rows) - MOST_LISTED} more{more}", stderr=stderr)


def _table(columns: Sequence[str], rows: Sequence[tuple[str, ...]]) -> Table:
    table = Table(*columns, box=None, padding=(0, 2, 0, 0), pad_edge=False, show_header=bool(columns))
    for row in rows:
        table.add_row(f"{row[0]:>5}", *map(Text, row[1:]))
    return table
