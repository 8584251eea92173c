"""Traces in the terminal: the statements that ran, with the shapes or values of their tensors."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from rich.console import RenderableType
from rich.text import Text

from autograder.course.answer import LACK, PlainValue, TensorValue, Value
from autograder.course.model import SINGLE
from autograder.course.shapes import Shape, bind_all, names_of, recognise, write
from autograder.course.trace import Made, Operation
from autograder.course.verdicts import Verdict
from autograder.diagnosis.align import Alignment
from autograder.diagnosis.places import statements_of
from autograder.exam.syllabus import SyllabusStep
from autograder.grading.compare import Kind
from autograder.grading.grade import clean
from autograder.grading.pictures import view_of
from autograder.render.pictures import Drawing
from autograder.render.screen import Signs

MARGIN, GAP = "      ", "  "

STYLES = {"passed": "green", "failed": "red", "open": "dim"}

MOST_OUTPUTS = 3
"""The most outputs of a step that a conclusion names. A case may have more."""


class Line(NamedTuple):
    """A statement that ran: the path of its file, its first line, and the enclosing function."""

    path: str
    number: int
    function: str


@dataclass(frozen=True)
class Row:
    """The row for a tensor of a statement.

    outcome: `failed` for a divergence, `passed` for agreement with the reference, else `open`.
    said: the relation of the tensor to the reference's tensors. below: a drawing below the row.
    """

    name: str
    shape: str
    outcome: str
    said: str = ""
    below: RenderableType | None = None


class LinesDrawing:
    """A step in one case, statement by statement. texts: the submission's sources, by path."""

    def __init__(self, step: SyllabusStep, aligned: Alignment, texts: Mapping[str, str], signs: Signs) -> None:
        self._step, self._aligned, self._texts, self._signs = step, aligned, texts, signs
        self._trace, self._answer, self._expected = aligned.trace, aligned.answer, aligned.key.expected.outputs
        inputs = aligned.case.inputs.items()
        given = {name: value.shape for name, value in inputs if isinstance(value, np.ndarray)}
        outputs = {name: one.shape for name, one in self._expected.items() if isinstance(one, TensorValue)}
        sizes = bind_all(step.arguments, given) | bind_all(step.returns, outputs)
        numbers = {value for name, value in inputs if type(value) is int and name not in sizes}
        self._sizes = {name: size for name, size in sizes.items() if size not in {1, *numbers}}

    def _shape(self, shape: Shape, dims: str | None = None) -> str:
        """Return a shape as text, with the names of its dimensions.

        dims: the names of the dimensions; without `dims`, each name is found by size.
        """
        return write(shape, names_of(dims, len(shape)) if dims else recognise(shape, self._sizes))

    def _made(self, made: Made) -> str:
        """Return the shapes of an operation's tensors as text, with the number of tensors.

        Of three or more shapes, the text contains the first shape and the last shape.
        """
        ends = made.shapes if len(made.shapes) < 3 else (made.shapes[0], made.shapes[-1])
        return " to ".join(map(self._shape, ends)) + (f" ×{made.times}" if made.times > 1 else "")

    def _output(self, name: str, value: Value | None) -> str:
        if isinstance(value, TensorValue):
            returns = self._step.returns
            return self._shape(value.shape, returns.get(name, returns.get(self._step.title_of(name))))
        return "None" if value is None or value.value is None else value.type

    def _lines_of(self, numbers: Iterable[int]) -> dict[Line, list[int]]:
        """Return the indices of operations by statement, sorted by each statement's last index."""
        lines: dict[Line, list[int]] = {}
        for number in numbers:
            one = self._trace.operations[number]
            line = self._line(one.path, one.span[0], one.function)
            lines[line] = [*lines.pop(line, []), number]
        return lines

    def _line(self, path: str, number: int, function: str) -> Line:
        return Line(path, statements_of(self._texts.get(path, "")).first_line(number), function)

    def _name(self, one: Operation) -> str:
        """Return the name that the source gives to an operation's result; empty for none."""
        return statements_of(self._texts.get(one.path, "")).name(one.span)

    def _draw(self, lines: Sequence[tuple[Line, Sequence[Row]]], width: int) -> Iterator[RenderableType]:
        """Yield each statement as in the source, followed by a row for each of its tensors.

        width: the screen columns of the console.
        """
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
            return Text(f"{row.name} is {row.shape}{row.said and f', {row.said}'}.")
        signs = {outcome: getattr(self._signs, outcome) for outcome in STYLES}
        names, shapes = columns
        sign = signs[row.outcome].ljust(max(map(len, signs.values())))
        shown, said = f" {row.name:<{names}}{GAP}{row.shape:<{shapes}}", row.said and f"{GAP}{row.said}"
        if len(MARGIN + sign + shown + said) > width:
            said = f"\n{MARGIN}{said}"
        return Text.assemble(MARGIN, (sign, STYLES[row.outcome]), shown, said)


