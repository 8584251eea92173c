"""`attn lab`: measure a student's code, and show the results as tables with bars."""

from typing import TYPE_CHECKING

import click

from autograder.cli.context import solutions_of
from autograder.cli.options import in_course, timeout_option
from autograder.workspace import Workspace

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table

    from workbench.labs.lab import Curves

NAMES = ("cache-speed", "cache-memory", "against-torch", "largest-tensor")
MARGIN, LONGEST_BAR = 12, 20


@click.command()
@click.argument("name", metavar="LAB", type=click.Choice(NAMES))
@click.option("--longest", type=click.IntRange(min=64), metavar="NUMBER", help="Up to how many tokens to measure.")
@click.option("--reference", is_flag=True, help="Measure the reference instead of your own code.")
@timeout_option
@in_course
def lab(workspace: Workspace, name: str, longest: int | None, reference: bool, timeout: float) -> None:
    """Measure your own code, once it passes.

    \b
    cache-speed     tokens per second with and without a KV cache
    cache-memory    what a cache holds: MHA, GQA, MQA and MLA
    against-torch   your attention against torch's, in time and memory
    largest-tensor  the largest tensor, all scores at once or in tiles
    """
    from autograder.cli.check import require_passed
    from autograder.render.screen import make_console
    from workbench.labs import LABS
    from workbench.own_code import loaded

    chosen, console = LABS[name], make_console()
    folder = solutions_of(workspace) if reference else require_passed(workspace, chosen.steps, timeout)
    with loaded(folder, chosen.parts) as own, make_console(stderr=True).status(f"{name} …") as status:
        found = chosen.measure(own, longest or chosen.longest, status.update)
    for curves in found:
        console.print(_table(curves, console))
        console.print()
    console.print(chosen.says(found), style="bold", markup=False)


def _table(curves: "Curves", console: "Console") -> "Table":
    """Return a table with a row for each length. Each number has a bar in proportion to the number."""
    from rich.table import Table
    from rich.text import Text

    from autograder.render.screen import signs_for

    largest = max(max(line) for line in curves.lines.values())
    written = {way: [write_number(number) for number in line] for way, line in curves.lines.items()}
    wide = {way: max(map(len, texts)) for way, texts in written.items()}
    longest = min((console.width - MARGIN - sum(wide.values())) // len(wide) - 3, LONGEST_BAR)
    bar = signs_for(console).bar
    table = Table(title=curves.quantity, title_justify="left", title_style="bold", box=None, pad_edge=False)
    table.add_column("tokens", justify="right")
    for way in curves.lines:
        table.add_column(way)
    for row, tokens in enumerate(curves.tokens):
        cells = (
            Text.assemble(
                written[way][row].rjust(wide[way]), " ", (bar * round(longest * line[row] / largest), "green")
            )
            for way, line in curves.lines.items()
        )
        table.add_row(write_number(tokens), *cells)
    return table


def write_number(number: float) -> str:
    """Write a number with all its digits, in groups of three."""
    return f"{number:,.15g}".replace(",", " ")
