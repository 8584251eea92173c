"""Traces in the terminal: the statements that ran, and relations of tensors to the reference's."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from rich.console import RenderableType
from rich.text import Text

from autograder.course.answer import TensorValue
from autograder.course.shapes import Shape, names_of, recognise, write
from autograder.course.trace import Made
from autograder.course.verdicts import Verdict
from autograder.diagnosis.align import Alignment
from autograder.diagnosis.places import statements_of
from autograder.grading.checks import Sheet
from autograder.grading.compare import Kind
from autograder.grading.grade import clean
from autograder.grading.pictures import view_of
from autograder.render.pictures import Drawing
from autograder.render.screen import Signs

MARGIN, GAP = "      ", "  "

STYLES = {"passed": "green", "failed": "red", "open": "dim"}

MOST_OUTPUTS = 3
"""The most outputs of a step that a conclusion names. A case may have more."""

SAID = {
    Kind.EQUAL: "as in the reference",
    Kind.RESHAPED: "the reference's numbers, in another shape",
    Kind.PERMUTED: "the reference's numbers, in another order",
    Kind.PART: "some of the reference's values",
    Kind.SCALED: "what the reference has, times a constant",
    Kind.OTHER: "not in the reference",
}
"""The words for each relation of a tensor to the reference's tensors."""


class Line(NamedTuple):
    """A statement that ran. number: the first line. function: the enclosing function."""

    path: str
    number: int
    function: str


@dataclass(frozen=True)
class Row:
    """The row for a tensor of a statement.

    outcome: `failed` for the divergence, `passed` for values as in the reference, else `open`.
    said: the relation of the tensor to the reference's tensors. below: a drawing below the row.
    """

    name: str
    shape: str
    outcome: str
    said: str
    below: RenderableType | None = None