class TraceDrawing(LinesDrawing):
    """The shapes of a step's tensors beside the reference's shapes, up to the divergence."""

    def lines(self, width: int) -> Iterator[RenderableType]:
        """Yield the case, the arguments, the statements and the conclusion.

        width: the screen columns of the console.
        """
        yield Text.assemble((self._step.path, "bold"), f", case {self._aligned.case.name}")
        for call in map(self._trace.calls.__getitem__, self._calls()):
            dims = self._step.arguments
            each = [
                f"{name} {one if isinstance(one, str) else self._shape(one, dims.get(name))}"
                for name, one in call.given
            ]
            if each:
                yield Text.assemble(f"{clean(call.function)} is given ", (clean(", ".join(each)), "cyan"))
        yield from self._draw([(line, list(self._rows(numbers))) for line, numbers in self._shown()], width)
        yield Text("")
        yield from (Text(clean(sentence)) for sentence in self._conclusion())

    def _calls(self) -> Sequence[int]:
        """Return the indices of the calls to show: one of each function.

        The call with the divergence is preferred, then the call that raised, then the first call.
        """
        trace, departure = self._trace, self._aligned.departure
        telling = [trace.stop.call] if trace.stop else []
        telling += [trace.operations[departure.operation].call] if departure and departure.operation is not None else []
        numbers = [*reversed(range(len(trace.calls))), *telling]
        return sorted({trace.calls[number].function: number for number in numbers}.values())

    def _shown(self) -> Iterable[tuple[Line, list[int]]]:
        """Return the statements up to the divergence or exception, with their operations."""
        trace, departure, failure = self._trace, self._aligned.departure, self._answer.failure
        calls = self._calls()
        lines = self._lines_of(number for number, one in enumerate(trace.operations) if one.call in calls)
        if departure and departure.operation is not None:
            ends = next(place for place, numbers in enumerate(lines.values(), 1) if departure.operation in numbers)
            return list(lines.items())[:ends]
        if trace.stop and failure and failure.kind != Verdict.NOT_ATTEMPTED:
            line = self._line(*trace.stop.lines[-1])
            lines[line] = lines.pop(line, [])
        return lines.items()

    def _rows(self, numbers: Sequence[int]) -> Iterator[Row]:
        """Yield a row for each tensor of a statement.

        Skips an unnamed tensor that has the shape of the next tensor, except at the divergence.
        """
        departure, operations = self._aligned.departure, [self._trace.operations[number] for number in numbers]
        following = [*(one.made.shapes for one in operations[1:]), ()]
        for number, one, then in zip(numbers, operations, following, strict=False):
            name = self._name(one)
            departs = departure is not None and departure.operation == number
            if not name and "." not in one.name and one.made.shapes == then and not departs:
                continue
            beside = departure.instead if departure and departs else self._aligned.beside(number)
            agrees = not departs and beside is not None and one.made.is_same(beside)
            same = SAID[Kind.EQUAL] if self._signs.plain else ""
            said = same if agrees else f"reference: {self._made(beside)}" if beside else ""
            outcome = "failed" if departs else "passed" if agrees else "open"
            yield Row(clean(name or one.name), self._made(one.made), outcome, said)

    def _conclusion(self) -> Iterator[str]:
        """Yield sentences on the result of the comparison, and on what to do next."""
        departure = self._aligned.departure
        if not departure:
            yield f"The result has the reference's shapes. `attn check {self._step.path}` checks the numbers."
            return
        if departure.operation is not None:
            (line,) = self._lines_of([departure.operation])
            yield f"Line {line.number} is where the shapes begin to differ from the reference's."
        if departure.output is not None:
            yield self._came_out(departure.output)
            return
        yield from self._failure()
        missing = [name for name in self._aligned.missing() if "." not in name]  # no parameters of layers
        outputs = [
            f"{self._step.title_of(name)} {self._output(name, self._expected[name])}".strip()
            for name in missing[:MOST_OUTPUTS]
        ]
        if outputs:
            yield f"What must come out: {', '.join(outputs)}."

    def _came_out(self, name: str) -> str:
        what, outputs = self._step.title_of(name) or "It", self._answer.outputs
        given = outputs.get(name) or (outputs.get(SINGLE) if name.isdecimal() else None)
        if isinstance(given, PlainValue) and given.type == LACK:
            return f"{what}: {given.value}."
        several = given is None and name == SINGLE and outputs
        shown = f"{len(outputs)} tensors in a tuple or list" if several else self._output("", given)
        expected = self._output(name, self._expected.get(name))
        return f"{what} comes out as {shown}, from the reference as {expected}."

    def _failure(self) -> Iterator[str]:
        failure, stop = self._answer.failure, self._trace.stop
        assert failure
        line = f"line {stop.lines[-1][1]} of {stop.lines[-1][0]}" if stop else ""
        if failure.kind == Verdict.NOT_ATTEMPTED:
            yield f"Not attempted yet{line and f': {line}'}."
            return
        yield f"L{line[1:]}: {failure.message}" if line else failure.message
        if stop and stop.operands:
            given = (f"{name} {self._shape(shape)}".strip() for name, shape in stop.operands)
            yield f"It was given {' and '.join(given)}."


