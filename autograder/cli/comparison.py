"""What an instructor sees of two markings of a class: whose marks changed, and why."""

from __future__ import annotations

from typing import TYPE_CHECKING

from autograder.cli.context import Stop

if TYPE_CHECKING:
    from pathlib import Path

    from rich.console import Console

    from autograder.classroom.class_marks import ClassMarks

MOST_MOVES = 40
MOVES = "moves.csv"


def show_moves(console: Console, before: ClassMarks, older: Path, after: ClassMarks, out: Path) -> None:
    """Print which marks changed from an older marking to the one in `out`, and write all of them there."""
    from autograder.classroom.comparison import compare, write_moves

    moves, written = list(compare(before, after)), out / MOVES
    try:
        write_moves(moves, written)
    except OSError as error:
        raise Stop(f"{written} could not be written: {error.strerror}.") from error
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
        console.print(line, markup=False, soft_wrap=True)
