"""The cells that a kernel has run, in the order in which they make a module."""

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from autograder.submission.notebook import definitions_of, without_commands
from autograder.submission.parsed import parsed


@dataclass(frozen=True)
class _Run:
    """One run of a cell. cell: identifies the cell in later runs; Jupyter's id, or else its text."""

    number: int
    cell: str
    text: str


class History:
    """The cells that a kernel has run, in order, including the one that is running."""

    def __init__(self, shell: Any) -> None:
        self._shell = shell
        before = enumerate(shell.history_manager.input_hist_raw)
        self._runs = [_Run(number, text, text) for number, text in before]
        shell.events.register("pre_run_cell", self._on_run)

    def cells(self) -> Iterator[tuple[int, str]]:
        """Yield each cell's last text, with its number, at the places of its first and its last run.

        At its first place, a cell comes before cells that need it. At its last place, its definitions
        come after cells that they need.
        """
        first = {run.cell: place for place, run in reversed(list(enumerate(self._runs)))}
        last = {run.cell: run for run in self._runs}
        for place, run in enumerate(self._runs):
            if place == first[run.cell]:
                yield last[run.cell].number, last[run.cell].text
            elif run is last[run.cell]:
                yield run.number, definitions_of(run.text)

    def _on_run(self, info: Any) -> None:
        if info.store_history:
            number = len(self._shell.history_manager.input_hist_raw)  # the count itself is raised before or after this
            self._runs.append(_Run(number, info.cell_id or info.raw_cell, info.raw_cell))


def defined_in(text: str) -> list[str]:
    """Return the names of the functions and classes at the top of a cell."""
    top = parsed(without_commands(text)).statements
    return [node.name for node in top if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef)]