SAID = {
    Kind.EQUAL: "as in the reference",
    Kind.RESHAPED: "the reference's numbers, in another shape",
    Kind.PERMUTED: "the reference's numbers, in another order",
    Kind.PART: "a part of what the reference has",
    Kind.SCALED: "what the reference has, times a constant",
    Kind.OTHER: "not in the reference",
}
"""The words for each relation of a tensor to the reference's tensors."""


class ValuesDrawing(LinesDrawing):
    """The values of a step's tensors in a case with a wrong answer."""

    def lines(self, width: int) -> Iterator[RenderableType]:
        """Yield the case, the named tensors on which the answer depends, and the conclusion.

        width: the screen columns of the console.
        """
        yield Text.assemble((self._step.path, "bold"), f", case {self._aligned.case.name}")
        place = self._aligned.place
        shown = self._lines_of(
            number
            for number, one in enumerate(self._trace.operations)
            if (place and place.number == number) or (self._name(one) and number in self._aligned.on_way)
        )
        yield from self._draw([(line, list(map(self._row, numbers))) for line, numbers in shown.items()], width)
        yield Text("")
        yield Text(clean(self._conclusion()))

    def _row(self, number: int) -> Row:
        """Return the row of an operation's tensor; for a divergence, with the values below."""
        one, match, place = self._trace.operations[number], self._aligned.match(number), self._aligned.place
        is_place = place is not None and place.number == number
        departs = place is not None and is_place and place.how != "follows"
        outcome = "failed" if departs else "open" if match.departs else "passed"
        said = "something else than the reference" if departs and match.kind == Kind.OTHER else SAID[match.kind]
        below = self._numbers(number) if is_place else None
        return Row(clean(self._name(one) or one.name), self._made(one.made), outcome, said, below)

    def _numbers(self, number: int) -> Drawing | None:
        """Return a picture of a tensor beside the reference's; None if either tensor is unknown."""
        yours, expected = self._trace.operations[number].made.last, self._aligned.instead(number)
        if yours is None or expected is None:
            return None
        return Drawing(view_of("", expected, yours, ("",) * yours.ndim), self._signs)

    def _conclusion(self) -> str:
        if self._aligned.place:
            return self._aligned.place.diagnosis().where
        failure = self._answer.failure
        if failure and failure.kind == Verdict.NOT_ATTEMPTED:
            return "Not attempted yet."
        what = f"{failure.message.removesuffix('.')}. " if failure else ""
        return f"{what}Where it begins to go wrong cannot be told from the numbers."
