"""The table of a trace: each line that ran as it is written, and below it the tensors that were made on it.

`attn shapes` fills it with shapes, `attn values` adds numbers.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from rich.console import RenderableType
from rich.text import Text

from autograder.course.answer import TensorValue, Value
from autograder.course.shapes import Shape, bind_all, names_of, recognise, write
from autograder.course.trace import Call, Made, Operation
from autograder.diagnosis.logical_lines import statements_of
from autograder.exam.model import PaperCase
from autograder.exam.syllabus import SyllabusStep
from autograder.grading.grade import clean
from autograder.render.screen import Signs

MARGIN, GAP = "      ", "  "

STYLES = {"passed": "green", "failed": "red", "open": "dim"}


class Line(NamedTuple):
    """A statement that ran: its path, its first line, and the function in which it is."""

    path: str
    number: int
    function: str


@dataclass(frozen=True)
class Row:
    """A tensor of a line. outcome: `passed` or `failed`; `open` if the reference makes none like it, and nothing depends on that.

    beside: what stands behind the shape; told: the same in words. below: what is drawn below it.
    """

    name: str
    shape: str
    outcome: str
    beside: str = ""
    told: str = ""
    below: RenderableType | None = None


class LineTable:
    """Draws lines with their tensors. texts: of the submission, by path."""

    def __init__(self, texts: Mapping[str, str], signs: Signs) -> None:
        self._texts, self._signs = texts, signs

    def lines_of(self, operations: Iterable[tuple[int, Operation]]) -> dict[Line, list[int]]:
        """Return lines in the order in which they came to their ends, each with the numbers of its operations."""
        lines: dict[Line, list[int]] = {}
        for number, one in operations:
            line = self.line(one.path, one.span[0], one.function)
            lines[line] = [*lines.pop(line, []), number]
        return lines

    def line(self, path: str, number: int, function: str) -> Line:
        """Return the statement that a line belongs to."""
        return Line(path, statements_of(self._texts.get(path, "")).first_line(number), function)

    def name(self, one: Operation) -> str:
        """Return the name that the code gives to what an operation makes; empty for none."""
        return statements_of(self._texts.get(one.path, "")).name(one.span)

    def draw(self, lines: Sequence[tuple[Line, Sequence[Row]]], width: int) -> Iterator[RenderableType]:
        """Yield each line as it is written, and below it its tensors in columns; in sentences where asked for."""
        rows = [row for _, own in lines for row in own]
        columns = tuple(max((len(getattr(row, of)) for row in rows), default=0) for of in ("name", "shape"))
        place = ("", "")
        for line, own in lines:
            if (line.path, line.function) != place and not self._signs.plain:
                place = (line.path, line.function)
                yield from (Text(""), Text(GAP.join(place), style="cyan"))
            yield self._statement(line, width)
            for row in own:
                yield self._row(row, columns, width)
                if row.below:
                    yield row.below

    def _statement(self, line: Line, width: int) -> Text:
        text, room = clean(statements_of(self._texts.get(line.path, "")).text(line.number)), width - len(MARGIN)
        if self._signs.plain:
            return Text(f"{line.path}, line {line.number}, in {line.function}: {text}")
        text = text if len(text) <= room else text[: room - 4] + " ..."
        return Text.assemble((f"{line.number:>4}{GAP}", "dim"), text)

    def _row(self, row: Row, columns: tuple[int, ...], width: int) -> Text:
        if self._signs.plain:
            return Text(f"{row.name} is {row.shape}{row.told and f', {row.told}'}.")
        signs = {outcome: getattr(self._signs, outcome) for outcome in STYLES}
        names, shapes = columns
        sign = signs[row.outcome].ljust(max(map(len, signs.values())))
        shown, beside = f" {row.name:<{names}}{GAP}{row.shape:<{shapes}}", row.beside and f"{GAP}{row.beside}"
        if len(MARGIN + sign + shown + beside) > width:
            beside = f"\n{MARGIN}{beside}"
        return Text.assemble(MARGIN, (sign, STYLES[row.outcome]), shown, beside)


class ShapeNames:
    """Writes shapes with the names that their sizes have in a step's signature, but for sizes that something else may have as well.

    expected: the reference's outputs. calls: what the code was given.
    """

    def __init__(
        self, step: SyllabusStep, case: PaperCase, expected: Mapping[str, Value], calls: Iterable[Call]
    ) -> None:
        self._step = step
        shapes = {name: value.shape for name, value in case.inputs.items() if isinstance(value, np.ndarray)}
        shapes |= {name: one for call in calls for name, one in call.given if isinstance(one, tuple)}
        outputs = {name: one.shape for name, one in expected.items() if isinstance(one, TensorValue)}
        sizes = bind_all(step.arguments, shapes) | bind_all(step.returns, outputs)
        numbers = {value for name, value in case.inputs.items() if type(value) is int and name not in sizes}
        self._sizes = {name: size for name, size in sizes.items() if size not in {1, *numbers}}

    def made(self, made: Made) -> str:
        """Write what an operation made: the first shape and the last, and how many there were."""
        ends = made.shapes if len(made.shapes) < 3 else (made.shapes[0], made.shapes[-1])
        return " to ".join(map(self.shape, ends)) + (f" ×{made.times}" if made.times > 1 else "")

    def shape(self, shape: Shape, dims: str | None = None) -> str:
        """Write a shape. dims: the names of its dimensions; if they are not known, they are recognised by their sizes."""
        return write(shape, names_of(dims, len(shape)) if dims else recognise(shape, self._sizes))

    def argument(self, name: str, given: Shape | str) -> str:
        """Write an argument."""
        return given if isinstance(given, str) else self.shape(given, self._step.arguments.get(name))

    def output(self, name: str, value: Value | None) -> str:
        """Write an output."""
        if isinstance(value, TensorValue):
            returns = self._step.returns
            return self.shape(value.shape, returns.get(name, returns.get(self._step.title_of(name))))
        return "None" if value is None or value.value is None else value.type
