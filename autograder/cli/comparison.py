"""What an instructor sees of two markings of a class: whose marks changed, and why."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.text import Text

from autograder.cli.context import Stop

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from rich.console import Console

    from autograder.classroom.class_marks import ClassMarks
    from autograder.classroom.comparison import Mover

MOST_MOVERS = 20
MOVES = "moves.csv"


def show_moves(console: Console, before: ClassMarks, older: Path, after: ClassMarks, out: Path) -> None:
    """Print whose marks changed from an older marking to the one in `out`, and write every change there."""
    from autograder.classroom.comparison import compare, write_moves

    comparison = compare(before, after)
    written = out / MOVES
    try:
        write_moves(comparison, written)
    except OSError as error:
        raise Stop(f"{written} could not be written: {error.strerror}.") from error
    movers = comparison.movers
    up = sum(mover.score > mover.score_before for mover in movers)
    down = sum(mover.score < mover.score_before for mover in movers)
    console.print(f"\nCompared with {older}", style="bold", markup=False)
    told = f"{len(movers)} of {comparison.compared} students' marks changed: {up} up, {down} down"
    console.print(f"{told}; every step that changed: {written}" if movers else told, markup=False, soft_wrap=True)
    for mover in movers[:MOST_MOVERS]:
        for line in _lines(mover):
            console.print(line)
    if (more := len(movers) - MOST_MOVERS) > 0:
        console.print(f"and {more} more")
    for names, said in ((comparison.joined, "not there before"), (comparison.left, "no longer there")):
        if names:
            console.print(f"{said}: {', '.join(names)}", markup=False)


def _lines(mover: Mover) -> Iterator[Text]:
    style = "green" if mover.score > mover.score_before else "red" if mover.score < mover.score_before else ""
    scores = f"{mover.score_before:g} → {mover.score:g}"
    yield Text.assemble(mover.student, "  ", (scores, style), f"  {'; '.join(mover.reasons)}")
    for move in mover.moves:
        points = f"{move.score_before:g} → {move.score:g}"
        criteria = f"  ({move.criteria})" if move.criteria else ""
        yield Text(f"    {move.step.partition('.')[2]}  {points}  {move.verdict_before} → {move.verdict}{criteria}")
