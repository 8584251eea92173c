"""Drawing the numbers of a trace: each line, which of its tensors the reference has too, and the first that it has not."""

from collections.abc import Iterator, Mapping

from rich.console import RenderableType
from rich.text import Text

from autograder.course.trace import Operation
from autograder.course.verdicts import Verdict
from autograder.diagnosis.align import Alignment
from autograder.exam.syllabus import SyllabusStep
from autograder.grading.compare import Kind
from autograder.grading.grade import clean
from autograder.grading.pictures import Picture, view_of
from autograder.render.lines import LineTable, Row, ShapeNames
from autograder.render.matrices import Drawing
from autograder.render.screen import Signs

SAID = {
    Kind.EQUAL: "as in the reference",
    Kind.RESHAPED: "the reference's numbers, in another shape",
    Kind.PERMUTED: "the reference's numbers, in another order",
    Kind.PART: "a part of what the reference has",
    Kind.SCALED: "what the reference has, times a constant",
    Kind.OTHER: "not in the reference",
}
"""What is said of a tensor."""


class ValuesDrawing:
    """What a step makes in a case whose answer is wrong. texts: of the submission, by path."""

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
