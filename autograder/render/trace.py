"""Drawing the shapes of a trace: each line, the tensors that were made on it, and the reference's shapes if they differ."""

from collections.abc import Iterable, Iterator, Mapping, Sequence

from rich.console import RenderableType
from rich.text import Text

from autograder.course.answer import LACK, PlainValue
from autograder.course.model import SINGLE
from autograder.course.verdicts import Verdict
from autograder.diagnosis.align import Alignment
from autograder.exam.syllabus import SyllabusStep
from autograder.grading.grade import clean
from autograder.render.lines import Line, LineTable, Row, ShapeNames
from autograder.render.screen import Signs

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
