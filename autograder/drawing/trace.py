"""Drawing a trace: each line, the tensors that were made on it, and the reference's if they differ."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from rich.text import Text

from autograder.course.answer import TensorValue, Value
from autograder.course.model import SINGLE
from autograder.course.shapes import Shape, bind_all, names_of, recognise, write
from autograder.course.trace import Made
from autograder.course.verdicts import Verdict
from autograder.drawing.screen import Signs
from autograder.exam.syllabus import SyllabusStep
from autograder.marking.departure import Comparison
from autograder.marking.mark import clean
from autograder.marking.statements import Statements, statements_of

MARGIN, GAP = "      ", "  "

MOST_OUTPUTS = 3
"""What comes out of a step first; probes look at more."""


_Line = tuple[str, int, str]
"""A statement that ran: its path, its first line, and the function in which it is."""


@dataclass(frozen=True)
class _Row:
    """A tensor of a line. outcome: `passed` or `failed`; `open` if the reference makes none like it, and nothing depends on that."""

    name: str
    yours: str
    outcome: str
    reference: str = ""


STYLES = {"passed": "green", "failed": "red", "open": "dim"}


class TraceDrawing:
    """What a step does in one case, beside what the reference does. texts: of the submission, by path."""

    def __init__(self, step: SyllabusStep, comparison: Comparison, texts: Mapping[str, str], signs: Signs) -> None:
        self._step, self._comparison, self._texts, self._signs = step, comparison, texts, signs
        self._case, self._trace, self._answer = comparison.case, comparison.trace, comparison.answer
        self._expected, self._departure = comparison.key.expected.outputs, comparison.departure
        self._calls = self._calls_to_show()
        self._sizes = self._named_sizes()

    def lines(self, width: int) -> Iterator[Text]:
        """Yield what is shown, line by line: the case, the lines up to where the shapes differ, and what follows."""
        yield Text.assemble((self._step.path, "bold"), f", case {self._case.name}")
        for call in map(self._trace.calls.__getitem__, self._calls):
            if given := ", ".join(f"{name} {self._argument(name, one)}" for name, one in call.given):
                yield Text.assemble(f"{clean(call.function)} is given ", (clean(given), "cyan"))
        lines = [(line, list(self._rows(line[0], numbers))) for line, numbers in self._lines_up_to_the_departure()]
        yield from self._sentences(lines) if self._signs.plain else self._table(lines, width)
        yield Text("")
        yield from map(Text, self._conclusion())

    def _calls_to_show(self) -> list[int]:
        """Return the numbers of the calls to show: of each function the first, or the one in which the shapes differ."""
        trace, departure = self._trace, self._departure
        telling = [trace.stop.call] if trace.stop else []
        telling += [trace.operations[departure.operation].call] if departure and departure.operation is not None else []
        numbers = [*reversed(range(len(trace.calls))), *telling]
        return sorted({trace.calls[number].function: number for number in numbers}.values())

    def _lines_up_to_the_departure(self) -> Iterable[tuple[_Line, list[int]]]:
        """Return the lines to show, in the order in which they came to their ends, each with the numbers of its operations."""
        trace, last = self._trace, self._departure.operation if self._departure else None
        lines: dict[_Line, list[int]] = {}
        for number, one in enumerate(trace.operations):
            if one.call in self._calls:
                line = self._line(one.path, one.span[0], one.function)
                lines[line] = [*lines.pop(line, []), number]
        if last is not None:
            ends = next(place for place, numbers in enumerate(lines.values(), 1) if last in numbers)
            return list(lines.items())[:ends]
        if trace.stop and self._answer.failure and self._answer.failure.kind != Verdict.NOT_ATTEMPTED:
            line = self._line(*trace.stop.lines[-1])
            lines[line] = lines.pop(line, [])
        return lines.items()

    def _rows(self, path: str, numbers: Sequence[int]) -> Iterator[_Row]:
        """Yield the tensors of a line; of those without a name only what has another shape than what is made of it."""
        operations = [self._trace.operations[number] for number in numbers]
        following = [*(one.made.shapes for one in operations[1:]), ()]
        for number, one, then in zip(numbers, operations, following, strict=False):
            name = self._statements(path).name(one.span)
            departs = self._departure is not None and self._departure.operation == number
            if not name and "." not in one.name and one.made.shapes == then and not departs:
                continue
            beside = self._departure.instead if self._departure and departs else self._comparison.beside(number)
            agrees = not departs and beside is not None and one.made.is_same(beside)
            reference = self._made(beside) if beside and not agrees else ""
            outcome = "failed" if departs else "passed" if agrees else "open"
            yield _Row(clean(name or one.name), self._made(one.made), outcome, reference)

    def _table(self, lines: Sequence[tuple[_Line, list[_Row]]], width: int) -> Iterator[Text]:
        """Yield each line as it is written, and below it its tensors in columns."""
        rows = [row for _, own in lines for row in own]
        names, shapes = (max((len(getattr(row, of)) for row in rows), default=0) for of in ("name", "yours"))
        signs = {outcome: getattr(self._signs, outcome) for outcome in STYLES}
        widest, place = max(map(len, signs.values())), ("", "")
        for (path, number, function), own in lines:
            if (path, function) != place:
                place = (path, function)
                yield from (Text(""), Text(GAP.join(place), style="cyan"))
            text, room = self._text(path, number), width - len(MARGIN)
            text = text if len(text) <= room else text[: room - 4] + " ..."
            yield Text.assemble((f"{number:>4}{GAP}", "dim"), text)
            for row in own:
                sign = signs[row.outcome].ljust(widest)
                yours = f" {row.name:<{names}}{GAP}{row.yours:<{shapes}}"
                reference = f"{GAP}reference: {row.reference}" if row.reference else ""
                if len(MARGIN + sign + yours + reference) > width:
                    reference = f"\n{MARGIN}{reference}"
                yield Text.assemble(MARGIN, (sign, STYLES[row.outcome]), yours, reference)

    def _sentences(self, lines: Sequence[tuple[_Line, list[_Row]]]) -> Iterator[Text]:
        """Yield the same in sentences."""
        for (path, number, function), own in lines:
            yield Text(f"{path}, line {number}, in {function}: {self._text(path, number)}")
            for row in own:
                beside = f", in the reference {row.reference}" if row.reference else ""
                beside = ", as in the reference" if row.outcome == "passed" else beside
                yield Text(f"{row.name} is {row.yours}{beside}.")

    def _statements(self, path: str) -> Statements:
        return statements_of(self._texts.get(path, ""))

    def _line(self, path: str, line: int, function: str) -> _Line:
        return path, self._statements(path).first_line(line), function

    def _text(self, path: str, number: int) -> str:
        return clean(self._statements(path).text(number))

    def _conclusion(self) -> Iterator[str]:
        """Yield the result of the comparison, and what to do next."""
        if not self._departure:
            yield f"The result has the reference's shapes. `attn check {self._step.path}` checks the numbers."
            return
        if self._departure.operation is not None:
            one = self._trace.operations[self._departure.operation]
            _, line, _ = self._line(one.path, one.span[0], one.function)
            yield f"Line {line} is where the shapes begin to differ from the reference's."
        name = self._departure.output
        if name is not None:
            what, theirs = "It" if name == SINGLE else name, self._expected.get(name)
            yield f"{what} comes out as {self._came_out(name)}, from the reference as {self._output(name, theirs)}."
            return
        yield from self._failure()
        missing = [name for name in self._comparison.missing() if "." not in name][:MOST_OUTPUTS]  # not those of layers
        if missing:
            outputs = (f"{name} {self._output(name, self._expected[name])}" for name in missing)
            yield f"What must come out: {', '.join(outputs).removeprefix(f'{SINGLE} ')}."

    def _failure(self) -> Iterator[str]:
        failure, stop = self._answer.failure, self._trace.stop
        assert failure
        *callers, place = [f"{line} of {path}" for path, line, _ in stop.lines] if stop else [""]
        if failure.kind == Verdict.NOT_ATTEMPTED:
            yield f"Not attempted yet: line {place}, in {stop.lines[-1][-1]}." if stop else "Not attempted yet."
            return
        yield (f"Line {place}: " if stop else "") + clean(failure.message)
        if stop and stop.operands:
            yield f"It was given {' and '.join(f'{name} {self._shape(shape)}'.strip() for name, shape in stop.operands)}."
        if callers:
            yield f"Called from line {', and that from line '.join(reversed(callers))}."

    def _named_sizes(self) -> dict[str, int]:
        """Return the sizes that have a name in the step's signature, but for those that something else may have as well."""
        shapes = {name: value.shape for name, value in self._case.inputs.items() if isinstance(value, np.ndarray)}
        given = (pair for number in self._calls for pair in self._trace.calls[number].given)
        shapes |= {name: one for name, one in given if isinstance(one, tuple)}
        outputs = {name: one.shape for name, one in self._expected.items() if isinstance(one, TensorValue)}
        sizes = bind_all(self._step.arguments, shapes) | bind_all(self._step.returns, outputs)
        numbers = {value for name, value in self._case.inputs.items() if type(value) is int and name not in sizes}
        return {name: size for name, size in sizes.items() if size not in {1, *numbers}}

    def _argument(self, name: str, given: Shape | str) -> str:
        return given if isinstance(given, str) else self._shape(given, self._step.arguments.get(name))

    def _made(self, made: Made) -> str:
        """Write what an operation made: the first shape and the last, and how many there were."""
        ends = made.shapes if len(made.shapes) < 3 else (made.shapes[0], made.shapes[-1])
        return " to ".join(map(self._shape, ends)) + (f" ×{made.times}" if made.times > 1 else "")

    def _shape(self, shape: Shape, dims: str | None = None) -> str:
        """Write a shape. dims: the names of its dimensions; if they are not known, they are recognised by their sizes."""
        return write(shape, names_of(dims, len(shape)) if dims else recognise(shape, self._sizes))

    def _output(self, name: str, value: Value | None) -> str:
        if isinstance(value, TensorValue):
            return self._shape(value.shape, self._step.returns.get(name))
        return "None" if value is None or value.value is None else value.type

    def _came_out(self, name: str) -> str:
        """Write what came out in place of an output: maybe several tensors, which have numbers for names."""
        outputs, unnamed = self._answer.outputs, name == SINGLE or name.isdecimal()
        several = [one for other, one in outputs.items() if other.isdecimal()]
        if unnamed and name not in outputs and several:
            kinds = " and ".join(dict.fromkeys(self._output("", one) for one in several))
            return f"{len(several)} tensor{'s' if len(several) > 1 else ''} of {kinds} in a tuple or list"
        return self._output("", outputs.get(name, outputs.get(SINGLE) if unnamed else None))
