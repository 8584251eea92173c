"""The cells that a kernel has run, as those of a module."""

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from autograder.submission.notebook import definitions_of, without_commands
from autograder.submission.parsed import parsed


@dataclass(frozen=True)
class _Run:
    """A cell that was run. cell: what it is known by when it is run again: Jupyter's id, else its text."""

    number: int
    cell: str
    text: str


class History:
    """The cells that a kernel has run, in order, the one that it is running among them.

    Of those that were run before this was made, those that raised are left out: mostly the imports were missing.
    """

    def __init__(self, shell: Any) -> None:
        self._shell = shell
        raised = getattr(shell.history_manager, "exceptions", {})  # IPython notes them since 9.1
        self._runs: list[_Run] = [
            _Run(number, text, text)
            for number, text in enumerate(shell.history_manager.input_hist_raw)
            if number not in raised
        ]
        shell.events.register("pre_run_cell", self._on_run)

    def cells(self) -> Iterator[tuple[int, str]]:
        """Yield number and text of every cell as it was run last, where it was run first and where it was run last.

        The older text is gone. A cell that was fixed and run again comes after what it needs; one that others need, such as the
        imports, before them. Of a cell that was run again unchanged, only the definitions count twice: they may have replaced others.
        """
        first = {run.cell: place for place, run in reversed(list(enumerate(self._runs)))}
        last = {run.cell: place for place, run in enumerate(self._runs)}
        for place, run in enumerate(self._runs):
            latest = self._runs[last[run.cell]]
            if place == first[run.cell]:
                yield latest.number, latest.text
            elif run is latest:
                as_before = run.text == self._runs[first[run.cell]].text
                yield run.number, definitions_of(run.text) if as_before else run.text

    def names(self) -> Iterator[str]:
        """Yield the names that the cells define."""
        for _, text in self.cells():
            yield from defined_in(text)

    def _on_run(self, info: Any) -> None:
        if info.store_history:
            number = len(self._shell.history_manager.input_hist_raw)  # the count itself is raised before or after this
            self._runs.append(_Run(number, info.cell_id or info.raw_cell, info.raw_cell))


def defined_in(text: str) -> list[str]:
    """Return the names of the functions and classes at the top of a cell."""
    top = parsed(without_commands(text)).statements
    return [node.name for node in top if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef)]
