"""What an instructor sees of two markings of a class: whose marks changed, and why."""

from pathlib import Path

from autograder.classroom.class_marks import ClassMarks
from autograder.classroom.comparison import compare, write_moves
from autograder.render.screen import make_console

MOST_MOVES = 40
MOVES = "moves.csv"


def show_moves(before: ClassMarks, older: Path, after: ClassMarks, out: Path) -> None:
    """Print which marks changed from an older marking to the one in `out`, and write all of them there."""
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
