"""Traces in the terminal: each line that ran, and below it the shapes or the numbers of the tensors that were made on it."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from rich.console import RenderableType
from rich.text import Text

from autograder.course.answer import LACK, PlainValue, TensorValue, Value
from autograder.course.model import SINGLE
from autograder.course.shapes import Shape, bind_all, names_of, recognise, write
from autograder.course.trace import Call, Made, Operation
from autograder.course.verdicts import Verdict
from autograder.diagnosis.align import Alignment
from autograder.diagnosis.logical_lines import statements_of
from autograder.exam.model import PaperCase
from autograder.exam.syllabus import SyllabusStep
from autograder.grading.compare import Kind
from autograder.grading.grade import clean
from autograder.grading.pictures import Picture, view_of
from autograder.render.pictures import Drawing
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


MOST_OUTPUTS = 3
"""What comes out of a step first; probes look at more."""


class TraceDrawing:
    """What a step does in one case, beside what the reference does. texts: of the submission, by path."""

    def __init__(self, step: SyllabusStep, aligned: Alignment, texts: Mapping[str, str], signs: Signs) -> None:
        self._step, self._aligned = step, aligned
        self._case, self._trace, self._answer = aligned.case, aligned.trace, aligned.answer
        self._expected, self._departure = aligned.key.expected.outputs, aligned.departure
        self._calls = self._calls_to_show()
        self._table = LineTable(texts, signs)
        self._names = ShapeNames(step, self._case, self._expected, map(self._trace.calls.__getitem__, self._calls))

    def lines(self, width: int) -> Iterator[RenderableType]:
        """Yield what is shown, line by line: the case, the lines up to where the shapes differ, and what follows."""
        yield Text.assemble((self._step.path, "bold"), f", case {self._case.name}")
        for call in map(self._trace.calls.__getitem__, self._calls):
            if given := ", ".join(f"{name} {self._names.argument(name, one)}" for name, one in call.given):
                yield Text.assemble(f"{clean(call.function)} is given ", (clean(given), "cyan"))
        lines = [(line, list(self._rows(numbers))) for line, numbers in self._lines_up_to_the_departure()]
        yield from self._table.draw(lines, width)
        yield Text("")
        yield from map(Text, self._conclusion())

    def _calls_to_show(self) -> list[int]:
        """Return the numbers of the calls to show: of each function the first, or the one in which the shapes differ."""
        trace, departure = self._trace, self._departure
        telling = [trace.stop.call] if trace.stop else []
        telling += [trace.operations[departure.operation].call] if departure and departure.operation is not None else []
        numbers = [*reversed(range(len(trace.calls))), *telling]
        return sorted({trace.calls[number].function: number for number in numbers}.values())

    def _lines_up_to_the_departure(self) -> Iterable[tuple[Line, list[int]]]:
        """Return the lines to show, in the order in which they came to their ends, each with the numbers of its operations."""
        trace, last = self._trace, self._departure.operation if self._departure else None
        lines = self._table.lines_of((n, one) for n, one in enumerate(trace.operations) if one.call in self._calls)
        if last is not None:
            ends = next(place for place, numbers in enumerate(lines.values(), 1) if last in numbers)
            return list(lines.items())[:ends]
        if trace.stop and self._answer.failure and self._answer.failure.kind != Verdict.NOT_ATTEMPTED:
            line = self._table.line(*trace.stop.lines[-1])
            lines[line] = lines.pop(line, [])
        return lines.items()

    def _rows(self, numbers: Sequence[int]) -> Iterator[Row]:
        """Yield the tensors of a line; of those without a name only what has another shape than what is made of it."""
        operations = [self._trace.operations[number] for number in numbers]
        following = [*(one.made.shapes for one in operations[1:]), ()]
        for number, one, then in zip(numbers, operations, following, strict=False):
            name = self._table.name(one)
            departs = self._departure is not None and self._departure.operation == number
            if not name and "." not in one.name and one.made.shapes == then and not departs:
                continue
            beside = self._departure.instead if self._departure and departs else self._aligned.beside(number)
            agrees = not departs and beside is not None and one.made.is_same(beside)
            reference = self._names.made(beside) if beside and not agrees else ""
            told = "as in the reference" if agrees else reference and f"in the reference {reference}"
            outcome = "failed" if departs else "passed" if agrees else "open"
            yield Row(
                clean(name or one.name),
                self._names.made(one.made),
                outcome,
                reference and f"reference: {reference}",
                told,
            )

    def _conclusion(self) -> Iterator[str]:
        """Yield the result of the comparison, and what to do next."""
        if not self._departure:
            yield f"The result has the reference's shapes. `attn check {self._step.path}` checks the numbers."
            return
        if self._departure.operation is not None:
            one = self._trace.operations[self._departure.operation]
            _, line, _ = self._table.line(one.path, one.span[0], one.function)
            yield f"Line {line} is where the shapes begin to differ from the reference's."
        name = self._departure.output
        if name is not None:
            what, theirs = self._step.title_of(name) or "It", self._expected.get(name)
            given = self._answer.outputs.get(name)
            if isinstance(given, PlainValue) and given.type == LACK:
                yield f"{what}: {given.value}."
                return
            yield f"{what} comes out as {self._came_out(name)}, from the reference as {self._names.output(name, theirs)}."
            return
        yield from self._failure()
        missing = [name for name in self._aligned.missing() if "." not in name][:MOST_OUTPUTS]  # not those of layers
        if missing:
            outputs = (
                f"{self._step.title_of(name)} {self._names.output(name, self._expected[name])}" for name in missing
            )
            yield f"What must come out: {', '.join(map(str.strip, outputs))}."

    def _failure(self) -> Iterator[str]:
        failure, stop = self._answer.failure, self._trace.stop
        assert failure
        *callers, place = [f"{line} of {path}" for path, line, _ in stop.lines] if stop else [""]
        if failure.kind == Verdict.NOT_ATTEMPTED:
            yield f"Not attempted yet: line {place}, in {stop.lines[-1][-1]}." if stop else "Not attempted yet."
            return
        yield (f"Line {place}: " if stop else "") + clean(failure.message)
        if stop and stop.operands:
            yield f"It was given {' and '.join(f'{name} {self._names.shape(shape)}'.strip() for name, shape in stop.operands)}."
        if callers:
            yield f"Called from line {', and that from line '.join(reversed(callers))}."

    def _came_out(self, name: str) -> str:
        """Write what came out in place of an output: maybe several tensors, which have numbers for names."""
        outputs, unnamed = self._answer.outputs, name == SINGLE or name.isdecimal()
        several = [one for other, one in outputs.items() if other.isdecimal()]
        if unnamed and name not in outputs and several:
            kinds = " and ".join(dict.fromkeys(self._names.output("", one) for one in several))
            return f"{len(several)} tensor{'s' if len(several) > 1 else ''} of {kinds} in a tuple or list"
        return self._names.output("", outputs.get(name, outputs.get(SINGLE) if unnamed else None))


SAID = {
    Kind.EQUAL: "as in the reference",
    Kind.RESHAPED: "the reference's numbers, in another shape",
    Kind.PERMUTED: "the reference's numbers, in another order",
    Kind.PART: "a part of what the reference has",
    Kind.SCALED: "what the reference has, times a constant",
    Kind.OTHER: "not in the reference",
}
"""The sentence for each relation of a tensor."""


class ValuesDrawing:
    """The numbers of a step's tensors in a case whose answer is wrong. texts: of the submission, by path."""

    def __init__(self, step: SyllabusStep, aligned: Alignment, texts: Mapping[str, str], signs: Signs) -> None:
        self._step, self._aligned, self._signs = step, aligned, signs
        self._case, self._trace, self._answer = aligned.case, aligned.trace, aligned.answer
        self._place = aligned.place
        self._table = LineTable(texts, signs)
        self._names = ShapeNames(step, self._case, aligned.key.expected.outputs, self._trace.calls)

    def lines(self, width: int) -> Iterator[RenderableType]:
        """Yield what is shown: the case, the lines with their tensors, the numbers where they depart, and what it means."""
        yield Text.assemble((self._step.path, "bold"), f", case {self._case.name}")
        shown = ((number, one) for number, one in enumerate(self._trace.operations) if self._is_shown(number, one))
        lines = [(line, list(map(self._row, numbers))) for line, numbers in self._table.lines_of(shown).items()]
        yield from self._table.draw(lines, width)
        yield Text("")
        yield Text(clean(self._conclusion()))

    def _is_shown(self, number: int, one: Operation) -> bool:
        """Return whether a tensor is shown: one on the way to the answer that has a name, and the one that departs."""
        departs = self._place is not None and self._place.number == number
        return departs or (bool(self._table.name(one)) and self._aligned.leads_to_answer(number))

    def _row(self, number: int) -> Row:
        """Return a tensor with whether the reference has its numbers, and these below it where they depart."""
        one, match = self._trace.operations[number], self._aligned.match(number)
        is_place = self._place is not None and self._place.number == number
        departs = self._place is not None and is_place and self._place.how != "follows"
        outcome = "failed" if departs else "open" if match.departs else "passed"
        said = "something else than the reference" if departs and match.kind == Kind.OTHER else SAID[match.kind]
        name = clean(self._table.name(one) or one.name)
        return Row(name, self._names.made(one.made), outcome, said, said, self._numbers(number) if is_place else None)

    def _numbers(self, number: int) -> Drawing | None:
        """Return the numbers that depart, beside those of the reference where it makes the same there."""
        yours, expected = self._trace.operations[number].made.last, self._aligned.instead(number)
        if yours is None or expected is None:
            return None
        return Drawing(view_of(Picture("", expected, yours, ("",) * yours.ndim)), self._signs)

    def _conclusion(self) -> str:
        if self._place:
            return self._place.diagnosis().where
        failure = self._answer.failure
        if failure and failure.kind == Verdict.NOT_ATTEMPTED:
            return "Not attempted yet."
        what = f"{failure.message.removesuffix('.')}. " if failure else ""
        return f"{what}Where it begins to go wrong cannot be told from the numbers."