class TraceDrawing:
    """A drawing of a step's run in one case, up to the divergence from the reference.

    message: of the failed check; empty if all passed. texts: the submission's sources, by path.
    """

    def __init__(self, sheet: Sheet, aligned: Alignment, message: str, texts: Mapping[str, str], signs: Signs) -> None:
        self._sheet, self._aligned, self._message = sheet, aligned, message
        self._texts, self._signs = texts, signs
        self._trace, self._place = aligned.trace, aligned.place
        self._departing = self._place.number if self._place and self._place.how == "departs" else None

    def lines(self, width: int) -> Iterator[RenderableType]:
        """Yield the case, the arguments, the statements and the conclusion. width: in columns."""
        step, calls = self._sheet.step, self._calls()
        yield Text.assemble((step.path, "bold"), f", case {self._sheet.paper.name}")
        for call in map(self._trace.calls.__getitem__, calls):
            each = [
                f"{name} {one if isinstance(one, str) else self._shape(one, step.arguments.get(name))}"
                for name, one in call.given
            ]
            if each:
                yield Text.assemble(f"{clean(call.function)} is given ", (clean(", ".join(each)), "cyan"))
        yield from self._draw([(line, [*self._rows(numbers)]) for line, numbers in self._shown(calls)], width)
        yield Text("")
        yield from (Text(clean(sentence)) for sentence in self._conclusion())

    def _calls(self) -> list[int]:
        """Return the indices of one call per function, preferably a call that diverges or raises."""
        trace = self._trace
        telling = [trace.stop.call] if trace.stop else []
        telling += [trace.operations[self._departing].call] if self._departing is not None else []
        numbers = [*reversed(range(len(trace.calls))), *telling]
        return sorted({trace.calls[number].function: number for number in numbers}.values())

    def _shown(self, calls: Sequence[int]) -> list[tuple[Line, list[int]]]:
        trace, failure = self._trace, self._aligned.answer.failure
        lines: dict[Line, list[int]] = {}
        for number, one in enumerate(trace.operations):
            if one.call in calls:
                line = self._line(one.path, one.span[0], one.function)
                lines[line] = [*lines.pop(line, []), number]
        ends = [at for at, numbers in enumerate(lines.values(), 1) if self._departing in numbers]
        if not ends and trace.stop and failure and failure.kind != Verdict.NOT_ATTEMPTED:
            line = self._line(*trace.stop.lines[-1])
            lines[line] = lines.pop(line, [])
        return list(lines.items())[: ends[0] if ends else None]

    def _rows(self, numbers: Sequence[int]) -> Iterator[Row]:
        """Yield a row for each operation of a statement, except for most unnamed results."""
        following = [*(self._trace.operations[number].made.shapes for number in numbers[1:]), ()]
        for number, then in zip(numbers, following, strict=False):
            one, match, departs = self._trace.operations[number], self._aligned.match(number), number == self._departing
            is_place = self._place is not None and self._place.number == number
            name = statements_of(self._texts.get(one.path, "")).name(one.span)
            if name or "." in one.name or one.made.shapes != then or is_place:
                is_known = match.kind >= Kind.PERMUTED and not match.departs
                outcome = "failed" if departs else "passed" if is_known else "open"
                below = self._picture(number) if departs else None
                yield Row(clean(name or one.name), self._made(one.made), outcome, SAID[match.kind], below)

    def _picture(self, number: int) -> Drawing | None:
        yours, expected = self._trace.operations[number].made.last, self._aligned.instead(number)
        if yours is None or expected is None:
            return None
        return Drawing(view_of("", expected, yours, ("",) * yours.ndim), self._signs)

    def _conclusion(self) -> Iterator[str]:
        failure, stop = self._aligned.answer.failure, self._trace.stop
        if not self._message:
            yield "The answers are right in every case."
        if self._place:
            yield self._place.diagnosis().where
        if self._message:
            line = f"Line {stop.lines[-1][1]} of {stop.lines[-1][0]}: " if stop else ""
            yield f"{line}{self._message}"
        if failure and failure.kind != Verdict.NOT_ATTEMPTED and stop and stop.operands:
            given = (f"{name} {self._shape(shape)}".strip() for name, shape in stop.operands)
            yield f"It was given {' and '.join(given)}."
        outputs = self._sheet.key.expected.outputs.items()
        expected = [
            f"{self._sheet.step.title_of(name)} {self._sheet.written_shape(name, one)}".strip()
            for name, one in outputs
            if isinstance(one, TensorValue)
        ]
        if failure and expected:
            yield f"What must come out: {', '.join(expected[:MOST_OUTPUTS])}."

    def _shape(self, shape: Shape, dims: str | None = None) -> str:
        """Write a shape with the names of its dimensions, found by size if `dims` is empty."""
        return write(shape, names_of(dims, len(shape)) if dims else recognise(shape, self._sheet.sizes))

    def _made(self, made: Made) -> str:
        ends = made.shapes if len(made.shapes) < 3 else (made.shapes[0], made.shapes[-1])
        return " to ".join(map(self._shape, ends)) + (f" ×{made.times}" if made.times > 1 else "")

    def _line(self, path: str, number: int, function: str) -> Line:
        return Line(path, statements_of(self._texts.get(path, "")).first_line(number), function)

    def _draw(self, lines: Sequence[tuple[Line, Sequence[Row]]], width: int) -> Iterator[RenderableType]:
        rows = [row for _, own in lines for row in own]
        columns = tuple(max((len(getattr(row, of)) for row in rows), default=0) for of in ("name", "shape"))
        place = ("", "")
        for line, own in lines:
            if (line.path, line.function) != place and not self._signs.plain:
                place = (line.path, line.function)
                yield from (Text(""), Text(GAP.join(place), style="cyan"))
            yield self._draw_line(line)
            for row in own:
                yield self._draw_row(row, columns, width)
                if row.below:
                    yield row.below

    def _draw_line(self, line: Line) -> Text:
        text = clean(statements_of(self._texts.get(line.path, "")).text(line.number))
        if self._signs.plain:
            return Text(f"{line.path}, line {line.number}, in {line.function}: {text}")
        return Text.assemble((f"{line.number:>4}{GAP}", "dim"), text, no_wrap=True, overflow="crop")

    def _draw_row(self, row: Row, columns: tuple[int, ...], width: int) -> Text:
        if self._signs.plain:
            return Text(f"{row.name} is {row.shape}, {row.said}.")
        signs = {outcome: getattr(self._signs, outcome) for outcome in STYLES}
        names, shapes = columns
        sign = signs[row.outcome].ljust(max(map(len, signs.values())))
        shown, said = f" {row.name:<{names}}{GAP}{row.shape:<{shapes}}", f"{GAP}{row.said}"
        if len(MARGIN + sign + shown + said) > width:
            said = f"\n{MARGIN}{said}"
        return Text.assemble(MARGIN, (sign, STYLES[row.outcome]), shown, said)
